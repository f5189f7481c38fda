/**
 * The only door to entropy: the twin of untold/randomness.py, draw for draw.
 *
 * Every draw consumes one 64-bit word, whatever its outcome; a word in the last, incomplete stretch of the range is drawn again, which
 * happens less than once in 2^32 draws and depends on nothing but the word itself.
 */

import { webcrypto } from "./webcrypto.js";
import { type Word, WORD, divide, isLess, numberOf, subtract, wordOf, wordOfNumber } from "./word.js";

const ONES = wordOf(WORD - 1n);

/** `copies` dice with `sides` offsets each: offset 0 has weight `heavy`, each other one weight `light`. The integers are the plan's. */
export class Dice {
  readonly heavy: Word;
  readonly light: Word;
  readonly stretch: Word; // weight of one die
  readonly limit: Word; // weight of all of them: words from here on are drawn again

  constructor(
    heavy: bigint,
    light: bigint,
    readonly sides: number,
    readonly copies: number,
  ) {
    const stretch = heavy + light * BigInt(sides - 1);
    [this.heavy, this.light, this.stretch] = [wordOf(heavy), wordOf(light), wordOf(stretch)];
    this.limit = wordOf(stretch * BigInt(copies));
  }
}

/** Five draws that mechanisms are made of. */
export abstract class Randomness {
  readonly insecure: boolean = true; // unless a source is known to be secure

  /** 64 uniform bits. */
  abstract word(): Word;

  /** Uniform among 0..n-1: w // floor((2^64 - 1) / n), words beyond the last full stretch drawn again. */
  below(n: number): number {
    const { quotient: stretch, remainder } = divide(ONES, wordOfNumber(n));
    const limit = new Uint16Array(4); // n * stretch
    subtract(ONES, remainder, limit);
    return numberOf(divide(this.until(limit), stretch).quotient);
  }

  /** 1 with probability weight / 2^64, else 0. */
  chance(weight: Word): number {
    return isLess(this.word(), weight);
  }

  /** The first index whose cumulative weight exceeds a uniform word. Which view is chosen is public: it is part of the report. */
  choose(cumulative: readonly Word[]): number {
    const word = this.word();
    let [low, high] = [0, cumulative.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLess(word, cumulative[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Which of the dice, and its offset. No branch: truth and lie take one path. */
  tilted(dice: Dice): { copy: number; offset: number } {
    const { quotient, remainder } = divide(this.until(dice.limit), dice.stretch);
    const truth = subtract(remainder, dice.heavy, remainder); // 1 if the rest of the word lies below `heavy`
    for (let i = 0; i < 4; i++) remainder[i]! &= truth - 1;
    return { copy: numberOf(quotient), offset: (1 - truth) * (1 + numberOf(divide(remainder, dice.light).quotient)) };
  }

  private until(limit: Word): Word {
    let word = this.word();
    while (!isLess(word, limit)) word = this.word();
    return word;
  }
}

/** The generator of the browser or of Node. Nothing is kept between two calls: nothing to leak or replay. */
export class Secure extends Randomness {
  override readonly insecure = false;

  word(): Word {
    return webcrypto.getRandomValues(new Uint16Array(4));
  }
}
