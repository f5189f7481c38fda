/** Attributes of a service: what a value may be, and its code. The twins of untold/schema/{ordinal,categorical,public,each}.py. */

import { BadRecord } from "./errors.js";
import type { Fields } from "./fields.js";
import { plain, show } from "./words.js";

const MAX_DOMAIN = 2 ** 20; // coded values of one attribute
const SHOWN = 8; // values that fit into a sentence

/** Where a number lies: the knot at or below it, and how far it is on the way to the next. */
export type Position = readonly [below: number, fraction: number];

/** Integers low..high, or with bins any number between them, on a grid of bins + 1 knots. */
export class Ordinal {
  readonly kind = "ordinal";

  constructor(
    readonly name: string,
    readonly low: number,
    readonly high: number,
    readonly bins: number | null,
  ) {}

  get size(): number {
    return this.bins === null ? this.high - this.low + 1 : this.bins + 1;
  }

  /** x = (value - low) / step, i = floor(x), f = x - i: the same double operations as in Python. */
  position(value: unknown): Position {
    const number = this.inside(value);
    if (this.bins === null) return [number - this.low, 0];
    const x = (number - this.low) / ((this.high - this.low) / this.bins);
    const below = Math.floor(x);
    return number === this.high || below >= this.bins ? [this.bins, 0] : [below, x - below];
  }

  describe(): string {
    if (this.bins === null) return `integers ${plain(this.low)}..${plain(this.high)}`;
    const step = (this.high - this.low) / this.bins;
    const apart = Number.isInteger(step) ? plain(step) : String(Number(step.toPrecision(6)));
    return `numbers ${plain(this.low)}..${plain(this.high)} on ${this.size} knots, ${apart} apart`;
  }

  private inside(value: unknown): number {
    const said = `${this.name} = ${show(value)}`;
    if (typeof value !== "number" && typeof value !== "bigint") throw new BadRecord(`${said} is not a number; allowed are ${this.describe()}.`);
    const number = Number(value) + 0; // no negative zero
    if (!(this.low <= number && number <= this.high)) {
      throw new BadRecord(`${said} is not in the plan; allowed are ${this.describe()}. Clip the value or leave the record out.`);
    }
    if (this.bins === null && !Number.isInteger(number)) {
      throw new BadRecord(`${said} is not an integer; allowed are ${this.describe()}. Round it, or give the attribute bins in the plan.`);
    }
    return number;
  }
}

export type Value = string | number | boolean;

/** One of a list of strings, integers or booleans; the code of a value is its place in the list. */
export class Categorical {
  readonly kind = "categorical";
  private readonly codes: ReadonlyMap<unknown, number>;

  constructor(
    readonly name: string,
    readonly values: readonly Value[],
  ) {
    this.codes = new Map(values.map((value, code) => [value, code]));
  }

  get size(): number {
    return this.values.length;
  }

  /** The code of a value. true is not 1, and "1" is neither. */
  codeOf(value: unknown): number {
    const code = this.codes.get(typeof value === "bigint" ? Number(value) : value);
    if (code === undefined) {
      throw new BadRecord(
        `${this.name} = ${show(value)} is not in the plan; allowed is ${this.describe()}. Map it to one of these or leave the record out.`,
      );
    }
    return code;
  }

  describe(): string {
    const shown = this.values.slice(0, SHOWN).map((value) => (typeof value === "boolean" ? String(value) : show(value)));
    return `one of ${shown.join(", ")}${this.size > SHOWN ? `, ... (${this.size} values)` : ""}`;
  }
}

/** Stored as it is, beside the report: it costs no epsilon and gets no protection. */
export class Public {
  readonly kind = "public";

  constructor(readonly name: string) {}

  describe(): string {
    return "public, any value";
  }
}

/** A short list of known things, such as products: everybody sends reports about every one of them, so which one a report is about is no secret. */
export class Each {
  readonly kind = "each";
  private readonly listed: Categorical;

  constructor(
    readonly name: string,
    readonly values: readonly Value[],
  ) {
    this.listed = new Categorical(name, values);
  }

  /** The place of a value in the list. */
  codeOf(value: unknown): number {
    return this.listed.codeOf(value);
  }

  describe(): string {
    return this.listed.describe();
  }
}

export type Sensitive = Ordinal | Categorical;
export type Attribute = Sensitive | Public | Each;

/** An attribute from its declaration. */
export function readAttribute(name: string, declared: Fields): Attribute {
  const kind = declared.text("kind");
  if (kind === "public") return new Public(name);
  if (kind === "ordinal") return readOrdinal(name, declared);
  if (kind !== "categorical" && kind !== "each") return declared.fail(`'${kind}' is not a known kind; update untold-client`);
  const values = declared.list("values");
  const type = typeof values[0];
  const sound = values.every((each) => typeof each === type && (type === "string" || type === "boolean" || Number.isSafeInteger(each)));
  if (!sound || values.length < 2 || values.length > MAX_DOMAIN || new Set(values).size !== values.length) {
    return declared.fail("'values' must be two or more different strings, integers or booleans");
  }
  return new (kind === "each" ? Each : Categorical)(name, values as Value[]);
}

function readOrdinal(name: string, declared: Fields): Ordinal {
  const bins = declared.has("bins") ? declared.whole("bins", 1, MAX_DOMAIN - 1) : null;
  const most = bins === null ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  const [low, high] = [declared.number("low", -most, most), declared.number("high", -most, most)];
  if (!(low < high) || !Number.isFinite(high - low)) declared.fail("'low' must be below 'high'");
  if (bins === null && !(Number.isInteger(low) && Number.isInteger(high) && high - low < MAX_DOMAIN)) {
    declared.fail(`'low' and 'high' must be integers, at most ${MAX_DOMAIN} values apart`);
  }
  return new Ordinal(name, low, high, bins);
}
