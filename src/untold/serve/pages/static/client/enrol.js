/** A fresh user key and its token, for surveys without accounts; the same ones again as long as the memory lasts. */
import { CollectorError } from "./errors.js";
import { root } from "./http.js";
/** Asks the collector once; it must run with --enrol. */
export function enrol(url, memory, fetch = globalThis.fetch) {
    const base = root(url);
    const place = `enrolled at ${base}`;
    return memory.exclusive(async (items) => {
        const known = items.get(place);
        if (known !== undefined)
            return JSON.parse(known);
        const answer = await fetch(`${base}enrol`, { method: "POST", credentials: "omit", redirect: "error" });
        const body = (await answer.json().catch(() => ({})));
        if (!answer.ok)
            throw new CollectorError(String(body.message ?? `${base}enrol answers ${answer.status}; the collector must run with --enrol.`), answer.status);
        const enrolled = { user: String(body.user), token: String(body.token) };
        items.set(place, JSON.stringify(enrolled));
        return enrolled;
    });
}
