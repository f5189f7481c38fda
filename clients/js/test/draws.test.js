/** The five draws: the same results as Python's from the same words, and as an obvious twin in BigInt. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Dice, Secure } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { divide, isLess, subtract, weightOf } from "../../../src/untold/serve/pages/static/client/word.js";
import { Replayed, Seeded, bigOf, vectors, wordOf } from "./support.js";

const WORD = 1n << 64n;
const DRAWS = {
  below: (rng, [n]) => BigInt(rng.below(Number(n))),
  chance: (rng, [weight]) => BigInt(rng.chance(wordOf(weight))),
  choose: (rng, cumulative) => BigInt(rng.choose(cumulative.filter((each) => each < WORD).map(wordOf))),
  tilted: (rng, [heavy, light, sides, copies]) => {
    const { copy, offset } = rng.tilted(new Dice(heavy, light, Number(sides), Number(copies)));
    return BigInt(copy) * sides + BigInt(offset);
  },
};

test("draws give what Python's give", () => {
  const all = vectors("draws");
  assert.ok(all.length > 200);
  for (const { draw, arguments: written, words, result } of all) {
    const rng = new Replayed(words);
    assert.equal(String(DRAWS[draw](rng, written.map(BigInt))), result, `${draw}(${written})`);
    assert.equal(rng.left.length, 0, `${draw}(${written}) drew fewer words`);
  }
});

test("arithmetic on digits is arithmetic on integers", () => {
  const rng = new Seeded(1);
  const numbers = [0n, 1n, 2n, 65535n, 65536n, WORD / 2n, WORD - 2n, WORD - 1n];
  for (let i = 0; i < 60; i++) numbers.push(bigOf(rng.word()) >> BigInt(i));
  for (const a of numbers) {
    for (const b of numbers) {
      const out = new Uint16Array(4);
      assert.equal(isLess(wordOf(a), wordOf(b)), Number(a < b));
      assert.equal(subtract(wordOf(a), wordOf(b), out), Number(a < b));
      assert.equal(bigOf(out), BigInt.asUintN(64, a - b));
      if (b === 0n) continue;
      const { quotient, remainder } = divide(wordOf(a), wordOf(b));
      assert.deepEqual([bigOf(quotient), bigOf(remainder)], [a / b, a % b], `${a} / ${b}`);
    }
  }
});

test("the weight of rounding up is exact", () => {
  for (const fraction of [0, 2 ** -60, 2 ** -53, 0.3, 0.5, 1 - 2 ** -53]) {
    assert.equal(bigOf(weightOf(fraction)), BigInt(Math.floor(fraction * 2 ** 53)) << 11n);
  }
});

test("the browser's generator fills all bits", () => {
  // Each of 64 bits is constant over 64 words with probability 2^-63: false alarm below 1e-17.
  const words = Array.from({ length: 64 }, () => bigOf(new Secure().word()));
  assert.equal(words.reduce((a, b) => a | b), WORD - 1n);
  assert.equal(words.reduce((a, b) => a & b), 0n);
  assert.equal(new Secure().insecure, false);
});
