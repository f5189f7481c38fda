/** Plans that a device must refuse, through the whole way from the collector's answer; the Python client refuses the same ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Device, TransientMemory, vectors } from "./support.js";

const TOKEN = "0".repeat(64);
const all = vectors("hostile");

/** A collector that publishes this. */
function publishing(signed) {
  return async () => new Response(JSON.stringify(signed));
}

for (const { name, signed, trust, refused } of all) {
  test(`${refused === null ? "accepted" : "refused"}: ${name}`, async () => {
    const { key, ceiling, plan_id: planId } = trust;
    const options = { user: "u-17", token: TOKEN, key, ceiling, ...(planId ? { planId } : {}), fetch: publishing(signed) };
    const connecting = Device.connect("http://127.0.0.1:1/", options);
    if (refused === null) assert.equal((await connecting).plan.name, "poll");
    else await assert.rejects(connecting, { name: refused });
  });
}

test("the first key that was seen is the only one from then on", async () => {
  const honest = all.find(({ name }) => name === "an honest plan").signed;
  const other = all.find(({ name }) => name === "signed by somebody else").signed;
  const memory = new TransientMemory();
  const connect = (signed) => Device.connect("http://127.0.0.1:1/", { user: 1, token: TOKEN, memory, fetch: publishing(signed) });
  await connect(honest);
  await assert.rejects(connect(other), { name: "UntrustedPlan" });
  await connect(honest);
});

test("without a ceiling of its own, a device accepts no more than at first", async () => {
  const honest = all.find(({ name }) => name === "an honest plan").signed;
  const greedy = all.find(({ name }) => name === "epsilon above the ceiling").signed;
  const memory = new TransientMemory();
  const connect = (signed, options = {}) => Device.connect("http://127.0.0.1:1/", { user: 1, token: TOKEN, memory, fetch: publishing(signed), ...options });
  await connect(honest);
  await assert.rejects(connect(greedy), { name: "BudgetExceeded" });
  await connect(greedy, { ceiling: 2 }); // the app says so
});

test("an answer that is no signed plan is refused", async () => {
  for (const answer of ["", "[]", "{}", '{"plan": 1}', "<html>"]) {
    const fetch = async () => new Response(answer);
    await assert.rejects(Device.connect("http://127.0.0.1:1/", { user: 1, token: TOKEN, fetch }), { name: "UntrustedPlan" });
  }
});
