/** An attribute of any kind whose value may be missing. The twin of untold/plan/schema/kinds/or_missing.py. */

import { type Coded, type Known, type Position, isTotal } from "./attributes.js";

/** Another attribute, or nothing: null, undefined and NaN have one more code, behind all others. A device perturbs it like any other. */
export class OrMissing implements Coded {
  readonly role = "sensitive";
  readonly mayBeMissing = true;

  constructor(readonly inner: Known) {}

  get name(): string {
    return this.inner.name;
  }

  get kind(): string {
    return this.inner.kind;
  }

  get rounds(): boolean {
    return this.inner.rounds;
  }

  get total(): boolean {
    return isTotal(this.inner);
  }

  get size(): number {
    return this.inner.size + 1;
  }

  position(value: unknown): Position {
    return value === null || value === undefined || Number.isNaN(value) ? [this.inner.size, 0] : this.inner.position(value);
  }

  describe(): string {
    return `${this.inner.describe()}, or missing`;
  }
}
