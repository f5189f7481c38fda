/** What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out. The twin of
 * untold/device/ledger.py. */

import { BudgetExceeded } from "./errors.js";
import { NANO } from "./exact.js";
import type { Items } from "./memory/memory.js";
import { brief } from "./words.js";

/** One person in a memory, named as on the wire: 17 and "17" are the same. */
export class Account {
  private readonly name: string;

  constructor(
    private readonly items: Items,
    user: string | number,
  ) {
    this.name = JSON.stringify(String(user));
  }

  get(...parts: readonly unknown[]): string | undefined {
    return this.items.get(this.key(parts));
  }

  set(value: string, ...parts: readonly unknown[]): void {
    this.items.set(this.key(parts), value);
  }

  /** The least that an accepted plan or the app has promised. */
  get lifetime(): bigint | null {
    const known = this.get("lifetime");
    return known === undefined ? null : BigInt(known);
  }

  /** What fresh draws have cost, in all plans and epochs. */
  get spent(): bigint {
    return BigInt(this.get("spent") ?? "0");
  }

  /** No later plan can raise what was promised once; what was spent elsewhere counts. */
  bind(promised: readonly (bigint | null)[], before: bigint): void {
    const known = [this.lifetime, ...promised].filter((each) => each !== null);
    if (known.length) this.set(String(known.reduce((least, each) => (each < least ? each : least))), "lifetime");
    if (before > this.spent) this.set(String(before), "spent");
  }

  /** Take the cost of a fresh draw from the lifetime, or refuse. */
  pay(service: string, cost: bigint): void {
    this.afford(`a new report for '${service}'`, cost);
    this.set(String(this.spent + cost), "spent");
  }

  afford(what: string, cost: bigint): void {
    const { lifetime, spent } = this;
    if (lifetime !== null && spent + cost > lifetime) throw over(what, cost, "lifetime budget", lifetime, spent);
  }

  /** Take what new values of a service may cost, once and before any of them: what is left for others never depends on data. */
  setAside(plan: string, service: string, whole: bigint): void {
    if (this.get("aside", plan, service) !== undefined) return;
    const left = this.least(whole);
    this.set(String(this.spent + left), "spent");
    this.set(`${left} 0`, "aside", plan, service);
  }

  /** Take the cost of a new value from what is set aside for the service, or refuse. */
  payAside(plan: string, service: string, cost: bigint): void {
    const { whole, used } = this.affordAside(plan, service, cost, 0n);
    this.set(`${whole} ${used + cost}`, "aside", plan, service);
  }

  /** Refuse what is beyond what is set aside, or would be. What a plan that came later has promised not to spend is set aside no more. */
  affordAside(plan: string, service: string, cost: bigint, would: bigint): { whole: bigint; used: bigint } {
    const kept = this.get("aside", plan, service) ?? `${this.least(would)} 0`;
    const [whole, used] = kept.split(" ").map(BigInt) as [bigint, bigint];
    const name = `part of the lifetime budget that is set aside for '${service}'`;
    const { lifetime, spent } = this;
    const left = lifetime !== null && spent > lifetime ? whole - (spent - lifetime) : whole;
    if (used + cost > left) throw over(`a new value for '${service}'`, cost, name, left > 0n ? left : 0n, used);
    return { whole, used };
  }

  /** This much, or what is left of the lifetime if that is less. */
  private least(amount: bigint): bigint {
    const { lifetime, spent } = this;
    const left = lifetime === null ? amount : lifetime > spent ? lifetime - spent : 0n;
    return amount < left ? amount : left;
  }

  /** Count a report among all that leave in an epoch, new or kept, or refuse; the same one again counts once. */
  leave(epoch: number, what: string, service: string, cost: bigint, ceiling: bigint | null): void {
    const start = this.key(["left", epoch, ""]);
    const others = this.items.keys().filter((key) => key.startsWith(start) && key !== start + what);
    const spent = others.reduce((sum, key) => sum + BigInt(this.items.get(key)!), 0n);
    if (this.get("left", epoch, what) === undefined && ceiling !== null && spent + cost > ceiling) {
      throw over(`a report for '${service}'`, cost, `device's ceiling for epoch ${epoch}`, ceiling, spent);
    }
    this.set(String(cost), "left", epoch, what);
  }

  private key(parts: readonly unknown[]): string {
    return [this.name, ...parts].join("/");
  }
}

/** What was asked, what remains, and the difference. */
function over(what: string, cost: bigint, name: string, most: bigint, spent: bigint): BudgetExceeded {
  const left = most > spent ? most - spent : 0n;
  return new BudgetExceeded(
    `${what} costs epsilon ${nano(cost)}; ${nano(left)} of the ${name} of ${nano(most)} remains, ${nano(cost - most + spent)} too little. ` +
      "Nothing was reported.",
  );
}

function nano(value: bigint): string {
  return brief(Number(value) / Number(NANO));
}
