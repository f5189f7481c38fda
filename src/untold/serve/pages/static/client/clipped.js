/** Numbers and dates of which none is refused: `clip`. The twin of untold/plan/schema/kinds/clipped.py. */
export const BELOW = [-1];
export const ABOVE = [1];
/** By the number of a value; null if it has none. */
export function asideOf(number, low, high) {
    if (number === null || !(number >= low))
        return BELOW; // NaN neither
    return number > high ? ABOVE : [0, number];
}
/** Another attribute, and codes before and behind all others for what lies outside of its domain. */
export class Clipped {
    inner;
    role = "sensitive";
    total = true;
    beyond;
    constructor(inner) {
        this.inner = inner;
        this.beyond = inner.halves ? 2 * (inner.parts ?? 1) : 1;
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
    get size() {
        return this.inner.size + 2 * this.beyond;
    }
    /** Nothing is refused: whoever has such a value would fall silent. */
    position(value) {
        try {
            const [code, fraction] = this.inner.position(value);
            return [code + this.beyond, fraction];
        }
        catch {
            return [this.outside(value), 0];
        }
    }
    outside(value) {
        try {
            const [side, below] = this.inner.aside(value);
            if (side === 0)
                return this.inner.position(below)[0] + this.beyond;
            return side < 0 ? 0 : this.size - this.beyond;
        }
        catch {
            return 0;
        }
    }
    describe() {
        return `${this.inner.describe()}, clipped`;
    }
}
