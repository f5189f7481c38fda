/** Reading a frozen plan, of which nothing is believed before it was looked at: every getter returns a sound value or refuses. */
import { PlanError } from "./errors.js";
export class Fields {
    data;
    path;
    constructor(data, path) {
        this.data = data;
        this.path = path;
    }
    /** The fields of an object. */
    static of(value, path) {
        if (typeof value !== "object" || value === null || Array.isArray(value))
            throw new PlanError(`${path}: an object is needed.`);
        return new Fields(value, path);
    }
    /** Refuse, naming this place. */
    fail(reason) {
        throw new PlanError(`${this.path}: ${reason}.`);
    }
    has(name) {
        return Object.hasOwn(this.data, name);
    }
    names() {
        return Object.keys(this.data);
    }
    inner(name) {
        return Fields.of(this.value(name), `${this.path}.${name}`);
    }
    list(name) {
        const value = this.value(name);
        return Array.isArray(value) ? value : this.fail(`'${name}' must be a list`);
    }
    objects(name) {
        return this.list(name).map((each, i) => Fields.of(each, `${this.path}.${name}[${i}]`));
    }
    text(name) {
        const value = this.value(name);
        return typeof value === "string" ? value : this.fail(`'${name}' must be a string`);
    }
    choice(name, allowed) {
        const value = this.text(name);
        return allowed.find((each) => each === value) ?? this.fail(`'${name}' must be one of ${allowed.join(", ")}`);
    }
    flag(name) {
        const value = this.value(name);
        return typeof value === "boolean" ? value : this.fail(`'${name}' must be true or false`);
    }
    number(name, low, high) {
        const value = this.value(name);
        return typeof value === "number" && value >= low && value <= high ? value : this.fail(`'${name}' must be a number in ${low}..${high}`);
    }
    whole(name, low, high) {
        const value = this.number(name, low, high);
        return Number.isSafeInteger(value) ? value : this.fail(`'${name}' must be an integer`);
    }
    wholes(name, low, high) {
        const sound = (each) => Number.isSafeInteger(each) && each >= low && each <= high;
        const values = this.list(name);
        return values.every(sound) ? values : this.fail(`'${name}' must be integers in ${low}..${high}`);
    }
    /** An integer that may be beyond 2^53, written as a string. */
    big(name) {
        const value = this.value(name);
        return typeof value === "string" && /^(0|[1-9][0-9]{0,39})$/.test(value) ? BigInt(value) : this.fail(`'${name}' must be an integer in quotes`);
    }
    value(name) {
        return this.has(name) ? this.data[name] : this.fail(`'${name}' is missing`);
    }
}
