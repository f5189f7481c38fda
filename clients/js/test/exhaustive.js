/** Walks a function down every branch of its draws: the exact distribution of its output, in fractions of BigInt. */

import { Randomness } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { bigOf, wordOf } from "./support.js";

const WORD = 1n << 64n;
const SALT = [0x9e3779b97f4a7c15n, 0x123456789abcdefn]; // a full word stands for public salt: a few representatives

export class Exhaustive extends Randomness {
  /** Map from JSON of (output, number of draws) to [numerator, denominator]. */
  distribution(work) {
    const found = new Map();
    let path = [];
    for (;;) {
      [this.path, this.sizes, this.chanceOf] = [path, [], [1n, 1n]];
      const output = JSON.stringify([work(this), this.sizes.length], (_, value) => (typeof value === "bigint" ? String(value) : value));
      if (this.chanceOf[0] > 0n) found.set(output, add(found.get(output) ?? [0n, 1n], this.chanceOf));
      path = this.sizes.map((_, i) => path[i] ?? 0);
      while (path.length > 0 && path.at(-1) + 1 === this.sizes[path.length - 1]) path.pop();
      if (path.length === 0) return found;
      path[path.length - 1]++;
    }
  }

  branch(size) {
    this.sizes.push(size);
    return this.path[this.sizes.length - 1] ?? 0;
  }

  times(numerator, denominator) {
    this.chanceOf = [this.chanceOf[0] * numerator, this.chanceOf[1] * denominator];
  }

  word() {
    this.times(1n, BigInt(SALT.length));
    return wordOf(SALT[this.branch(SALT.length)]);
  }

  below(n) {
    this.times(1n, BigInt(n));
    return this.branch(n);
  }

  chance(weight) {
    const outcome = this.branch(2);
    this.times(outcome ? bigOf(weight) : WORD - bigOf(weight), WORD);
    return outcome;
  }

  choose(cumulative) {
    const index = this.branch(cumulative.length + 1);
    const [low, high] = [index ? bigOf(cumulative[index - 1]) : 0n, index < cumulative.length ? bigOf(cumulative[index]) : WORD];
    this.times(high - low, WORD);
    return index;
  }

  tilted({ heavy, light, stretch, sides, copies }) {
    const outcome = this.branch(copies * sides);
    const offset = outcome % sides;
    this.times(bigOf(offset ? light : heavy), BigInt(copies) * bigOf(stretch));
    return { copy: Math.floor(outcome / sides), offset };
  }
}

/** The largest ratio of the probabilities of one output under two inputs; null if only one of them can produce it. */
export function worstRatio(distributions) {
  const outputs = new Set(distributions.flatMap((each) => [...each.keys()]));
  let worst = [1n, 1n];
  for (const output of outputs) {
    const chances = distributions.map((each) => each.get(output));
    if (chances.includes(undefined)) return { outputs: outputs.size, worst: null };
    const [most, least] = [chances.reduce((a, b) => (less(a, b) ? b : a)), chances.reduce((a, b) => (less(b, a) ? b : a))];
    const ratio = reduced([most[0] * least[1], most[1] * least[0]]);
    if (less(worst, ratio)) worst = ratio;
  }
  return { outputs: outputs.size, worst };
}

const less = (a, b) => a[0] * b[1] < b[0] * a[1];
const add = (a, b) => reduced([a[0] * b[1] + b[0] * a[1], a[1] * b[1]]);

function reduced([numerator, denominator]) {
  let [a, b] = [numerator, denominator];
  while (b) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
}
