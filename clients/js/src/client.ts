/** The device client: one call turns a record into a report, within a budget that the device itself keeps. The twin of untold/device/client.py. */

import { LAST_EPOCH, LONGEST_KEY } from "./contract.js";
import { digest } from "./digest.js";
import { type Places, type Row, type Slot, encode, placesOf } from "./encoder.js";
import { AlreadyReported, BadRecord, BudgetExceeded } from "./errors.js";
import { NANO, toNano } from "./exact.js";
import type { Items, Memory } from "./memory/memory.js";
import { TransientMemory } from "./memory/transient.js";
import type { Plan, Service } from "./plan.js";
import { type Randomness, Secure } from "./randomness.js";
import { brief } from "./words.js";

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const PUBLIC_TYPES = ["string", "number", "boolean", "bigint"];

/** What leaves the device: which plan, whose, for what, and the messages of every slot. No true value. */
export interface Report {
  readonly plan: string; // the plan's id
  readonly service: string;
  readonly user: string | number;
  readonly epoch: number;
  readonly slots: readonly Slot[];
  readonly public: ReadonlyMap<string, unknown>;
  readonly insecure: boolean; // made with repeatable draws: for experiments; collectors refuse it
}

export interface ClientOptions {
  memory?: Memory; // where to remember; by default only as long as the program runs
  ceiling?: number; // the most epsilon that this device accepts for one epoch, whatever plans say, all of them together
  lifetime?: number; // the most over all epochs and plans; whatever is given, no later plan can raise what an earlier one promised
  rng?: Randomness; // for tests
}

/**
 * Reports for one person.
 *
 * The same value again gives the very same report, at no cost: fresh noise on every collection would average out. A new value costs the
 * service's share of epsilon; beyond the lifetime it is refused.
 */
export class Client {
  readonly memory: Memory;
  private readonly ceiling: bigint | null;
  private readonly lifetime: bigint | null;
  private readonly rng: Randomness;

  constructor(
    readonly plan: Plan,
    readonly user: string | number,
    { memory = new TransientMemory(), ceiling, lifetime, rng = new Secure() }: ClientOptions = {},
  ) {
    checkUser(user);
    this.memory = memory;
    this.rng = rng;
    this.ceiling = ceiling === undefined ? null : toNano(ceiling);
    this.lifetime = lifetime === undefined ? null : toNano(lifetime);
    if (ceiling !== undefined && !(toNano(ceiling) >= plan.nano)) {
      throw new BudgetExceeded(
        `plan '${plan.name}' asks for epsilon ${brief(plan.epsilon)} per epoch; this device accepts at most ${brief(ceiling)}, which is ` +
          `${brief(plan.epsilon - ceiling)} less. Nothing was reported.`,
      );
    }
  }

  /** The report of this person for a service and an epoch, kept in the memory before it is returned. `rows` is a row or a list of rows. */
  report(service: string, rows: Row | readonly Row[], epoch = 0): Promise<Report> {
    return this.memory.exclusive((items) => this.reportInto(items, service, rows, epoch));
  }

  /**
   * An example of what `report` would send of these rows, for the person to see. It is drawn for this call alone, since nobody may choose
   * to send or not by the noise that they were shown; only values that were reported before show the very report again.
   */
  preview(service: string, rows: Row | readonly Row[], epoch = 0): Promise<Report> {
    return this.memory.exclusive(async (items) => {
      const { declared, list, places, name } = await this.checked(service, rows, epoch);
      const known = items.get(this.key("kept", name));
      if (known === undefined) this.afford(items, declared, epoch);
      return this.asReport(declared, list, epoch, known ?? this.drawn(declared, places));
    });
  }

  /** `report` within other work on the memory. */
  async reportInto(items: Items, service: string, rows: Row | readonly Row[], epoch: number): Promise<Report> {
    const { declared, list, places, name } = await this.checked(service, rows, epoch);
    const [sentKey, keptKey] = [this.key("sent", this.plan.id, service, epoch), this.key("kept", name)];
    if ((items.get(sentKey) ?? name) !== name) {
      throw new AlreadyReported(
        `service '${service}' was already reported for epoch ${epoch}, with other values. One person sends one report per service and epoch; ` +
          "report the new values in the next epoch.",
      );
    }
    if (items.get(keptKey) === undefined) {
      this.afford(items, declared, epoch);
      items.set(keptKey, this.drawn(declared, places));
      const lifetime = this.leastLifetime(items);
      if (lifetime !== null) items.set(this.key("lifetime"), String(lifetime));
      for (const what of ["spent", `spent in ${epoch}`]) items.set(this.key(what), String(this.spent(items, what) + declared.nano));
    }
    items.set(sentKey, name);
    return this.asReport(declared, list, epoch, items.get(keptKey)!);
  }

  /** What this person has spent through this memory, on all plans and epochs, in billionths of epsilon. */
  spentNano(): Promise<bigint> {
    return this.memory.exclusive(async (items) => this.spent(items, "spent"));
  }

  /** The rows, if the plan allows them, and their name. */
  private async checked(service: string, rows: Row | readonly Row[], epoch: number): Promise<Checked> {
    const declared = this.plan.service(service);
    if (!Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH) throw new BadRecord(`epoch ${epoch} is not an integer in 0..2^31 - 1.`);
    const list: readonly Row[] = Array.isArray(rows) ? rows : [rows as Row];
    checkNames(declared, list);
    const places = list.map((row) => placesOf(declared, row));
    return { declared, list, places, name: await digest(this.plan.id, service, places) };
  }

  private drawn(service: Service, places: readonly Places[]): string {
    return toText({ slots: encode(service, places, this.rng), insecure: this.rng.insecure });
  }

  private asReport(service: Service, rows: readonly Row[], epoch: number, text: string): Report {
    const shown = service.public.map(({ name }): [string, unknown] => [name, published(rows[0], name)]);
    return { plan: this.plan.id, service: service.name, user: this.user, epoch, ...fromText(text), public: new Map(shown) };
  }

  private key(...parts: readonly unknown[]): string {
    return [JSON.stringify(this.user), ...parts].join("/");
  }

  private spent(items: Items, what: string): bigint {
    return BigInt(items.get(this.key(what)) ?? "0");
  }

  /** The least that was given, that this plan promises, or that an earlier one promised: a new plan must not undo it. */
  private leastLifetime(items: Items): bigint | null {
    const before = items.get(this.key("lifetime"));
    const known = [this.lifetime, this.plan.lifetimeNano, before === undefined ? null : BigInt(before)].filter((each) => each !== null);
    return known.length ? known.reduce((least, each) => (each < least ? each : least)) : null;
  }

  private afford(items: Items, service: Service, epoch: number): void {
    const cost = service.nano;
    const budgets = [
      ["lifetime budget", this.leastLifetime(items), this.spent(items, "spent")],
      ["device's ceiling for one epoch", this.ceiling, this.spent(items, `spent in ${epoch}`)],
    ] as const;
    for (const [name, most, spent] of budgets) {
      if (most !== null && spent + cost > most) {
        throw new BudgetExceeded(
          `a new report for '${service.name}' costs epsilon ${nano(cost)}; ${nano(most - spent)} of the ${name} of ${nano(most)} remains, ` +
            `${nano(cost - most + spent)} too little. Nothing was reported.`,
        );
      }
    }
  }
}

interface Checked {
  readonly declared: Service;
  readonly list: readonly Row[];
  readonly places: readonly Places[];
  readonly name: string; // digest
}

interface Kept {
  readonly slots: readonly Slot[];
  readonly insecure: boolean;
}

/** The form that the Python client keeps as well: seeds as strings. */
function toText({ slots, insecure }: Kept): string {
  return JSON.stringify({ slots: slots.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)])), insecure });
}

function fromText(text: string): Kept {
  const { slots, insecure } = JSON.parse(text) as { slots: [number, string[]][][]; insecure: boolean };
  return { slots: slots.map((slot) => slot.map(([index, extra]) => ({ index, extra: extra.map(BigInt) }))), insecure };
}

function nano(value: bigint): string {
  return brief(Number(value) / Number(NANO));
}

/** A public value as it leaves the device. */
function published(row: Row | undefined, name: string): unknown {
  const value = row !== undefined && Object.hasOwn(row, name) ? (row[name] ?? null) : null;
  const sound = typeof value === "string" ? !LONE_SURROGATE.test(value) : typeof value !== "number" || Number.isFinite(value);
  if (value === null || (sound && PUBLIC_TYPES.includes(typeof value))) return value;
  throw new BadRecord(`public column '${name}' must be a string of valid Unicode, a finite number, a boolean or null.`);
}

function checkUser(user: unknown): void {
  const sound = typeof user === "string" ? user !== "" && !LONE_SURROGATE.test(user) && new TextEncoder().encode(user).length <= LONGEST_KEY : Number.isSafeInteger(user);
  if (!sound) throw new BadRecord(`a user key is a string of 1 to ${LONGEST_KEY} bytes of valid Unicode, or an integer below 2^53.`);
}

function checkNames(service: Service, rows: readonly Row[]): void {
  const names = service.attributes.map((each) => each.name);
  rows.forEach((row, number) => {
    const unknown = Object.keys(row).filter((name) => !names.includes(name));
    const missing = service.attributes.filter((each) => each.kind !== "public" && !Object.hasOwn(row, each.name)).map((each) => each.name);
    if (unknown.length || missing.length) {
      const what = unknown.length ? `unknown ${unknown.join(", ")}` : `missing ${missing.join(", ")}`;
      throw new BadRecord(`row ${number} of service '${service.name}': ${what}; the plan has ${names.join(", ")}.`);
    }
  });
}
