/** A fresh user key and its token, for surveys without accounts; the same ones again as long as the memory lasts. */
import { LONGEST_WORD, jsonOf } from "./answers.js";
import { LONGEST_KEY } from "./contract.js";
import { CollectorError } from "./errors.js";
import { QUIET, TIMEOUT, noAnswer, root } from "./http.js";
/** Asks the collector once; it must run with --enrol. An answer in any other form than the collector's enrols nobody. */
export function enrol(url, memory, fetch = globalThis.fetch) {
    const base = root(url);
    const place = `enrolled at ${base}`;
    return memory.exclusive(async (items) => {
        const known = enrolled(parsed(items.get(place)));
        if (known !== null)
            return known;
        const [status, body] = await ask(base, fetch);
        const fresh = status === 200 ? enrolled(body) : null;
        if (fresh === null)
            throw new CollectorError(complaint(`${base}enrol`, status, body), status);
        items.set(place, JSON.stringify(fresh));
        return fresh;
    });
}
async function ask(base, fetch) {
    try {
        const answer = await fetch(`${base}enrol`, { ...QUIET, method: "POST", signal: AbortSignal.timeout(TIMEOUT) });
        return [answer.status, await jsonOf(answer, LONGEST_WORD)];
    }
    catch (error) {
        throw await noAnswer(base, `${base}enrol`, error, fetch);
    }
}
/** A user key and a token as a collector writes them; null for anything else. */
function enrolled(value) {
    const { user, token } = (typeof value === "object" && value !== null ? value : {});
    const sound = typeof user === "string" && user !== "" && user.length <= LONGEST_KEY && typeof token === "string" && /^[0-9a-f]{64}$/.test(token);
    return sound ? { user, token } : null;
}
function parsed(text) {
    try {
        return text === undefined ? null : JSON.parse(text);
    }
    catch {
        return null; // changed in the memory: a new one is asked for
    }
}
function complaint(address, status, body) {
    const said = body?.message;
    if (status !== 200 && typeof said === "string")
        return said;
    if (status !== 200)
        return `${address} answers ${status}; the collector must run with --enrol.`;
    return `${address} does not answer as a collector does (a network's log-in page?). Nobody was enrolled; try again later.`;
}
