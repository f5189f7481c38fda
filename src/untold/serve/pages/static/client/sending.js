/** Sends what waits in a memory, and takes the answers into account. */
import { backoff, pause } from "./backoff.js";
import { CollectorError } from "./errors.js";
import { post } from "./http.js";
import { dequeue, queued } from "./queue.js";
/** Send everything that waits. It leaves the memory when it is on disk at the other end, or will never be taken. */
export async function sendAll(memory, way, { patience = 30_000, signal } = {}, bodyOf = (kept) => kept) {
    const deadline = Date.now() + patience;
    const waiting = () => memory.exclusive(async (items) => queued(items, way.url, way.user));
    const [total, refused] = [{ counted: 0, repeated: 0 }, []];
    for (const each of await waiting()) {
        const outcome = await deliver(way, bodyOf(each.body), deadline, signal);
        if (outcome.kind === "stored")
            total[outcome.counted ? "counted" : "repeated"]++;
        if (outcome.kind === "refused")
            refused.push({ code: outcome.code, message: outcome.message });
        if (outcome.kind === "stored" || outcome.kind === "refused")
            await memory.exclusive(async (items) => dequeue(items, each));
        if (outcome.kind === "forbidden")
            throw new CollectorError(outcome.message, outcome.status);
        if (outcome.kind === "busy")
            break; // the other end is away: the others wait as well
    }
    return { ...total, refused, waiting: (await waiting()).length };
}
async function deliver(way, body, deadline, signal) {
    for (let attempt = 0;; attempt++) {
        const outcome = await post(way.url, way.token, body, way.fetch, signal);
        if (outcome.kind !== "busy")
            return outcome;
        const wait = Math.max(backoff(attempt), outcome.after);
        if (Date.now() + wait > deadline)
            return outcome;
        await pause(wait, signal);
    }
}
