/** Decimal numbers with a fixed number of digits behind the point. The twin of untold/plan/schema/kinds/decimals.py. */

import type { Coded, Position } from "./attributes.js";
import { type Aside, asideOf } from "./clipped.js";
import { BadRecord } from "./errors.js";
import type { Fields } from "./fields.js";
import { show } from "./words.js";

export const MOST_DIGITS = 9;
const TEXT = /^([+-]?)([0-9]{1,30})(?:\.([0-9]{1,30}))?$/;

/** number * 10^digits where the number is the double nearest to such a decimal, as 0.1 is; null for others. */
export function wholeOf(number: number, digits: number): number | null {
  const scale = 10 ** digits;
  const units = Math.abs(number) * scale <= Number.MAX_SAFE_INTEGER ? Math.round(number * scale) : 0;
  return units / scale === number ? units + 0 : null;
}

function fromText(text: string, digits: number): number | null {
  const [, sign = "", before = "", behind = ""] = TEXT.exec(text) ?? [, "", ""];
  if (before === "" || /[1-9]/.test(behind.slice(digits))) return null;
  const units = Number(before + behind.slice(0, digits).padEnd(digits, "0"));
  return sign === "-" ? 0 - units : units;
}

/** value * 10^digits of a text, an integer or a double with at most so many digits; null for all else. */
export function unitsOf(value: unknown, digits: number): number | null {
  if (typeof value === "string") return fromText(value, digits);
  return typeof value === "bigint" || typeof value === "number" ? wholeOf(Number(value), digits) : null;
}

/** The number with so many digits at or below a value; null if it is no number. */
export function roundedDown(value: unknown, digits: number): number | null {
  const scale = 10 ** digits;
  if (typeof value === "bigint" || typeof value === "number") return Math.floor(Number(value) * scale) / scale;
  const found = typeof value === "string" ? TEXT.exec(value) : null;
  if (found === null) return null;
  const [, sign = "", before = "", behind = ""] = found;
  const [units, more] = [Number(before + behind.slice(0, digits).padEnd(digits, "0")), /[1-9]/.test(behind.slice(digits))];
  return (sign === "-" ? 0 - units - Number(more) : units) / scale;
}

/** Numbers low..high: code = (value - low) * 10^digits. */
export class Decimals implements Coded {
  readonly kind = "ordinal";
  readonly role = "sensitive";
  readonly rounds = false;

  constructor(
    readonly name: string,
    readonly low: number,
    readonly high: number,
    readonly digits: number,
    private readonly first: number,
    readonly size: number,
  ) {}

  position(value: unknown): Position {
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
  aside(value: unknown): Aside {
    return asideOf(roundedDown(value, this.digits), this.low, this.high);
  }

  describe(): string {
    return `numbers ${this.low.toFixed(this.digits)}..${this.high.toFixed(this.digits)} with ${this.digits} digits behind the point`;
  }
}

/** From its declaration, at most `most` values. */
export function readDecimals(name: string, declared: Fields, most: number): Decimals {
  const digits = declared.whole("digits", 1, MOST_DIGITS);
  const [low, high] = ["low", "high"].map((key) => declared.number(key, -Number.MAX_VALUE, Number.MAX_VALUE)) as [number, number];
  const [first, last] = [low, high].map((each) => wholeOf(each, digits) ?? declared.fail(`'low' and 'high' must have at most ${digits} digits`)) as [number, number];
  if (first >= last || last - first >= most) declared.fail(`'low' must be below 'high', at most ${most} values apart`);
  return new Decimals(name, low, high, digits, first, last - first + 1);
}
