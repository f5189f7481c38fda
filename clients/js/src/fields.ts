/** Reading a frozen plan, of which nothing is believed before it was looked at: every getter returns a sound value or refuses. */

import { PlanError } from "./errors.js";

export class Fields {
  private constructor(
    private readonly data: object,
    private readonly path: string,
  ) {}

  /** The fields of an object. */
  static of(value: unknown, path: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new PlanError(`${path}: an object is needed.`);
    return new Fields(value, path);
  }

  /** Refuse, naming this place. */
  fail(reason: string): never {
    throw new PlanError(`${this.path}: ${reason}.`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.data, name);
  }

  names(): string[] {
    return Object.keys(this.data);
  }

  inner(name: string): Fields {
    return Fields.of(this.value(name), `${this.path}.${name}`);
  }

  list(name: string): unknown[] {
    const value = this.value(name);
    return Array.isArray(value) ? value : this.fail(`'${name}' must be a list`);
  }

  objects(name: string): Fields[] {
    return this.list(name).map((each, i) => Fields.of(each, `${this.path}.${name}[${i}]`));
  }

  text(name: string): string {
    const value = this.value(name);
    return typeof value === "string" ? value : this.fail(`'${name}' must be a string`);
  }

  choice<Choice extends string>(name: string, allowed: readonly Choice[]): Choice {
    const value = this.text(name);
    return allowed.find((each) => each === value) ?? this.fail(`'${name}' must be one of ${allowed.join(", ")}`);
  }

  flag(name: string): boolean {
    const value = this.value(name);
    return typeof value === "boolean" ? value : this.fail(`'${name}' must be true or false`);
  }

  number(name: string, low: number, high: number): number {
    const value = this.value(name);
    return typeof value === "number" && value >= low && value <= high ? value : this.fail(`'${name}' must be a number in ${low}..${high}`);
  }

  whole(name: string, low: number, high: number): number {
    const value = this.number(name, low, high);
    return Number.isSafeInteger(value) ? value : this.fail(`'${name}' must be an integer`);
  }

  wholes(name: string, low: number, high: number): number[] {
    const sound = (each: unknown): each is number => Number.isSafeInteger(each) && (each as number) >= low && (each as number) <= high;
    const values = this.list(name);
    return values.every(sound) ? values : this.fail(`'${name}' must be integers in ${low}..${high}`);
  }

  /** An integer that may be beyond 2^53, written as a string. */
  big(name: string): bigint {
    const value = this.value(name);
    return typeof value === "string" && /^(0|[1-9][0-9]{0,39})$/.test(value) ? BigInt(value) : this.fail(`'${name}' must be an integer in quotes`);
  }

  value(name: string): unknown {
    return this.has(name) ? (this.data as Record<string, unknown>)[name] : this.fail(`'${name}' is missing`);
  }
}
