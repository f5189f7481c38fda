/** Sends what waits in a memory, and takes the answers into account. */

import { backoff, pause } from "./backoff.js";
import { CollectorError } from "./errors.js";
import { type Fetch, type Outcome, post } from "./http.js";
import type { Memory } from "./memory/memory.js";
import { type Queued, dequeue, queued } from "./queue.js";

export interface SendOptions {
  patience?: number; // ms after which no further attempt is begun; what is left waits for the next call. Default 30 s.
  signal?: AbortSignal;
}

/** What became of the reports that waited. */
export interface Sent {
  readonly counted: number; // stored now
  readonly repeated: number; // had been stored before
  readonly refused: readonly { code: string; message: string }[]; // will never be stored, and were forgotten
  readonly waiting: number; // still in the memory
}

/** Where to, and for whom. */
export interface Way {
  readonly url: string;
  readonly user: string | number;
  readonly token: string;
  readonly fetch: Fetch | undefined;
}

/** Send everything that waits. It leaves the memory when it is on disk at the other end, or will never be taken. */
export async function sendAll(memory: Memory, way: Way, { patience = 30_000, signal }: SendOptions = {}, bodyOf = (kept: string): string => kept): Promise<Sent> {
  const deadline = Date.now() + patience;
  const waiting = (): Promise<Queued[]> => memory.exclusive(async (items) => queued(items, way.url, way.user));
  const [total, refused] = [{ counted: 0, repeated: 0 }, [] as { code: string; message: string }[]];
  for (const each of await waiting()) {
    const outcome = await deliver(way, bodyOf(each.body), deadline, signal);
    if (outcome.kind === "stored") total[outcome.counted ? "counted" : "repeated"]++;
    if (outcome.kind === "refused") refused.push({ code: outcome.code, message: outcome.message });
    if (outcome.kind === "stored" || outcome.kind === "refused") await memory.exclusive(async (items) => dequeue(items, each));
    if (outcome.kind === "forbidden") throw new CollectorError(outcome.message, outcome.status);
    if (outcome.kind === "busy") break; // the other end is away: the others wait as well
  }
  return { ...total, refused, waiting: (await waiting()).length };
}

async function deliver(way: Way, body: string, deadline: number, signal: AbortSignal | undefined): Promise<Outcome> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await post(way.url, way.token, body, way.fetch, signal);
    if (outcome.kind !== "busy") return outcome;
    const wait = Math.max(backoff(attempt), outcome.after);
    if (Date.now() + wait > deadline) return outcome;
    await pause(wait, signal);
  }
}
