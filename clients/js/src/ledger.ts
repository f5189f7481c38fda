/** What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out. The twin of
 * untold/device/ledger.py. */

import { AlreadyReported, BudgetExceeded } from "./errors.js";
import type { Items } from "./memory/memory.js";
import { nanoText } from "./words.js";

const USER = /^"(?:[^"\\]|\\.)*"/; // as JSON writes a text

/** One person in a memory, named as on the wire: 17 and "17" are the same. All keys of a memory share one budget, unless they are said to be
 * `several` people: they are one person, as far as anybody knows, and a second key would else be a second lifetime. */
export class Account {
  private readonly name: string;

  constructor(
    private readonly items: Items,
    user: string | number,
    private readonly several = false,
  ) {
    this.name = JSON.stringify(String(user));
  }

  get(...parts: readonly unknown[]): string | undefined {
    return this.items.get(this.key(parts));
  }

  set(value: string, ...parts: readonly unknown[]): void {
    this.items.set(this.key(parts), value);
  }

  /** What an earlier version of this client kept under the id of a plan belongs to all of its versions. */
  adopt(place: readonly unknown[], earlier: readonly unknown[]): void {
    const kept = this.get(...earlier);
    if (kept === undefined || this.get(...place) !== undefined) return;
    this.set(kept, ...place);
    this.items.delete(this.key(earlier));
  }

  /** The least that an accepted plan or the app has promised. */
  get lifetime(): bigint | null {
    return this.everybodys("lifetime").reduce<bigint | null>((least, each) => (least === null || each < least ? each : least), null);
  }

  /** What fresh draws have cost, in all plans and epochs, here and elsewhere. */
  get spent(): bigint {
    return this.paid + this.most("before");
  }

  /** What they have cost through this memory. Whoever paid last holds the sum of all that was paid, so the largest is that sum. */
  private get paid(): bigint {
    return this.most("spent");
  }

  private most(what: string): bigint {
    return this.everybodys(what).reduce((most, each) => (each > most ? each : most), 0n);
  }

  /** An epoch has one version of a plan: the first in which this person took part. Another would be drawn beside it. */
  takePart(name: string, epoch: number, plan: string): void {
    const known = this.get("version", name, epoch);
    if (known !== undefined && known !== plan) {
      throw new AlreadyReported(
        `this person took part in epoch ${epoch} under another version of plan '${name}'; a second draw for the same epoch would cost ` +
          "twice. Nothing was reported.\nHint: this version counts from the next epoch on.",
      );
    }
    this.set(plan, "version", name, epoch);
  }

  /** No later plan can raise what was promised once; what was spent elsewhere is added, the most that was ever given. */
  bind(promised: readonly (bigint | null)[], before: bigint): void {
    const known = [this.lifetime, ...promised].filter((each) => each !== null);
    if (known.length) this.set(String(known.reduce((least, each) => (each < least ? each : least))), "lifetime");
    if (before > this.most("before")) this.set(String(before), "before");
  }

  /** Take the cost of a fresh draw from the lifetime, or refuse. */
  pay(service: string, cost: bigint): void {
    this.afford(`a new report for '${service}'`, cost);
    this.set(String(this.paid + cost), "spent");
  }

  afford(what: string, cost: bigint): void {
    const { lifetime, spent } = this;
    if (lifetime !== null && spent + cost > lifetime) throw over(what, cost, "lifetime budget", lifetime, spent);
  }

  /** Take what new values of a service may cost, once and before any of them: what is left for others never depends on data. */
  setAside(plan: string, service: string, whole: bigint): void {
    if (this.get("aside", plan, service) !== undefined) return;
    const left = this.least(whole);
    this.set(String(this.paid + left), "spent");
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
    const [mine, place] = [this.key(["left", epoch, what]), `/left/${epoch}/`];
    const others = this.items.keys().filter((key) => key !== mine && this.isAfterAUser(key, place));
    const spent = others.reduce((sum, key) => sum + BigInt(this.items.get(key)!), 0n);
    if (this.get("left", epoch, what) === undefined && ceiling !== null && spent + cost > ceiling) {
      throw over(`a report for '${service}'`, cost, `device's ceiling for epoch ${epoch}`, ceiling, spent);
    }
    this.set(String(cost), "left", epoch, what);
  }

  /** What this person, or anybody in this memory, has of a number. */
  private everybodys(what: string): bigint[] {
    return this.items.keys().filter((key) => this.isAfterAUser(key, `/${what}`, true)).map((key) => BigInt(this.items.get(key)!));
  }

  /** Whether a key is one of this person, or of anybody whose budget is shared, with this behind the user or at its end. A user is JSON. */
  private isAfterAUser(key: string, place: string, end = false): boolean {
    if (this.several && !key.startsWith(`${this.name}/`)) return false;
    const user = USER.exec(key)?.[0];
    return user !== undefined && (end ? key.slice(user.length) === place : key.startsWith(place, user.length));
  }

  private key(parts: readonly unknown[]): string {
    return [this.name, ...parts].join("/");
  }
}

/** What was asked, what remains, and the difference. */
function over(what: string, cost: bigint, name: string, most: bigint, spent: bigint): BudgetExceeded {
  const left = most > spent ? most - spent : 0n;
  return new BudgetExceeded(
    `${what} costs epsilon ${nanoText(cost)}; ${nanoText(left)} of the ${name} of ${nanoText(most)} remains, ${nanoText(cost - most + spent)} too little. ` +
      "Nothing was reported.",
  );
}
