/** The two requests of a device, and what the answers mean (docs/wire.md). */
import { CollectorError } from "./errors.js";
import { JSON_TYPE } from "./wire.js";
const TIMEOUT = 30_000; // ms
const FORBIDDEN = [401, 403, 404, 405];
const QUIET = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error", cache: "no-store" };
/** The collector's address, ending with a slash. */
export function root(url) {
    const here = typeof location === "undefined" ? undefined : location.href;
    const { href } = new URL(url, here);
    return href.endsWith("/") ? href : `${href}/`;
}
/** The text of GET /plan. */
export async function askPlan(base, fetch = globalThis.fetch) {
    try {
        const answer = await fetch(`${base}plan`, { ...QUIET, signal: AbortSignal.timeout(TIMEOUT) });
        if (answer.ok)
            return await answer.text();
        throw new CollectorError(`${base}plan answers ${answer.status}; a collector of untold publishes its plan there.`, answer.status);
    }
    catch (error) {
        if (error instanceof CollectorError)
            throw error;
        throw new CollectorError(`${base}plan cannot be reached (${error.message}). Try again later.`);
    }
}
/** Send one report's body. */
export async function post(base, token, body, fetch = globalThis.fetch, signal) {
    signal?.throwIfAborted();
    const headers = { "Content-Type": JSON_TYPE, Authorization: `Bearer ${token}` };
    try {
        const answer = await fetch(`${base}reports`, { ...QUIET, method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT) });
        return meaning(answer.status, Number(answer.headers.get("Retry-After")), await content(answer));
    }
    catch {
        return { kind: "busy", after: 0 }; // no answer: it may have been counted; the very same bytes are sent again
    }
}
async function content(answer) {
    const value = await answer.json().catch(() => null);
    return typeof value === "object" && value !== null ? value : {};
}
function meaning(status, after, answer) {
    const list = Array.isArray(answer.refused) ? answer.refused : [];
    const code = String(answer.error ?? list[0]?.[1] ?? status);
    const message = String(answer.message ?? `the collector answers ${status}, ${code}`);
    if (status === 200 && list.length === 0)
        return { kind: "stored", counted: answer.counted === 1 };
    if (status === 422 && code === "epoch-not-open")
        return { kind: "early" };
    if (FORBIDDEN.includes(status))
        return { kind: "forbidden", status, message };
    if (status === 429 || status >= 500 || status === 408)
        return { kind: "busy", after: after > 0 ? after * 1000 : 0 };
    return { kind: "refused", code, message };
}
