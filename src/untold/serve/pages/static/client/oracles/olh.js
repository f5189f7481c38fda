/** Optimized local hashing, with a seed in every report. */
import { nearestSides, tilt } from "../exact.js";
import { Dice } from "../randomness.js";
import { WORD, bigOf } from "../word.js";
import { checkedInteger, checkedWeights } from "./oracle.js";
const MOST_SIDES = 1n << 16n;
const NARROW_CELLS = 2 ** 16; // up to here 32-bit arithmetic is as good as 64-bit
/**
 * A hash function drawn afresh, and GRR over the g values of the hashed cell. Multiply-shift, H(x) = (h g) >> 32:
 *
 *     width 64    h = ((a x + b) mod 2^64) >> 32
 *     width 32    h = (a x + b) mod 2^32
 *
 * Cells of w > 32 bits leave h the 65 - w top bits of a word of 64.
 */
export class OLH {
    cells;
    nano;
    name = "olh";
    width;
    indexes; // g
    dice;
    hashBits;
    constructor(cells, nano, frozen) {
        this.cells = cells;
        this.nano = nano;
        const nearest = nearestSides(nano);
        const sides = nearest < MOST_SIDES ? nearest : MOST_SIDES;
        this.indexes = checkedInteger(frozen, "sides", sides);
        this.width = checkedInteger(frozen, "width", cells <= NARROW_CELLS ? 32n : 64n);
        this.hashBits = Math.min(32, 65 - BigInt(cells - 1).toString(2).length);
        this.dice = new Dice(...checkedWeights(frozen, tilt(nano, sides, WORD - 1n)), this.indexes, 1);
    }
    encode(cell, rng) {
        const first = rng.word(); // width 32: both halves of one word
        const [a, b] = this.width === 32 ? [first.subarray(0, 2), first.subarray(2)] : [first, rng.word()];
        const { offset } = rng.tilted(this.dice);
        return { index: (bucket(cell, a, b, this.indexes, this.hashBits) + offset) % this.indexes, extra: [bigOf(a), bigOf(b)] };
    }
}
/** The top `bits` (at most 32) of a * cell + b in words as wide as a and b, scaled down to 0..sides-1. */
function bucket(cell, a, b, sides, bits) {
    const [low, high] = [cell & 0xffff, Math.floor(cell / 65536)];
    const sum = new Uint16Array(a.length);
    let carry = 0; // below 2^49: numbers are exact to 2^53
    for (let i = 0; i < a.length; i++) {
        carry += a[i] * low + (i ? a[i - 1] * high : 0) + b[i];
        sum[i] = carry % 65536;
        carry = Math.floor(carry / 65536);
    }
    const hash = Math.floor((sum[a.length - 1] * 65536 + sum[a.length - 2]) / 2 ** (32 - bits));
    return Math.floor((hash * sides) / 2 ** bits);
}
