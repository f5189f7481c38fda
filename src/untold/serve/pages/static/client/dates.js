/** Kinds `date` and `timestamp`: days and times, rounded down to a step of the calendar. The twin of untold/plan/schema/kinds/dates.py. */
import { ABOVE, BELOW } from "./clipped.js";
import { BadRecord } from "./errors.js";
import { show } from "./words.js";
const DATE_STEPS = new Map([
    ["day", { clock: "days", per: 1, shift: 0 }],
    ["week", { clock: "days", per: 7, shift: 3 }], // from Monday
    ["month", { clock: "months", per: 1, shift: 0 }],
    ["quarter", { clock: "months", per: 3, shift: 0 }],
    ["year", { clock: "months", per: 12, shift: 0 }],
]);
const STEPS = new Map([
    ["second", { clock: "seconds", per: 1, shift: 0 }],
    ["minute", { clock: "seconds", per: 60, shift: 0 }],
    ["hour", { clock: "seconds", per: 3600, shift: 0 }],
    ...DATE_STEPS,
]);
const ISO = /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.[0-9]{1,9})?)?(Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$/;
const DAY = 86_400;
const [FIRST, LAST] = [-62_135_596_800, 253_402_300_799]; // seconds of the years 1 to 9999
/** Seconds since 1970-01-01 in UTC, of a Date or an ISO text; null for everything else. */
function secondsOf(value) {
    const seconds = value instanceof Date ? Math.floor(value.getTime() / 1000) : typeof value === "string" ? fromText(value) : null;
    return seconds !== null && seconds >= FIRST && seconds <= LAST ? seconds : null;
}
function fromText(text) {
    const found = ISO.exec(text);
    if (found === null)
        return null;
    const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day); // Date.UTC would take the year 26 for 1926
    if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
        return null;
    return date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetOf(found[7]);
}
/** Seconds that a zone is ahead of UTC. */
function offsetOf(zone) {
    if (zone === undefined || zone === "Z")
        return 0;
    const digits = zone.replace(":", "");
    return (digits.startsWith("-") ? -1 : 1) * (Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3)) * 60);
}
function numberOf({ clock, per, shift }, seconds) {
    const date = new Date(seconds * 1000);
    const now = clock === "seconds" ? seconds : clock === "days" ? Math.floor(seconds / DAY) : date.getUTCFullYear() * 12 + date.getUTCMonth();
    return Math.floor((now + shift) / per);
}
/** Steps from `low` to `high`. A Date is an instant, read in UTC; a text without a zone is read as it is. */
export class Calendar {
    kind;
    name;
    low;
    high;
    step;
    unit;
    first;
    size;
    role = "sensitive";
    rounds = false;
    constructor(kind, name, low, high, step, unit, first, size) {
        this.kind = kind;
        this.name = name;
        this.low = low;
        this.high = high;
        this.step = step;
        this.unit = unit;
        this.first = first;
        this.size = size;
    }
    position(value) {
        const [seconds, said] = [secondsOf(value), `${this.name} = ${show(value)}`];
        if (seconds === null) {
            const example = this.kind === "date" ? "2026-01-31" : "2026-01-31T12:00:00";
            throw new BadRecord(`${said} is not a ${this.kind}; allowed are ${this.describe()}. Write it like ${example}.`);
        }
        const code = numberOf(this.unit, seconds) - this.first;
        if (code < 0 || code >= this.size) {
            throw new BadRecord(`${said} is not in the plan; allowed are ${this.describe()}. Clip the value or leave the record out.`);
        }
        return [code, 0];
    }
    /** By its step; what is no time is below. */
    aside(value) {
        const seconds = secondsOf(value);
        return seconds !== null && numberOf(this.unit, seconds) >= this.first ? ABOVE : BELOW;
    }
    describe() {
        return `${this.step}s ${this.low.replace("T", " ")}..${this.high.replace("T", " ")}`;
    }
}
/** From its declaration, at most `most` steps. */
export function readCalendar(kind, name, declared, most) {
    const [low, high, word] = [declared.text("low"), declared.text("high"), declared.text("step")];
    const step = (kind === "date" ? DATE_STEPS : STEPS).get(word) ?? declared.fail(`'${word}' is not a known step; update untold-client`);
    const [first, last] = [secondsOf(low), secondsOf(high)].map((each) => (each === null ? declared.fail(`'low' and 'high' must be a ${kind}`) : numberOf(step, each)));
    if (first >= last || last - first >= most)
        declared.fail(`'low' must be before 'high', at most ${most} steps`);
    return new Calendar(kind, name, low, high, word, step, first, last - first + 1);
}
