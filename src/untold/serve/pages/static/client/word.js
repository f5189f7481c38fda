/**
 * 64-bit words as four 16-bit digits, the lowest first, and the few operations that drawing needs.
 *
 * Every loop has a fixed length and no branch looks at a digit; all intermediate numbers stay below 2^18, so that an engine keeps them
 * as small integers. BigInt is used for what is public anyway: the integers of a plan.
 */
export const DIGIT = 0xffff;
export const WORD = 1n << 64n;
/** The word with this value, 0 <= value < 2^64. */
export function wordOf(value) {
    return Uint16Array.from([0n, 16n, 32n, 48n], (shift) => Number((value >> shift) & 0xffffn));
}
/** The value of a word. */
export function bigOf(word) {
    return word.reduceRight((total, digit) => (total << 16n) | BigInt(digit), 0n);
}
/** A whole number below 2^53 as a word. */
export function wordOfNumber(value) {
    const high = Math.floor(value / 2 ** 32);
    return Uint16Array.of(value & DIGIT, Math.floor(value / 2 ** 16) & DIGIT, high & DIGIT, high >>> 16);
}
/** A word below 2^53 as a number. */
export function numberOf(word) {
    return ((word[3] * 65536 + word[2]) * 65536 + word[1]) * 65536 + word[0];
}
/** floor(fraction 2^53) 2^11, for 0 <= fraction < 1: the weight, out of 2^64, of rounding up. */
export function weightOf(fraction) {
    const x = wordOfNumber(Math.floor(fraction * 2 ** 53));
    const shifted = new Uint16Array(4);
    for (let i = 3; i >= 0; i--)
        shifted[i] = (x[i] << 11) | ((i ? x[i - 1] : 0) >> 5);
    return shifted;
}
/** a - b modulo 2^64 into `out` (which may be a or b); returns 1 if a < b, else 0. */
export function subtract(a, b, out) {
    let borrow = 0;
    for (let i = 0; i < 4; i++) {
        const digit = a[i] - b[i] - borrow;
        out[i] = digit & DIGIT;
        borrow = (digit >> 16) & 1;
    }
    return borrow;
}
/** 1 if a < b, else 0. */
export function isLess(a, b) {
    let borrow = 0;
    for (let i = 0; i < 4; i++)
        borrow = ((a[i] - b[i] - borrow) >> 16) & 1;
    return borrow;
}
/** Quotient and remainder of a / b, b > 0, bit by bit: 64 rounds of shift and subtract, whatever the numbers are. */
export function divide(a, b) {
    const quotient = new Uint16Array(4);
    const b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    let r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    for (let bit = 63; bit >= 0; bit--) {
        r3 = (r3 << 1) | (r2 >> 15); // 17 bits
        r2 = ((r2 << 1) & DIGIT) | (r1 >> 15);
        r1 = ((r1 << 1) & DIGIT) | (r0 >> 15);
        r0 = ((r0 << 1) & DIGIT) | ((a[bit >> 4] >> (bit & 15)) & 1);
        const s0 = r0 - b0;
        const s1 = r1 - b1 + (s0 >> 16);
        const s2 = r2 - b2 + (s1 >> 16);
        const s3 = r3 - b3 + (s2 >> 16);
        const kept = s3 >> 31; // all ones if b does not fit, else 0
        r0 = (r0 & kept) | (s0 & DIGIT & ~kept);
        r1 = (r1 & kept) | (s1 & DIGIT & ~kept);
        r2 = (r2 & kept) | (s2 & DIGIT & ~kept);
        r3 = (r3 & kept) | (s3 & ~kept);
        quotient[bit >> 4] |= (1 + kept) << (bit & 15);
    }
    return { quotient, remainder: Uint16Array.of(r0, r1, r2, r3) };
}
