/** Bodies: the very bytes that Python writes in binary, and the same JSON. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Plan, toBinary, toJson, vectors } from "./support.js";

const hex = (bytes) => Buffer.from(bytes).toString("hex");

for (const { name, plan: text, columns: about, service, epoch, reports, json, binary } of vectors("wire")) {
  test(name, async () => {
    const plan = await Plan.fromJson(text);
    const names = plan.service(service).public.map((each) => each.name);
    const made = reports.map(({ user, slots, public: shown }) => ({
      plan: plan.id,
      service,
      user,
      epoch,
      slots: slots.map((slot) => slot.map(([index, extra]) => ({ index, extra: extra.map(BigInt) }))),
      public: new Map(names.map((each) => [each, shown[each] ?? null])),
      insecure: false,
    }));
    const columns = { userKey: about.user_key, public: new Map([[service, new Map(Object.entries(about.public[service]))]]) };
    assert.deepEqual(JSON.parse(toJson(plan, made)), JSON.parse(json));
    assert.equal(hex(toBinary(plan, made, columns)), binary);
    const insecure = made.map((each) => ({ ...each, insecure: true }));
    assert.equal(JSON.parse(toJson(plan, insecure)).insecure, true);
    assert.equal(toBinary(plan, insecure, columns)[5], 1);
  });
}

test("what no collector could store is refused on the device", async () => {
  const { plan: text } = vectors("wire")[0];
  const plan = await Plan.fromJson(text);
  for (const user of ["", "x".repeat(256), "\ud800", 1.5, 2 ** 53, null]) assert.throws(() => new Client(plan, user), { name: "BadRecord" });
  for (const os of [NaN, Infinity, "\udfff", {}, [1]]) {
    await assert.rejects(new Client(plan, "u").report("second", { a: "x", os }), { name: "BadRecord", message: /public column 'os'/ });
  }
  const report = await new Client(plan, "u").report("second", { a: "x", visits: 2n ** 60n });
  assert.equal(JSON.parse(toJson(plan, [report])).reports[0].public.visits, "1152921504606846976");
  const columns = { userKey: "text", public: new Map([["second", new Map([["visits", "text"]])]]) };
  assert.throws(() => toBinary(plan, [report], columns), { name: "BadRecord", message: /visits/ });
  const other = await new Client(plan, "u").report("first", { a: "x" });
  assert.throws(() => toBinary(plan, [report, other], columns), { name: "BadRecord", message: /one service and epoch/ });
});
