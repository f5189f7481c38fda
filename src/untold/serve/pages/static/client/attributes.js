/** Attributes of a service: what a value may be, and its code. The twin of untold/schema/kinds. */
import { readCalendar } from "./dates.js";
import { readDecimals } from "./decimals.js";
import { BadRecord } from "./errors.js";
import { OrMissing } from "./or_missing.js";
import { plain, show } from "./words.js";
const MAX_DOMAIN = 2 ** 20; // coded values of one attribute
const SHOWN = 8; // values that fit into a sentence
/** Integers low..high: code = value - low. */
export class Ordinal {
    name;
    low;
    high;
    kind = "ordinal";
    role = "sensitive";
    rounds = false;
    constructor(name, low, high) {
        this.name = name;
        this.low = low;
        this.high = high;
    }
    get size() {
        return this.high - this.low + 1;
    }
    position(value) {
        const number = inside(this, value);
        if (!Number.isInteger(number)) {
            throw new BadRecord(`${this.name} = ${show(value)} is not an integer; allowed are ${this.describe()}. Round it, or give the attribute bins in the plan.`);
        }
        return [number - this.low, 0];
    }
    describe() {
        return `integers ${plain(this.low)}..${plain(this.high)}`;
    }
}
/** Any number from low to high, on a grid of bins + 1 knots. */
export class Knots {
    name;
    low;
    high;
    bins;
    kind = "ordinal";
    role = "sensitive";
    rounds = true;
    constructor(name, low, high, bins) {
        this.name = name;
        this.low = low;
        this.high = high;
        this.bins = bins;
    }
    get size() {
        return this.bins + 1;
    }
    /** x = (value - low) / step, i = floor(x), f = x - i: the same double operations as in Python. */
    position(value) {
        const number = inside(this, value);
        const x = (number - this.low) / ((this.high - this.low) / this.bins);
        const below = Math.floor(x);
        return number === this.high || below >= this.bins ? [this.bins, 0] : [below, x - below];
    }
    describe() {
        const step = (this.high - this.low) / this.bins;
        const apart = Number.isInteger(step) ? plain(step) : String(Number(step.toPrecision(6)));
        return `numbers ${plain(this.low)}..${plain(this.high)} on ${this.size} knots, ${apart} apart`;
    }
}
/** The value as a number from low to high. */
function inside(attribute, value) {
    const said = `${attribute.name} = ${show(value)}`;
    if (typeof value !== "number" && typeof value !== "bigint")
        throw new BadRecord(`${said} is not a number; allowed are ${attribute.describe()}.`);
    const number = Number(value) + 0; // no negative zero
    if (!(attribute.low <= number && number <= attribute.high)) {
        throw new BadRecord(`${said} is not in the plan; allowed are ${attribute.describe()}. Clip the value or leave the record out.`);
    }
    return number;
}
/** One of a list of strings, integers or booleans; the code of a value is its place in the list. */
class Listed {
    name;
    values;
    rounds = false;
    codes;
    constructor(name, values) {
        this.name = name;
        this.values = values;
        this.codes = new Map(values.map((value, code) => [value, code]));
    }
    get size() {
        return this.values.length;
    }
    /** true is not 1, and "1" is neither. */
    position(value) {
        const code = this.codes.get(typeof value === "bigint" ? Number(value) : value);
        if (code === undefined) {
            throw new BadRecord(`${this.name} = ${show(value)} is not in the plan; allowed is ${this.describe()}. Map it to one of these or leave the record out.`);
        }
        return [code, 0];
    }
    describe() {
        const shown = this.values.slice(0, SHOWN).map((value) => (typeof value === "boolean" ? String(value) : show(value)));
        return `one of ${shown.join(", ")}${this.size > SHOWN ? `, ... (${this.size} values)` : ""}`;
    }
}
/** One of a list of names, without an order. */
export class Categorical extends Listed {
    kind = "categorical";
    role = "sensitive";
}
/** A short list of known things, such as products: everybody sends reports about every one of them, so which one a report is about is no secret. */
export class Each extends Listed {
    kind = "each";
    role = "each";
}
/** Stored as it is, beside the report: it costs no epsilon and gets no protection. */
export class Public {
    name;
    kind = "public";
    role = "public";
    constructor(name) {
        this.name = name;
    }
    describe() {
        return "public, any value";
    }
}
/** How the table of each kind is read. A new kind is a class and a line here. */
const KINDS = {
    ordinal: readOrdinal,
    categorical: (name, declared) => new Categorical(name, readValues(declared)),
    date: (name, declared) => readCalendar("date", name, declared, MAX_DOMAIN),
    timestamp: (name, declared) => readCalendar("timestamp", name, declared, MAX_DOMAIN),
    public: (name) => new Public(name),
    each: (name, declared) => new Each(name, readValues(declared)),
};
/** An attribute from its declaration. */
export function readAttribute(name, declared) {
    const kind = declared.text("kind");
    const read = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    const attribute = read === undefined ? declared.fail(`'${kind}' is not a known kind; update untold-client`) : read(name, declared);
    return declared.has("missing") && declared.flag("missing") && attribute.role === "sensitive" ? new OrMissing(attribute) : attribute;
}
function readValues(declared) {
    const values = declared.list("values");
    const type = typeof values[0];
    const sound = values.every((each) => typeof each === type && (type === "string" || type === "boolean" || Number.isSafeInteger(each)));
    if (!sound || values.length < 2 || values.length > MAX_DOMAIN || new Set(values).size !== values.length) {
        return declared.fail("'values' must be two or more different strings, integers or booleans");
    }
    return values;
}
function readOrdinal(name, declared) {
    if (declared.has("digits"))
        return readDecimals(name, declared, MAX_DOMAIN);
    const bins = declared.has("bins") ? declared.whole("bins", 1, MAX_DOMAIN - 1) : null;
    const most = bins === null ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
    const [low, high] = [declared.number("low", -most, most), declared.number("high", -most, most)];
    if (!(low < high) || !Number.isFinite(high - low))
        declared.fail("'low' must be below 'high'");
    if (bins === null && !(Number.isInteger(low) && Number.isInteger(high) && high - low < MAX_DOMAIN)) {
        declared.fail(`'low' and 'high' must be integers, at most ${MAX_DOMAIN} values apart`);
    }
    return bins === null ? new Ordinal(name, low, high) : new Knots(name, low, high, bins);
}
