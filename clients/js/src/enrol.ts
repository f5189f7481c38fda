/** A fresh user key and its token, for surveys without accounts; the same ones again as long as the memory lasts. */

import { CollectorError } from "./errors.js";
import { type Fetch, root } from "./http.js";
import type { Memory } from "./memory/memory.js";

export interface Enrolled {
  readonly user: string;
  readonly token: string;
}

/** Asks the collector once; it must run with --enrol. */
export function enrol(url: string, memory: Memory, fetch: Fetch = globalThis.fetch): Promise<Enrolled> {
  const base = root(url);
  const place = `enrolled at ${base}`;
  return memory.exclusive(async (items) => {
    const known = items.get(place);
    if (known !== undefined) return JSON.parse(known) as Enrolled;
    const answer = await fetch(`${base}enrol`, { method: "POST", credentials: "omit", redirect: "error" });
    const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (!answer.ok) throw new CollectorError(String(body.message ?? `${base}enrol answers ${answer.status}; the collector must run with --enrol.`), answer.status);
    const enrolled = { user: String(body.user), token: String(body.token) };
    items.set(place, JSON.stringify(enrolled));
    return enrolled;
  });
}
