/** Plans that a device must refuse, through the whole way from the collector's answer; the Python client refuses the same ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { post, root } from "../../../src/untold/serve/pages/static/client/http.js";
import { Device, TransientMemory, enrol, vectors } from "./support.js";

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

/** An answer without an end; `asked` counts the pieces that were taken of it. */
function endless(status = 200) {
  const asked = { pieces: 0 };
  const piece = new Uint8Array(1 << 20).fill(32);
  const pull = (controller) => {
    asked.pieces += 1;
    controller.enqueue(piece);
  };
  return { asked, fetch: async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status }) };
}

test("an answer without an end is given up: the plan, an acknowledgement, an enrolment", async () => {
  const plan = endless();
  await assert.rejects(Device.connect("http://127.0.0.1:1/", { user: 1, token: TOKEN, fetch: plan.fetch }), { name: "CollectorError" });
  assert.ok(plan.asked.pieces <= 66, `${plan.asked.pieces} MiB were read`);
  const word = endless();
  assert.deepEqual(await post("http://127.0.0.1:1/", TOKEN, "{}", word.fetch), { kind: "busy", after: 0 });
  assert.ok(word.asked.pieces <= 3);
  const person = endless();
  await assert.rejects(enrol("http://127.0.0.1:1/", new TransientMemory(), person.fetch), { name: "CollectorError" });
  assert.ok(person.asked.pieces <= 3);
});

test("plain http to another machine is warned of once, to this one not at all", (context) => {
  const warn = context.mock.method(console, "warn", () => undefined);
  for (const url of ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:1/", "https://reports.example.org"]) root(url);
  assert.equal(warn.mock.callCount(), 0);
  for (let i = 0; i < 3; i++) root("http://reports.example.org/");
  assert.equal(warn.mock.callCount(), 1);
  assert.match(String(warn.mock.calls[0].arguments[0]), /unencrypted to reports\.example\.org/);
});

for (const { name, before, offer, allowed: said, refused } of vectors("promised")) {
  const { plan_id: planId, ...rest } = said;
  const allowed = planId === undefined ? rest : { planId };
  test(`a later plan takes nothing back: ${name}`, async () => {
    const memory = new TransientMemory();
    const connect = (signed, options = {}) => Device.connect("http://127.0.0.1:1/", { user: 1, token: TOKEN, memory, fetch: publishing(signed), ...options });
    for (const each of before) await connect(each);
    if (refused === null) return void (await connect(offer, allowed));
    for (let i = 0; i < 2; i++) {
      await assert.rejects(connect(offer, allowed), (error) => error.name === "UntrustedPlan" && error.message.includes(refused));
    }
    if (before.length > 0) await connect(before.at(-1)); // what it followed stays
  });
}
