/** The fixed public order in which AGR numbers cells before it hashes them; docs/wire.md says why, and what each step is. */
const ROUND_KEYS = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89]; // of pi
/** The number of the vector of t base-g digits that stands for a cell: a Feistel network over its digits, the same steps for every cell. */
export function placeOfCell(cell, sides, digits) {
    if (digits === 1)
        return cell;
    const half = Math.floor(digits / 2);
    const [below, above] = [sides ** half, sides ** (digits - half)];
    let [high, low] = [Math.floor(cell / below), cell % below];
    ROUND_KEYS.forEach((key, number) => {
        if (number % 2 === 0)
            low = (low + round(high, key, below)) % below;
        else
            high = (high + round(low, key, above)) % above;
    });
    return high * below + low;
}
/** A number below `size` that looks as if it were drawn; `size` is below 2^29, so that products are exact. */
function round(x, key, size) {
    let word = (x + key) | 0;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return Math.floor((((word ^ (word >>> 16)) >>> 8) * size) / 2 ** 24);
}
