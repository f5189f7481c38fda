/** Numbers and dates of which none is refused: `clip`. The twin of untold/plan/schema/kinds/clipped.py. */

import type { Coded, Position } from "./attributes.js";

/** Where a refused value lies: -1 below the domain or no place in it at all, 1 above it, 0 and the allowed value just below it. */
export type Aside = readonly [side: -1 | 0 | 1, value?: number];

export const BELOW: Aside = [-1];
export const ABOVE: Aside = [1];

/** An attribute with a domain from low to high, whose table may say `clip`. */
export interface Clippable extends Coded {
  readonly kind: string;
  readonly halves?: boolean; // every two codes are the ends of one part of a class
  readonly parts?: number; // of each class
  aside(value: unknown): Aside;
}

/** By the number of a value; null if it has none. */
export function asideOf(number: number | null, low: number, high: number): Aside {
  if (number === null || !(number >= low)) return BELOW; // NaN neither
  return number > high ? ABOVE : [0, number];
}

/** Another attribute, and codes before and behind all others for what lies outside of its domain. */
export class Clipped implements Coded {
  readonly role = "sensitive";
  readonly total = true;
  private readonly beyond: number;

  constructor(readonly inner: Clippable) {
    this.beyond = inner.halves ? 2 * (inner.parts ?? 1) : 1;
  }

  get name(): string {
    return this.inner.name;
  }

  get kind(): string {
    return this.inner.kind;
  }

  get rounds(): boolean {
    return this.inner.rounds;
  }

  get size(): number {
    return this.inner.size + 2 * this.beyond;
  }

  /** Nothing is refused: whoever has such a value would fall silent. */
  position(value: unknown): Position {
    try {
      const [code, fraction] = this.inner.position(value);
      return [code + this.beyond, fraction];
    } catch {
      return [this.outside(value), 0];
    }
  }

  private outside(value: unknown): number {
    try {
      const [side, below] = this.inner.aside(value);
      if (side === 0) return this.inner.position(below)[0] + this.beyond;
      return side < 0 ? 0 : this.size - this.beyond;
    } catch {
      return 0;
    }
  }

  describe(): string {
    return `${this.inner.describe()}, clipped`;
  }
}
