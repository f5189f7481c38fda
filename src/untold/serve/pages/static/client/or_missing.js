/** An attribute of any kind whose value may be missing. The twin of untold/plan/schema/kinds/or_missing.py. */
import { isTotal } from "./attributes.js";
/** Another attribute, or nothing: null, undefined and NaN have one more code, behind all others. A device perturbs it like any other. */
export class OrMissing {
    inner;
    role = "sensitive";
    mayBeMissing = true;
    constructor(inner) {
        this.inner = inner;
    }
    get name() {
        return this.inner.name;
    }
    get kind() {
        return this.inner.kind;
    }
    get rounds() {
        return this.inner.rounds;
    }
    get total() {
        return isTotal(this.inner);
    }
    get size() {
        return this.inner.size + 1;
    }
    position(value) {
        return value === null || value === undefined || Number.isNaN(value) ? [this.inner.size, 0] : this.inner.position(value);
    }
    describe() {
        return `${this.inner.describe()}, or missing`;
    }
}
