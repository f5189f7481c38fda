/** Keys that follow one another: a device comes to the last one by links, and to no other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Device, TransientMemory, vectors } from "./support.js";

for (const { name, key, steps } of vectors("chains")) {
  test(name, async () => {
    const options = { user: "u-17", token: "ab".repeat(32), memory: new TransientMemory(), ...(key === null ? {} : { key }) };
    for (const { offer, refused } of steps) {
      const connecting = Device.connect("http://127.0.0.1:1/", { ...options, fetch: async () => new Response(JSON.stringify(offer)) });
      if (refused === null) await connecting;
      else await assert.rejects(connecting, (error) => error.name === "UntrustedPlan" && error.message.includes(refused));
    }
  });
}
