/** (plan, rows, words) -> messages: the same as Python's, for every design and oracle that a plan can name. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { digest } from "../../../src/untold/serve/pages/static/client/digest.js";
import { encode, fitted, placesOf } from "../../../src/untold/serve/pages/static/client/encoder.js";
import { Plan, Replayed, plainSlots, vectors } from "./support.js";

for (const { name, plan: text, id, cases } of [...vectors("format_2/reports"), ...vectors("reports")]) {
  test(`reports of ${name}`, async () => {
    const plan = await Plan.fromJson(text);
    assert.equal(plan.id, id);
    for (const { service, rows, words, slots, digest: wanted } of cases) {
      const declared = plan.service(service);
      const places = fitted(declared, rows).map((row) => placesOf(declared, row));
      const rng = new Replayed(words);
      assert.deepEqual(plainSlots(encode(declared, places, rng)), slots);
      assert.equal(rng.left.length, 0);
      assert.equal(await digest(plan.id, service, places), wanted);
    }
  });
}
