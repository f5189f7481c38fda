/** Decimal numbers with a fixed number of digits behind the point. The twin of untold/plan/schema/kinds/decimals.py. */
import { asideOf } from "./clipped.js";
import { BadRecord } from "./errors.js";
import { show } from "./words.js";
export const MOST_DIGITS = 9;
const TEXT = /^([+-]?)([0-9]{1,30})(?:\.([0-9]{1,30}))?$/;
/** number * 10^digits where the number is the double nearest to such a decimal, as 0.1 is; null for others. */
export function wholeOf(number, digits) {
    const scale = 10 ** digits;
    const units = Math.abs(number) * scale <= Number.MAX_SAFE_INTEGER ? Math.round(number * scale) : 0;
    return units / scale === number ? units + 0 : null;
}
function fromText(text, digits) {
    const [, sign = "", before = "", behind = ""] = TEXT.exec(text) ?? [, "", ""];
    if (before === "" || /[1-9]/.test(behind.slice(digits)))
        return null;
    const units = Number(before + behind.slice(0, digits).padEnd(digits, "0"));
    return sign === "-" ? 0 - units : units;
}
/** value * 10^digits of a text, an integer or a double with at most so many digits; null for all else. */
export function unitsOf(value, digits) {
    if (typeof value === "string")
        return fromText(value, digits);
    return typeof value === "bigint" || typeof value === "number" ? wholeOf(Number(value), digits) : null;
}
/** The number with so many digits at or below a value; null if it is no number. */
export function roundedDown(value, digits) {
    const scale = 10 ** digits;
    if (typeof value === "bigint" || typeof value === "number")
        return Math.floor(Number(value) * scale) / scale;
    const found = typeof value === "string" ? TEXT.exec(value) : null;
    if (found === null)
        return null;
    const [, sign = "", before = "", behind = ""] = found;
    const [units, more] = [Number(before + behind.slice(0, digits).padEnd(digits, "0")), /[1-9]/.test(behind.slice(digits))];
    return (sign === "-" ? 0 - units - Number(more) : units) / scale;
}
/** Numbers low..high: code = (value - low) * 10^digits. */
export class Decimals {
    name;
    low;
    high;
    digits;
    first;
    size;
    kind = "ordinal";
    role = "sensitive";
    rounds = false;
    constructor(name, low, high, digits, first, size) {
        this.name = name;
        this.low = low;
        this.high = high;
        this.digits = digits;
        this.first = first;
        this.size = size;
    }
    position(value) {
        const units = unitsOf(value, this.digits);
        const said = `${this.name} = ${show(value)}`;
        if (units === null) {
            throw new BadRecord(`${said} is not a number with at most ${this.digits} digits behind the point; allowed are ${this.describe()}. Round it.`);
        }
        if (units < this.first || units - this.first >= this.size) {
            throw new BadRecord(`${said} is not in the plan; allowed are ${this.describe()}. Clip the value or leave the record out.`);
        }
        return [units - this.first, 0];
    }
    /** 3.147 with two digits is 3.14. */
    aside(value) {
        return asideOf(roundedDown(value, this.digits), this.low, this.high);
    }
    describe() {
        return `numbers ${this.low.toFixed(this.digits)}..${this.high.toFixed(this.digits)} with ${this.digits} digits behind the point`;
    }
}
/** From its declaration, at most `most` values. */
export function readDecimals(name, declared, most) {
    const digits = declared.whole("digits", 1, MOST_DIGITS);
    const [low, high] = ["low", "high"].map((key) => declared.number(key, -Number.MAX_VALUE, Number.MAX_VALUE));
    const [first, last] = [low, high].map((each) => wholeOf(each, digits) ?? declared.fail(`'low' and 'high' must have at most ${digits} digits`));
    if (first >= last || last - first >= most)
        declared.fail(`'low' must be below 'high', at most ${most} values apart`);
    return new Decimals(name, low, high, digits, first, last - first + 1);
}
