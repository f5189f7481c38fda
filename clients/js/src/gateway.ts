/** A gateway: a backend of yours that carries reports of many people to a collector. It perturbs nothing; devices do. The twin of untold/device/gateway.py. */

import { LONGEST_WORD, jsonOf } from "./answers.js";
import type { Report } from "./client.js";
import { JSON_TYPE, MOST_BYTES, MOST_REPORTS, tryLater } from "./contract.js";
import { BadRecord, CollectorError } from "./errors.js";
import { type Fetch, QUIET, TIMEOUT, root } from "./http.js";
import type { Plan } from "./plan.js";
import { toJson } from "./wire.js";

/** What a collector said to reports that were carried to it. */
export interface Carried {
  readonly counted: number; // new, and durable
  readonly repeated: number; // there already
  readonly refused: readonly { readonly user: string; readonly code: string }[]; // these will never be taken
}

/** The body of POST /reports for up to 10,000 reports of one plan, of any number of people. */
export function body(plan: Plan, reports: readonly Report[]): string {
  if (reports.length < 1 || reports.length > MOST_REPORTS) throw new BadRecord(`a body holds 1 to ${MOST_REPORTS} reports. Gateway sends more.`);
  return toJson(plan, reports);
}

/** Carries reports to a collector, with the token that `untold serve token gateway` prints. What a CollectorError stops may be sent again, the same. */
export class Gateway {
  private readonly base: string;

  constructor(
    url: string,
    private readonly token: string,
    private readonly fetch: Fetch = globalThis.fetch,
  ) {
    this.base = root(url);
  }

  /** Reports of any number of people, in bodies that a collector takes. */
  async send(plan: Plan, reports: readonly Report[]): Promise<Carried> {
    if (reports.length === 0) return { counted: 0, repeated: 0, refused: [] };
    const text = reports.length <= MOST_REPORTS ? body(plan, reports) : "";
    if (reports.length <= MOST_REPORTS && (text.length * 3 <= MOST_BYTES || reports.length === 1)) {
      return this.post(text, reports.map(({ user }) => String(user)));
    }
    const half = Math.ceil(reports.length / 2);
    const [first, second] = [await this.send(plan, reports.slice(0, half)), await this.send(plan, reports.slice(half))];
    return { counted: first.counted + second.counted, repeated: first.repeated + second.repeated, refused: [...first.refused, ...second.refused] };
  }

  /** The body of one device, as it came in. `user` is who is logged in: reports of anybody else are refused, since a gateway's token would let them through. */
  async forward(text: string, user: string | number): Promise<Carried> {
    const reports = read(text);
    if (reports.some((each) => each.user !== String(user))) throw new BadRecord("a device sends reports of its own user only. Nothing was carried.");
    return this.post(text, reports.map(() => String(user)));
  }

  private async post(text: string, users: readonly string[]): Promise<Carried> {
    const headers = { "Content-Type": JSON_TYPE, Authorization: `Bearer ${this.token}` };
    let [status, said] = [0, null as unknown];
    try {
      const answer = await this.fetch(`${this.base}reports`, { ...QUIET, method: "POST", headers, body: text, signal: AbortSignal.timeout(TIMEOUT) });
      [status, said] = [answer.status, await jsonOf(answer, LONGEST_WORD)];
    } catch (error) {
      throw new CollectorError(`${this.base} cannot be reached (${(error as Error).message}). Send the same again later.`);
    }
    return understood(status, said, users);
  }
}

/** A device's body, as far as a gateway must understand it. */
function read(text: string): { user?: unknown }[] {
  let said: unknown = null;
  try {
    said = JSON.parse(text);
  } catch {
    // said below
  }
  const reports = (said as { reports?: unknown } | null)?.reports;
  const sound = Array.isArray(reports) && reports.length > 0 && reports.every((each) => typeof each === "object" && each !== null);
  if (!sound) throw new BadRecord('this is no body of reports: {"plan": "<id>", "reports": [...]}. Nothing was carried.');
  return reports as { user?: unknown }[];
}

/** What an answer says; anything but a collector's own is as none. */
function understood(status: number, said: unknown, users: readonly string[]): Carried {
  if (tryLater(status)) throw new CollectorError(`the collector answers ${status}; send the same again later.`, status);
  const { error, message, counted, repeated, refused } = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  if (typeof error === "string") throw new CollectorError(`the collector refuses (${error}): ${String(message)}`, status);
  const codes = Array.isArray(refused) ? refused.map((each) => ({ user: users[(each as number[])[0]!] ?? "", code: String((each as unknown[])[1]) })) : null;
  if (codes === null || Number(counted) + Number(repeated) + codes.length !== users.length) {
    throw new CollectorError("no collector answers there: perhaps a proxy does. Nothing is known to be stored; send the same again.", status);
  }
  return { counted: Number(counted), repeated: Number(repeated), refused: codes };
}
