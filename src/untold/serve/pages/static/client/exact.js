/** Integer arithmetic of privacy: the twin of untold/exact.py. Everything here is public. */
export const NANO = 10n ** 9n;
const PRECISION = 192n; // bits after the binary point in lower bounds of e^x
/** A decimal number as it was written (1.5, 2e-7), in billionths, rounded down. */
export function toNano(epsilon) {
    const { digits, exponent } = decimal(epsilon);
    const shift = exponent + 9;
    return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}
/** digits * 10^exponent for the shortest decimal that reads back as this double. */
function decimal(value) {
    const [mantissa = "", power = "0"] = value.toExponential().split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
/** A lower bound of e^(nano / 10^9), over 2^192: Taylor's series with every term rounded down. */
export function expAtMost(nano) {
    let term = 1n << PRECISION;
    let total = term;
    for (let n = 1n; term > 0n; n++) {
        term = (term * nano) / (n * NANO);
        total += term;
    }
    return total;
}
const bounds = new Map(); // of the few epsilons of a plan
/**
 * Weights [heavy, light] with heavy + (sides - 1) * light = total and heavy / light <= e^epsilon, as near as integers get.
 *
 *     light = ceil(total / (e^eps + sides - 1))        heavy = total - (sides - 1) * light
 */
export function tilt(nano, sides, total) {
    if (sides === 1n)
        return [total, total];
    const bound = bounds.get(nano) ?? expAtMost(nano);
    bounds.set(nano, bound);
    const divisor = bound + ((sides - 1n) << PRECISION);
    const light = ((total << PRECISION) + divisor - 1n) / divisor;
    return [total - (sides - 1n) * light, light];
}
/** g of local hashing: the whole number nearest to e^eps + 1. */
export function nearestSides(nano) {
    return (2n * expAtMost(nano) + (3n << PRECISION)) / (2n << PRECISION);
}
