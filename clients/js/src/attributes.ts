/** Attributes of a service: what a value may be, and its code. The twin of untold/plan/schema/kinds. */

import { type Classes, readClasses } from "./classes.js";
import { type Aside, Clipped, asideOf } from "./clipped.js";
import { type Calendar, readCalendar } from "./dates.js";
import { type Decimals, readDecimals } from "./decimals.js";
import { BadRecord } from "./errors.js";
import type { Fields } from "./fields.js";
import { OrMissing } from "./or_missing.js";
import { type Text, readText } from "./texts.js";
import { plain, show } from "./words.js";

const MAX_DOMAIN = 2 ** 20; // coded values of one attribute
const SHOWN = 8; // values that fit into a sentence

/** Where a value lies: its code, or the code below it and how far it is on the way to the next; where texts are looked for, its bytes. */
export type Position = readonly [code: number, fraction: number, text?: Uint8Array];

/** What a device asks of every attribute that has codes; nothing else asks which kind it is. */
export interface Coded {
  readonly name: string;
  readonly size: number;
  readonly rounds: boolean; // values between two codes are allowed, and rounded at random to one of them
  readonly mayBeMissing?: boolean; // null is allowed, and a row need not name the attribute
  readonly total?: boolean; // nothing is refused, and a row need not name the attribute
  position(value: unknown): Position;
  describe(): string;
}

/** Whether it refuses nothing, so that nobody falls silent. */
export function isTotal({ total = false }: Coded): boolean {
  return total;
}

/** Integers low..high: code = value - low. */
export class Ordinal implements Coded {
  readonly kind = "ordinal";
  readonly role = "sensitive";
  readonly rounds = false;

  constructor(
    readonly name: string,
    readonly low: number,
    readonly high: number,
  ) {}

  get size(): number {
    return this.high - this.low + 1;
  }

  position(value: unknown): Position {
    const number = inside(this, value);
    if (!Number.isInteger(number)) {
      throw new BadRecord(
        `${this.name} = ${show(value)} is not an integer; allowed are ${this.describe()}. Round it, or give the attribute bins in the plan.`,
      );
    }
    return [number - this.low, 0];
  }

  /** 31.5 is 31. */
  aside(value: unknown): Aside {
    const number = numberOf(value);
    return asideOf(number === null ? null : Math.floor(number), this.low, this.high);
  }

  describe(): string {
    return `integers ${plain(this.low)}..${plain(this.high)}`;
  }
}

/** Any number from low to high, on a grid of bins + 1 knots. */
export class Knots implements Coded {
  readonly kind = "ordinal";
  readonly role = "sensitive";
  readonly rounds = true;

  constructor(
    readonly name: string,
    readonly low: number,
    readonly high: number,
    readonly bins: number,
  ) {}

  get size(): number {
    return this.bins + 1;
  }

  /** x = (value - low) / step, i = floor(x), f = x - i: the same double operations as in Python. */
  position(value: unknown): Position {
    const number = inside(this, value);
    const x = (number - this.low) / ((this.high - this.low) / this.bins);
    const below = Math.floor(x);
    return number === this.high || below >= this.bins ? [this.bins, 0] : [below, x - below];
  }

  aside(value: unknown): Aside {
    return asideOf(numberOf(value), this.low, this.high);
  }

  describe(): string {
    const step = (this.high - this.low) / this.bins;
    const apart = Number.isInteger(step) ? plain(step) : String(Number(step.toPrecision(6)));
    return `numbers ${plain(this.low)}..${plain(this.high)} on ${this.size} knots, ${apart} apart`;
  }
}

/** The number that a value is; null for everything else, texts too. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) + 0 : null;
}

/** The value as a number from low to high. */
function inside(attribute: Ordinal | Knots, value: unknown): number {
  const said = `${attribute.name} = ${show(value)}`;
  if (typeof value !== "number" && typeof value !== "bigint") throw new BadRecord(`${said} is not a number; allowed are ${attribute.describe()}.`);
  const number = Number(value) + 0; // no negative zero
  if (!(attribute.low <= number && number <= attribute.high)) {
    throw new BadRecord(`${said} is not in the plan; allowed are ${attribute.describe()}. Clip the value or leave the record out.`);
  }
  return number;
}

export type Value = string | number | boolean;

/** One of a list of strings, integers or booleans; the code of a value is its place in the list. With `other` the list has one more text at
 * its end, and whatever is not listed is that. */
abstract class Listed implements Coded {
  abstract readonly kind: string;
  readonly rounds = false;
  readonly total: boolean;
  private readonly codes: ReadonlyMap<unknown, number>;
  readonly size: number;

  /** `places` has the value of every code; of copies, the first one counts. */
  constructor(
    readonly name: string,
    readonly values: readonly Value[],
    readonly places: readonly Value[] = values,
    other = false,
  ) {
    this.total = other;
    this.size = places.length;
    this.codes = new Map(places.map((value, code): [Value, number] => [value, code]).reverse());
  }

  /** true is not 1, and "1" is neither. */
  position(value: unknown): Position {
    const code = this.codes.get(typeof value === "bigint" ? Number(value) : value);
    if (code === undefined && this.total) return [this.codes.get(this.values.at(-1))!, 0];
    if (code === undefined) {
      throw new BadRecord(
        `${this.name} = ${show(value)} is not in the plan; allowed is ${this.describe()}. Map it to one of these or leave the record out.`,
      );
    }
    return [code, 0];
  }

  describe(): string {
    const shown = this.values.slice(0, SHOWN).map((value) => (typeof value === "boolean" ? String(value) : show(value)));
    return `one of ${shown.join(", ")}${this.values.length > SHOWN ? `, ... (${this.values.length} values)` : ""}`;
  }
}

/** One of a list of names, without an order. */
export class Categorical extends Listed {
  readonly kind = "categorical";
  readonly role = "sensitive";
}

/** One of a list of names, some of which questions do not tell apart: each group has as many places as the largest, filled up by its last value. */
export class Grouped extends Categorical {
  private readonly many: number;

  constructor(name: string, values: readonly Value[], groups: readonly (readonly Value[])[], other = false) {
    const groupOf = new Map(groups.flatMap((group) => group.map((value): [Value, readonly Value[]] => [value, group])));
    const ordered = [...new Set(values.map((value) => groupOf.get(value) ?? [value]))];
    const places = Math.max(...groups.map((group) => group.length));
    super(name, values, ordered.flatMap((group) => Array.from({ length: places }, (_, i) => group[Math.min(i, group.length - 1)]!)), other);
    this.many = ordered.length;
  }

  override describe(): string {
    return `${super.describe()}, in ${this.many} group${this.many > 1 ? "s" : ""}`;
  }
}

/** A short list of known things, such as products: everybody sends reports about every one of them, so which one a report is about is no secret. */
export class Each extends Listed {
  readonly kind = "each";
  readonly role = "each";
}

/** Stored as it is, beside the report: it costs no epsilon and gets no protection. */
export class Public {
  readonly kind = "public";
  readonly role = "public";

  constructor(readonly name: string) {}

  describe(): string {
    return "public, any value";
  }
}

export type Known = Ordinal | Knots | Classes | Decimals | Categorical | Calendar | Clipped | Text; // with a value
export type Sensitive = Known | OrMissing;
export type Attribute = Sensitive | Public | Each;

/** How the table of each kind is read. A new kind is a class and a line here. */
const KINDS: Readonly<Record<string, (name: string, declared: Fields) => Known | Public | Each>> = {
  ordinal: readOrdinal,
  categorical: (name, declared) => (declared.has("groups") ? readGrouped(name, declared) : new Categorical(name, readValues(declared), undefined, declared.has("other"))),
  date: (name, declared) => readCalendar("date", name, declared, MAX_DOMAIN),
  timestamp: (name, declared) => readCalendar("timestamp", name, declared, MAX_DOMAIN),
  text: (name, declared) => readText(name, declared, MAX_DOMAIN),
  public: (name) => new Public(name),
  each: (name, declared) => new Each(name, readValues(declared), undefined, declared.has("other")),
};

/** The attribute whose texts are looked for, if it is one. */
export function searched(attribute: Sensitive | undefined): Text | null {
  const own = attribute instanceof OrMissing ? attribute.inner : attribute;
  return own !== undefined && own.kind === "text" && "letters" in own && own.letters !== null ? own : null;
}

/** An attribute from its declaration. */
export function readAttribute(name: string, declared: Fields): Attribute {
  const kind = declared.text("kind");
  const read = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const found = read === undefined ? declared.fail(`'${kind}' is not a known kind; update untold-client`) : read(name, declared);
  const attribute = declared.has("clip") && declared.flag("clip") ? clipped(found, declared) : found;
  return declared.has("missing") && declared.flag("missing") && attribute.role === "sensitive" ? new OrMissing(attribute) : attribute;
}

function clipped(attribute: Known | Public | Each, declared: Fields): Clipped {
  const made = "aside" in attribute ? new Clipped(attribute) : declared.fail("'clip' is for numbers and dates");
  return made.size <= MAX_DOMAIN ? made : declared.fail(`more than ${MAX_DOMAIN} values with those at both ends`);
}

function readValues(declared: Fields): Value[] {
  const values = declared.list("values");
  const type = typeof values[0];
  const sound = values.every((each) => typeof each === type && (type === "string" || type === "boolean" || Number.isSafeInteger(each)));
  if (!sound || values.length < 2 || values.length > MAX_DOMAIN || new Set(values).size !== values.length) {
    return declared.fail("'values' must be two or more different strings, integers or booleans");
  }
  if (!declared.has("other")) return values as Value[];
  const other = declared.text("other");
  if (type !== "string" || values.includes(other) || values.length === MAX_DOMAIN) declared.fail("'other' must be a further text beside a list of texts");
  return [...(values as Value[]), other];
}

function readGrouped(name: string, declared: Fields): Grouped {
  const [values, groups] = [readValues(declared), declared.list("groups")];
  const sound = groups.length > 0 && groups.every((group): group is Value[] => Array.isArray(group) && group.length >= 2);
  const named = groups.flat() as Value[];
  if (!sound || !named.every((value) => values.includes(value)) || new Set(named).size !== named.length) {
    return declared.fail("'groups' must be lists of two or more of the values, each value in one of them");
  }
  const made = new Grouped(name, values, groups as Value[][], declared.has("other"));
  return made.size <= MAX_DOMAIN ? made : declared.fail(`'groups' of very different sizes need more than ${MAX_DOMAIN} places`);
}

function readOrdinal(name: string, declared: Fields): Ordinal | Knots | Classes | Decimals {
  if (declared.has("cuts")) return readClasses(name, declared, MAX_DOMAIN);
  if (declared.has("digits")) return readDecimals(name, declared, MAX_DOMAIN);
  const bins = declared.has("bins") ? declared.whole("bins", 1, MAX_DOMAIN - 1) : null;
  const most = bins === null ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  const [low, high] = [declared.number("low", -most, most), declared.number("high", -most, most)];
  if (!(low < high) || !Number.isFinite(high - low)) declared.fail("'low' must be below 'high'");
  if (bins === null && !(Number.isInteger(low) && Number.isInteger(high) && high - low < MAX_DOMAIN)) {
    declared.fail(`'low' and 'high' must be integers, at most ${MAX_DOMAIN} values apart`);
  }
  return bins === null ? new Ordinal(name, low, high) : new Knots(name, low, high, bins);
}
