/** What tests share: the built client, the vectors, and sources of repeatable words. */

import { readFileSync } from "node:fs";
import { Randomness } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { bigOf, wordOf } from "../../../src/untold/serve/pages/static/client/word.js";

/** The vectors of one file. */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8"));
}

/** Hands out given words in order. */
export class Replayed extends Randomness {
  constructor(words) {
    super();
    this.left = words.map(BigInt);
  }

  word() {
    if (this.left.length === 0) throw new Error("more words were drawn than the vector has");
    return wordOf(this.left.shift());
  }
}

/** Repeatable words: splitmix64. */
export class Seeded extends Randomness {
  constructor(seed) {
    super();
    this.state = BigInt(seed);
    this.drawn = 0;
  }

  word() {
    this.drawn++;
    this.state = (this.state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
    return wordOf(z ^ (z >> 31n));
  }
}

/** Messages as vectors write them. */
export function plainSlots(slots) {
  return slots.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)]));
}

export { bigOf, wordOf };
export * from "../../../src/untold/serve/pages/static/client/index.js";
