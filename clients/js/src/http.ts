/** The two requests of a device, and what the answers mean (docs/wire.md). */

import { LONGEST_ANSWER, LONGEST_WORD, jsonOf, textOf } from "./answers.js";
import { FORGET, JSON_TYPE, tryLater } from "./contract.js";
import { CollectorError } from "./errors.js";

export type Fetch = typeof globalThis.fetch;

export type Outcome =
  | { readonly kind: "stored"; readonly counted: boolean } // on disk: now, or since an earlier attempt
  | { readonly kind: "refused"; readonly code: string; readonly message: string } // for good
  | { readonly kind: "early" } // its epoch is not open yet
  | { readonly kind: "busy"; readonly after: number } // no answer, or not now; ms to wait at least
  | { readonly kind: "forbidden"; readonly status: number; readonly message: string }; // this device must change something first

export const TIMEOUT = 30_000; // ms
const LONGEST_KEPT_ALIVE = 16_384; // letters; browsers keep 64 KiB of all requests of a page together
const LONGEST_WAIT = 3_600_000; // ms, whatever Retry-After says
export const QUIET: RequestInit = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error", cache: "no-store" };

const HERE = /^(localhost|.*\.localhost|127\.[0-9.]+|\[::1\])$/; // this machine
const warned = new Set<string>(); // once for each host

/** The collector's address, ending with a slash. */
export function root(url: string): string {
  const here = typeof location === "undefined" ? undefined : location.href;
  const { href, protocol, hostname } = new URL(url, here);
  if (protocol === "http:" && !HERE.test(hostname) && !warned.has(hostname)) {
    warned.add(hostname);
    console.warn(
      `untold: reports and the device's token travel unencrypted to ${hostname}, and whoever is on the way can read the token, ` +
        "and answer in the collector's place. Use https://.",
    );
  }
  return href.endsWith("/") ? href : `${href}/`;
}

/** The text of GET /plan. */
export async function askPlan(base: string, fetch: Fetch = globalThis.fetch): Promise<string> {
  try {
    const answer = await fetch(`${base}plan`, { ...QUIET, signal: AbortSignal.timeout(TIMEOUT) });
    if (answer.ok) return await textOf(answer, LONGEST_ANSWER);
    throw new CollectorError(`${base}plan answers ${answer.status}; a collector of untold publishes its plan there.`, answer.status);
  } catch (error) {
    if (error instanceof CollectorError) throw error;
    throw await noAnswer(base, `${base}plan`, error, fetch);
  }
}

/** Send one report's body. */
export async function post(base: string, token: string, body: string, fetch: Fetch = globalThis.fetch, signal?: AbortSignal): Promise<Outcome> {
  signal?.throwIfAborted();
  const headers = { "Content-Type": JSON_TYPE, Authorization: `Bearer ${token}` };
  try {
    // A short one goes out even if the page is left meanwhile.
    const keepalive = body.length <= LONGEST_KEPT_ALIVE;
    const answer = await fetch(`${base}reports`, { ...QUIET, method: "POST", headers, body, keepalive, signal: AbortSignal.timeout(TIMEOUT) });
    return meaning(answer.status, Number(answer.headers.get("Retry-After")), await content(answer));
  } catch {
    const message = await blocked(base, fetch);
    if (message !== null) return { kind: "forbidden", status: 403, message };
    return { kind: "busy", after: 0 }; // no answer: it may have been counted; the very same bytes are sent again
  }
}

/** Why there was no answer. */
export async function noAnswer(base: string, address: string, error: unknown, fetch: Fetch): Promise<CollectorError> {
  const message = await blocked(base, fetch);
  if (message !== null) return new CollectorError(message, 403);
  return new CollectorError(`${address} cannot be reached (${(error as Error).message}). Try again later.`);
}

/** That a collector is there and does not let pages of this origin in; null if it is away, or this is no page of another origin. */
async function blocked(base: string, fetch: Fetch): Promise<string | null> {
  const here = globalThis.location?.origin;
  if (here === undefined || new URL(base).origin === here) return null;
  try {
    // A browser shows nothing of such an answer, but that there is one.
    await fetch(`${base}health`, { ...QUIET, mode: "no-cors", redirect: "follow", signal: AbortSignal.timeout(TIMEOUT) });
  } catch {
    return null;
  }
  return `${base} does not let pages of ${here} report. Its operator can: --allow-origin ${here}`;
}

async function content(answer: Response): Promise<Record<string, unknown>> {
  const value = await jsonOf(answer, LONGEST_WORD);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Only an answer in the collector's own form says that a report is stored or refused; after any other one it is kept. */
function meaning(status: number, after: number, answer: Record<string, unknown>): Outcome {
  const code = refusal(answer);
  if (status === 200 && code === null && isAcknowledgement(answer)) return { kind: "stored", counted: answer.counted === 1 };
  if (tryLater(status) || code === null || status < 400) return { kind: "busy", after: after > 0 ? Math.min(after * 1000, LONGEST_WAIT) : 0 };
  const message = typeof answer.message === "string" ? answer.message : `the collector answers ${status}, ${code}`;
  if (code === "epoch-not-open") return { kind: "early" };
  return FORGET.includes(code) ? { kind: "refused", code, message } : { kind: "forbidden", status, message };
}

/** One report was sent, so one was counted or repeated: {"counted": 1, "repeated": 0, "refused": []}. */
function isAcknowledgement({ counted, repeated, refused }: Record<string, unknown>): boolean {
  return Array.isArray(refused) && refused.length === 0 && ((counted === 1 && repeated === 0) || (counted === 0 && repeated === 1));
}

/** The code of {"error": code, "message": text} or of {"counted": 0, "repeated": 0, "refused": [[0, code]]}; null if it is neither. */
function refusal({ error, message, counted, repeated, refused }: Record<string, unknown>): string | null {
  if (typeof error === "string" && typeof message === "string") return error;
  if (counted !== 0 || repeated !== 0 || !Array.isArray(refused) || refused.length !== 1) return null;
  const [one] = refused as unknown[];
  return Array.isArray(one) && one.length === 2 && one[0] === 0 && typeof one[1] === "string" ? one[1] : null;
}
