/** Attributes of a service: what a value may be, and its code. The twin of untold/plan/schema/kinds. */
import { readClasses } from "./classes.js";
import { Clipped, asideOf } from "./clipped.js";
import { readCalendar } from "./dates.js";
import { readDecimals } from "./decimals.js";
import { BadRecord } from "./errors.js";
import { OrMissing } from "./or_missing.js";
import { readText } from "./texts.js";
import { plain, show } from "./words.js";
const MAX_DOMAIN = 2 ** 20; // coded values of one attribute
const SHOWN = 8; // values that fit into a sentence
/** Whether it refuses nothing, so that nobody falls silent. */
export function isTotal({ total = false }) {
    return total;
}
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
    /** 31.5 is 31. */
    aside(value) {
        const number = numberOf(value);
        return asideOf(number === null ? null : Math.floor(number), this.low, this.high);
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
    aside(value) {
        return asideOf(numberOf(value), this.low, this.high);
    }
    describe() {
        const step = (this.high - this.low) / this.bins;
        const apart = Number.isInteger(step) ? plain(step) : String(Number(step.toPrecision(6)));
        return `numbers ${plain(this.low)}..${plain(this.high)} on ${this.size} knots, ${apart} apart`;
    }
}
/** The number that a value is; null for everything else, texts too. */
export function numberOf(value) {
    return typeof value === "number" || typeof value === "bigint" ? Number(value) + 0 : null;
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
/** One of a list of strings, integers or booleans; the code of a value is its place in the list. With `other` the list has one more text at
 * its end, and whatever is not listed is that. */
class Listed {
    name;
    values;
    places;
    rounds = false;
    total;
    codes;
    size;
    /** `places` has the value of every code; of copies, the first one counts. */
    constructor(name, values, places = values, other = false) {
        this.name = name;
        this.values = values;
        this.places = places;
        this.total = other;
        this.size = places.length;
        this.codes = new Map(places.map((value, code) => [value, code]).reverse());
    }
    /** true is not 1, and "1" is neither. */
    position(value) {
        const code = this.codes.get(typeof value === "bigint" ? Number(value) : value);
        if (code === undefined && this.total)
            return [this.codes.get(this.values.at(-1)), 0];
        if (code === undefined) {
            throw new BadRecord(`${this.name} = ${show(value)} is not in the plan; allowed is ${this.describe()}. Map it to one of these or leave the record out.`);
        }
        return [code, 0];
    }
    describe() {
        const shown = this.values.slice(0, SHOWN).map((value) => (typeof value === "boolean" ? String(value) : show(value)));
        return `one of ${shown.join(", ")}${this.values.length > SHOWN ? `, ... (${this.values.length} values)` : ""}`;
    }
}
/** One of a list of names, without an order. */
export class Categorical extends Listed {
    kind = "categorical";
    role = "sensitive";
}
/** One of a list of names, some of which questions do not tell apart: each group has as many places as the largest, filled up by its last value. */
export class Grouped extends Categorical {
    many;
    constructor(name, values, groups, other = false) {
        const groupOf = new Map(groups.flatMap((group) => group.map((value) => [value, group])));
        const ordered = [...new Set(values.map((value) => groupOf.get(value) ?? [value]))];
        const places = Math.max(...groups.map((group) => group.length));
        super(name, values, ordered.flatMap((group) => Array.from({ length: places }, (_, i) => group[Math.min(i, group.length - 1)])), other);
        this.many = ordered.length;
    }
    describe() {
        return `${super.describe()}, in ${this.many} group${this.many > 1 ? "s" : ""}`;
    }
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
    categorical: (name, declared) => (declared.has("groups") ? readGrouped(name, declared) : new Categorical(name, readValues(declared), undefined, declared.has("other"))),
    date: (name, declared) => readCalendar("date", name, declared, MAX_DOMAIN),
    timestamp: (name, declared) => readCalendar("timestamp", name, declared, MAX_DOMAIN),
    text: (name, declared) => readText(name, declared, MAX_DOMAIN),
    public: (name) => new Public(name),
    each: (name, declared) => new Each(name, readValues(declared), undefined, declared.has("other")),
};
/** The attribute whose texts are looked for, if it is one. */
export function searched(attribute) {
    const own = attribute instanceof OrMissing ? attribute.inner : attribute;
    return own !== undefined && own.kind === "text" && "letters" in own && own.letters !== null ? own : null;
}
/** An attribute from its declaration. */
export function readAttribute(name, declared) {
    const kind = declared.text("kind");
    const read = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    const found = read === undefined ? declared.fail(`'${kind}' is not a known kind; update untold-client`) : read(name, declared);
    const attribute = declared.has("clip") && declared.flag("clip") ? clipped(found, declared) : found;
    return declared.has("missing") && declared.flag("missing") && attribute.role === "sensitive" ? new OrMissing(attribute) : attribute;
}
function clipped(attribute, declared) {
    const made = "aside" in attribute ? new Clipped(attribute) : declared.fail("'clip' is for numbers and dates");
    return made.size <= MAX_DOMAIN ? made : declared.fail(`more than ${MAX_DOMAIN} values with those at both ends`);
}
function readValues(declared) {
    const values = declared.list("values");
    const type = typeof values[0];
    const sound = values.every((each) => typeof each === type && (type === "string" || type === "boolean" || Number.isSafeInteger(each)));
    if (!sound || values.length < 2 || values.length > MAX_DOMAIN || new Set(values).size !== values.length) {
        return declared.fail("'values' must be two or more different strings, integers or booleans");
    }
    if (!declared.has("other"))
        return values;
    const other = declared.text("other");
    if (type !== "string" || values.includes(other) || values.length === MAX_DOMAIN)
        declared.fail("'other' must be a further text beside a list of texts");
    return [...values, other];
}
function readGrouped(name, declared) {
    const [values, groups] = [readValues(declared), declared.list("groups")];
    const sound = groups.length > 0 && groups.every((group) => Array.isArray(group) && group.length >= 2);
    const named = groups.flat();
    if (!sound || !named.every((value) => values.includes(value)) || new Set(named).size !== named.length) {
        return declared.fail("'groups' must be lists of two or more of the values, each value in one of them");
    }
    const made = new Grouped(name, values, groups, declared.has("other"));
    return made.size <= MAX_DOMAIN ? made : declared.fail(`'groups' of very different sizes need more than ${MAX_DOMAIN} places`);
}
function readOrdinal(name, declared) {
    if (declared.has("cuts"))
        return readClasses(name, declared, MAX_DOMAIN);
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
