/** Numbers in classes, each kept as its class and a random bit. The twin of untold/plan/schema/kinds/classes.py. */
import { asideOf } from "./clipped.js";
import { MOST_DIGITS, roundedDown, unitsOf, wholeOf } from "./decimals.js";
import { BadRecord } from "./errors.js";
import { plain, show } from "./words.js";
const FINEST = 2 ** 10; // units in the last place that two limits must be apart
const MOST_PARTS = 64;
const SHOWN = 8;
/**
 * The code of a number is twice the number of its part, and a bit that is drawn: 1 with probability (number - start) / (end - start).
 * Without parts, a class is one part.
 */
export class Classes {
    name;
    low;
    high;
    cuts;
    digits;
    parts;
    kind = "ordinal";
    role = "sensitive";
    rounds = true;
    halves = true;
    pieces; // that hold a number
    constructor(name, low, high, cuts, digits, parts) {
        this.name = name;
        this.low = low;
        this.high = high;
        this.cuts = cuts;
        this.digits = digits;
        this.parts = parts;
        const limits = [low, ...cuts, high];
        const cutClass = digits === null ? cutAny : cutUnits(digits);
        this.pieces = limits.slice(1).flatMap((end, i) => cutClass(limits[i], end, parts, i === cuts.length).map(([from, to], part) => [from, to, i * parts + part]));
    }
    get size() {
        return 2 * (this.cuts.length + 1) * this.parts;
    }
    /** The number that a code stands for in sums: an end of its part; of a part that holds nobody, the end of the one before it. */
    value(code) {
        const [start, end, at] = this.pieces.filter((piece) => piece[2] <= code >> 1).at(-1);
        return at < code >> 1 || code % 2 ? end : start;
    }
    /** The same double operations as in Python. */
    position(value) {
        const number = this.inside(value);
        const [start, end, at] = this.pieceOf(number);
        const x = end > start ? 2 * at + (number - start) / (end - start) : 2 * at;
        const below = Math.floor(x);
        return [below, x - below];
    }
    /** With `digits` only, as decimals are; texts are no integers. */
    aside(value) {
        const number = typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
        const down = this.digits === null ? number : roundedDown(this.digits === 0 ? number : value, this.digits);
        return asideOf(down, this.low, this.high);
    }
    /** The last part that begins at or below a number. */
    pieceOf(number) {
        let [low, high] = [0, this.pieces.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.pieces[middle][0] <= number)
                low = middle;
            else
                high = middle - 1;
        }
        return this.pieces[low];
    }
    inside(value) {
        const said = `${this.name} = ${show(value)}`;
        let number;
        if (this.digits === null) {
            if (typeof value !== "number" && typeof value !== "bigint")
                throw new BadRecord(`${said} is not a number; allowed are ${this.describe()}.`);
            number = Number(value) + 0; // no negative zero
        }
        else {
            const units = unitsOf(this.digits === 0 && typeof value === "string" ? null : value, this.digits);
            if (units === null)
                throw new BadRecord(`${said} is not a number with at most ${this.digits} digits behind the point; allowed are ${this.describe()}. Round it.`);
            number = units / 10 ** this.digits;
        }
        if (!(this.low <= number && number <= this.high)) {
            throw new BadRecord(`${said} is not in the plan; allowed are ${this.describe()}. Clip the value or leave the record out.`);
        }
        return number;
    }
    describe() {
        const behind = this.digits ? ` with ${this.digits} digits behind the point` : "";
        return `${this.digits === 0 ? "integers" : "numbers"} ${plain(this.low)}..${plain(this.high)}${behind} ${this.classesInWords()}`;
    }
    classesInWords() {
        const parts = this.parts > 1 ? `${this.parts} parts` : "";
        if (!this.cuts.length)
            return `in one class${parts && ` of ${parts}`}`;
        const shown = this.cuts.slice(0, SHOWN).map(plain).join(", ") + (this.cuts.length > SHOWN ? ", ..." : "");
        return `in ${this.cuts.length + 1} classes${parts && ` of ${parts} each`}, cut at ${shown}`;
    }
}
/** Equal parts of a class of any numbers. */
function cutAny(low, high, parts, last) {
    const starts = Array.from({ length: parts }, (_, part) => low + (part * (high - low)) / parts);
    return starts.map((start, part) => [start, part + 1 < parts ? doubleBelow(starts[part + 1]) : last ? high : doubleBelow(high)]);
}
/** Parts of a class of decimals, equal to one unit; fewer of them where there are fewer numbers. */
function cutUnits(digits) {
    return (low, high, most, last) => {
        const first = wholeOf(low, digits);
        const units = wholeOf(high, digits) - first + (last ? 1 : 0);
        const parts = Math.min(most, units);
        const [each, rest] = [Math.floor(units / parts), units % parts]; // part * units may be beyond 2^53
        const starts = Array.from({ length: parts + 1 }, (_, part) => first + part * each + Math.floor((part * rest) / parts));
        return starts.slice(1).map((after, part) => [starts[part] / 10 ** digits, (after - 1) / 10 ** digits]);
    };
}
/** From its declaration, at most `most` codes. */
export function readClasses(name, declared, most) {
    const digits = declared.has("digits") ? declared.whole("digits", 0, MOST_DIGITS) : null;
    const [low, high] = ["low", "high"].map((key) => declared.number(key, -Number.MAX_VALUE, Number.MAX_VALUE));
    const cuts = declared.list("cuts");
    const parts = declared.has("parts") ? declared.whole("parts", 1, MOST_PARTS) : 1;
    if (Math.log2(parts) % 1)
        declared.fail("'parts' must be a power of two");
    if (declared.has("rounded"))
        declared.flag("rounded"); // a matter of the design: which views there are
    if (declared.has("bins"))
        declared.fail("'bins' and 'cuts' at once");
    if (2 * (cuts.length + 1) * parts > most || !cuts.every((cut) => typeof cut === "number" && Number.isFinite(cut))) {
        declared.fail("'cuts' must be a list of numbers");
    }
    const limits = [low, ...cuts, high];
    const top = Math.max(Math.abs(low), Math.abs(high));
    const finest = digits === null ? FINEST * parts * (top - doubleBelow(top)) : 0;
    if (limits.some((limit, i) => i > 0 && !(limit - limits[i - 1] > 0 && limit - limits[i - 1] >= finest)))
        declared.fail("'cuts' must rise from 'low' to 'high'");
    if (digits !== null && limits.some((limit) => wholeOf(limit, digits) === null))
        declared.fail(`limits must have at most ${digits} digits behind the point`);
    return new Classes(name, low, high, cuts.map((cut) => cut + 0), digits, parts);
}
/** The next double towards minus infinity. */
function doubleBelow(number) {
    if (number === 0)
        return -Number.MIN_VALUE;
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    view.setBigInt64(0, view.getBigInt64(0) + (number > 0 ? -1n : 1n));
    return view.getFloat64(0);
}
