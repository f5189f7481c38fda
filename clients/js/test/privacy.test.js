/** The exact privacy loss of the shipped encoder: at most e^epsilon, and the very fraction that the Python client has. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, fitted, placesOf } from "../../../src/untold/serve/pages/static/client/encoder.js";
import { expAtMost } from "../../../src/untold/serve/pages/static/client/exact.js";
import { Dice } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { Exhaustive, worstRatio } from "./exhaustive.js";
import { Plan, bigOf, vectors } from "./support.js";

const all = vectors("small");

/** What one person's rows may become, for each of the inputs. */
function distributions(service, inputs, rng = new Exhaustive()) {
  return inputs.map((rows) => {
    const places = fitted(service, rows).map((row) => placesOf(service, row));
    return rng.distribution((draw) => encode(service, places, draw));
  });
}

const within = ([numerator, denominator], nano) => numerator << 192n <= denominator * expAtMost(nano);

for (const { name, plan: text, service, inputs, outputs, worst } of all) {
  test(`no more than epsilon: ${name}`, async () => {
    const plan = await Plan.fromJson(text);
    const found = worstRatio(distributions(plan.service(service), inputs));
    assert.ok(within(found.worst, plan.nano));
    assert.deepEqual([found.outputs, found.worst.map(String)], [outputs, worst]);
  });
}

/** Deliberate mistakes; each must be noticed by the check above. */
const MUTANTS = {
  "a weight too heavy by a millionth": class extends Exhaustive {
    tilted({ heavy, light, sides, copies }) {
      return super.tilted(new Dice(bigOf(heavy) + bigOf(heavy) / 1_000_000n, bigOf(light) - bigOf(heavy) / 1_000_000n / BigInt(sides - 1 || 1), sides, copies));
    }
  },
  "an offset that is never drawn": class extends Exhaustive {
    tilted({ heavy, sides, copies }) {
      return super.tilted(new Dice(bigOf(heavy), 0n, sides, copies));
    }
  },
};
for (const [mistake, Mutant] of Object.entries(MUTANTS)) {
  test(`noticed: ${mistake}`, async () => {
    const { plan: text, service, inputs } = all.find(({ name }) => name === "mg auto people");
    const plan = await Plan.fromJson(text);
    const { worst } = worstRatio(distributions(plan.service(service), inputs, new Mutant()));
    assert.ok(worst === null || !within(worst, plan.nano));
  });
}

test("noticed: a person without rows who draws less", async () => {
  const { plan: text, service, inputs } = all.find(({ name }) => name === "mg auto orders");
  const declared = (await Plan.fromJson(text)).service(service);
  const hasty = (places, rng) => (places.length ? encode(declared, places, rng) : [[{ index: rng.below(2), extra: [] }]]);
  const found = inputs.map((rows) => {
    const places = fitted(declared, rows).map((row) => placesOf(declared, row));
    return new Exhaustive().distribution((rng) => hasty(places, rng));
  });
  assert.equal(worstRatio(found).worst, null);
});

test("noticed: a view that suits the text", async () => {
  const { plan: text, inputs } = all.find(({ name }) => name === "texts");
  const declared = (await Plan.fromJson(text)).service("apps");
  const { views } = declared.design;
  const found = inputs.map((rows) => {
    const [place] = fitted(declared, rows).map((row) => placesOf(declared, row));
    const view = views[place[0][2].length % views.length]; // the length of the text picks it
    return new Exhaustive().distribution((rng) => [[{ index: view.offset + view.oracle.encode(0, rng).index, extra: [] }]]);
  });
  assert.equal(worstRatio(found).worst, null);
});
