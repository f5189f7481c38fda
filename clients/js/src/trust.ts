/** Which plan a device follows: one signed by the key that it trusts, for no more epsilon than it accepts, mixed if that was promised. */

import { reach } from "./chain.js";
import { Client, type ClientOptions } from "./client.js";
import { UntoldError, UntrustedPlan } from "./errors.js";
import { type Fetch, askPlan } from "./http.js";
import { lasting } from "./memory/lasting.js";
import type { Plan } from "./plan.js";
import { type Promised, checkPromised, grown, promisedBy } from "./promised.js";
import { type SignedPlan, openPlan, readSigned } from "./signature.js";

export interface DeviceOptions extends ClientOptions {
  user: string | number; // the person's key
  token: string; // the person's token, 64 hex
  ceiling?: number; // as in ClientOptions; by default the epsilon of the first plan that this memory saw
  key?: string; // the collector's public key, 64 hex; by default the first one that this memory saw
  planId?: string; // the only plan that is accepted; by default any that the key signed
  people?: number; // the least number of people in a mixed batch; by default that of the first mixed plan that this memory saw
  public?: readonly string[]; // the columns that may leave as they are ("users.os"); by default those that are public in the first plan
  changes?: readonly string[]; // the services that may repeat `changes`; by default those of the first plan
  fetch?: Fetch;
}

export interface Followed {
  readonly client: Client;
  readonly signed: SignedPlan;
}

/** Fetch the plan of a collector, or take the last one when it is away, and refuse what weakens an earlier promise. */
export async function follow(base: string, options: DeviceOptions, mixed: boolean): Promise<Followed> {
  if (!/^[0-9a-f]{64}$/i.test(options.token)) throw new UntoldError("a token is 64 hexadecimal digits; the collector gives each person theirs.");
  const memory = options.memory ?? lasting();
  const [keyPlace, planPlace, mostPlace, peoplePlace, promisedPlace, versionsPlace, keysPlace, nextPlace] = [
    ...["key", "plan", "ceiling", "people", "promised", "versions", "keys", "next"].map((what) => `${what} of ${base}`),
  ] as [string, string, string, string, string, string, string, string];
  const remembered = await memory.exclusive(async (items) => ({
    key: items.get(keyPlace),
    plan: items.get(planPlace),
    most: items.get(mostPlace),
    people: items.get(peoplePlace),
    promised: items.get(promisedPlace),
    versions: items.get(versionsPlace),
    keys: JSON.parse(items.get(keysPlace) ?? "[]") as string[],
    next: items.get(nextPlace),
  }));
  const text = await askPlan(base, options.fetch).catch((error: unknown) => {
    if (remembered.plan === undefined) throw error;
    return remembered.plan;
  });
  const signed = readSigned(text);
  const given = options.key !== undefined && !remembered.keys.includes(options.key.toLowerCase());
  const trusted = (given ? options.key : remembered.key) ?? signed.key;
  const { key: pinned, next } = await reach(signed.chain, trusted, given ? undefined : remembered.next, signed.key);
  const plan = await openPlan(signed, pinned, options.planId);
  const versions = checkVersion(plan, JSON.parse(remembered.versions ?? "{}") as Versions, options.planId);
  const people = checkMix(plan, options.people, remembered.people === undefined ? undefined : Number(remembered.people), mixed);
  let promised = remembered.promised === undefined ? promisedBy(plan) : (JSON.parse(remembered.promised) as Promised);
  if (options.planId === undefined) {
    checkPromised(plan, { ...promised, public: options.public ?? promised.public, changes: options.changes ?? promised.changes });
    promised = grown(promised, plan);
  }
  const first = Number(remembered.most ?? plan.epsilon);
  const client = new Client(plan, options.user, { ...options, memory, ceiling: options.ceiling ?? first });
  await client.accepted; // from here on the plan's lifetime binds
  await memory.exclusive(async (items) => {
    items.set(keyPlace, pinned);
    if (next !== undefined) {
      const passed = new Set([...(given ? [] : remembered.keys), trusted, pinned].map((each) => each.toLowerCase()));
      items.set(keysPlace, JSON.stringify([...passed]));
      items.set(nextPlace, next);
    }
    items.set(planPlace, text);
    items.set(mostPlace, String(first));
    items.set(promisedPlace, JSON.stringify(promised));
    if (Object.keys(versions).length > 0) items.set(versionsPlace, JSON.stringify(versions));
    if (people !== undefined) items.set(peoplePlace, String(people));
  });
  return { client, signed };
}

type Versions = Readonly<Record<string, number>>;

/** The highest version that was followed of each name; refused is a lower one, which somebody may have kept and offers again. */
function checkVersion(plan: Plan, seen: Versions, planId: string | undefined): Versions {
  const highest = Object.hasOwn(seen, plan.name) ? seen[plan.name]! : 1;
  if (planId === undefined && plan.version < highest) {
    throw new UntrustedPlan(
      `plan '${plan.name}' is of version ${plan.version}; this device has followed version ${highest}. Nothing was reported.\n` +
        "Hint: to go back, offer what the plan was under a higher version.",
    );
  }
  return plan.version <= highest ? seen : { ...seen, [plan.name]: plan.version };
}

/** How many people were first promised in a batch; refused is a plan that promises fewer, or none. */
function checkMix(plan: Plan, wanted: number | undefined, before: number | undefined, mixed: boolean): number | undefined {
  const least = wanted ?? before;
  const refuse = (why: string): never => {
    throw new UntrustedPlan(`plan '${plan.name}' ${why}`);
  };
  if (plan.mix === null) {
    if (least === undefined && !mixed) return undefined;
    return refuse("does not have its reports mixed, as was promised. Nothing was reported.");
  }
  if (plan.mix.key === null) refuse("names no key to seal reports to. Nothing was reported.");
  if (least !== undefined && plan.mix.people < least) refuse(`mixes the reports of ${plan.mix.people} people, ${least} were promised. Nothing was reported.`);
  if (!mixed) refuse("has its reports mixed by a relay; they are not sent to the collector itself.\nHint: MixedDevice takes the relay's address.");
  return before ?? plan.mix.people;
}
