/**
 * The only door to entropy: the twin of untold/randomness.py, draw for draw.
 *
 * Every draw consumes one 64-bit word, whatever its outcome; a word in the last, incomplete stretch of the range is drawn again, which
 * happens less than once in 2^32 draws and depends on nothing but the word itself.
 */
import { webcrypto } from "./webcrypto.js";
import { WORD, divide, isLess, numberOf, subtract, wordOf, wordOfNumber } from "./word.js";
const ONES = wordOf(WORD - 1n);
/** `copies` dice with `sides` offsets each: offset 0 has weight `heavy`, each other one weight `light`. The integers are the plan's. */
export class Dice {
    sides;
    copies;
    heavy;
    light;
    stretch; // weight of one die
    limit; // weight of all of them: words from here on are drawn again
    constructor(heavy, light, sides, copies) {
        this.sides = sides;
        this.copies = copies;
        const stretch = heavy + light * BigInt(sides - 1);
        [this.heavy, this.light, this.stretch] = [wordOf(heavy), wordOf(light), wordOf(stretch)];
        this.limit = wordOf(stretch * BigInt(copies));
    }
}
/** Five draws that mechanisms are made of. */
export class Randomness {
    insecure = true; // unless a source is known to be secure
    /** Uniform among 0..n-1: w // floor((2^64 - 1) / n), words beyond the last full stretch drawn again. */
    below(n) {
        const { quotient: stretch, remainder } = divide(ONES, wordOfNumber(n));
        const limit = new Uint16Array(4); // n * stretch
        subtract(ONES, remainder, limit);
        return numberOf(divide(this.until(limit), stretch).quotient);
    }
    /** 1 with probability weight / 2^64, else 0. */
    chance(weight) {
        return isLess(this.word(), weight);
    }
    /** The first index whose cumulative weight exceeds a uniform word. Which view is chosen is public: it is part of the report. */
    choose(cumulative) {
        const word = this.word();
        let [low, high] = [0, cumulative.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (isLess(word, cumulative[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    /** Which of the dice, and its offset. No branch: truth and lie take one path. */
    tilted(dice) {
        const { quotient, remainder } = divide(this.until(dice.limit), dice.stretch);
        const truth = subtract(remainder, dice.heavy, remainder); // 1 if the rest of the word lies below `heavy`
        for (let i = 0; i < 4; i++)
            remainder[i] &= truth - 1;
        return { copy: numberOf(quotient), offset: (1 - truth) * (1 + numberOf(divide(remainder, dice.light).quotient)) };
    }
    until(limit) {
        let word = this.word();
        while (!isLess(word, limit))
            word = this.word();
        return word;
    }
}
/** The generator of the browser or of Node. Nothing is kept between two calls: nothing to leak or replay. */
export class Secure extends Randomness {
    insecure = false;
    word() {
        return webcrypto.getRandomValues(new Uint16Array(4));
    }
}
