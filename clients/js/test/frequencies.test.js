/** Frequencies of what is drawn, from a fixed seed: that arithmetic on digits is not only right at the edges. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { tilt } from "../../../src/untold/serve/pages/static/client/exact.js";
import { Dice } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { Seeded } from "./support.js";

const DRAWS = 60_000;
const LIMIT = 54.64; // chi-square with 14 degrees of freedom exceeds it once in 10^6 seeds: the false-alarm rate
const [SIDES, COPIES] = [5, 3];
const [heavy, light] = tilt(10n ** 9n, BigInt(SIDES), (2n ** 64n - 1n) / BigInt(COPIES));

/** Chi-square of the outcomes of dice against the weights that were asked for. */
function distance(dice) {
  const rng = new Seeded(11);
  const counts = new Array(SIDES * COPIES).fill(0);
  for (let i = 0; i < DRAWS; i++) {
    const { copy, offset } = rng.tilted(dice);
    counts[copy * SIDES + offset]++;
  }
  const whole = Number(heavy + BigInt(SIDES - 1) * light) * COPIES;
  return counts.reduce((sum, count, i) => {
    const expected = (DRAWS * Number(i % SIDES ? light : heavy)) / whole;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
}

test("dice fall as often as their weights say", () => {
  assert.ok(distance(new Dice(heavy, light, SIDES, COPIES)) < LIMIT);
});

test("dice that lean by a tenth are noticed", () => {
  const more = heavy / 10n;
  assert.ok(distance(new Dice(heavy + more, light - more / BigInt(SIDES - 1), SIDES, COPIES)) > LIMIT);
});
