/** A client that fetches its plan from a collector and sends its reports there: over HTTP, offline for days if need be. */
import { backoff, pause } from "./backoff.js";
import { Client } from "./client.js";
import { CollectorError, UntoldError } from "./errors.js";
import { dequeue, enqueue, queued } from "./queue.js";
import { askPlan, post, root } from "./http.js";
import { openPlan, readSigned } from "./signature.js";
import { lasting } from "./memory/lasting.js";
import { toJson } from "./wire.js";
export class Device {
    url;
    client;
    signed;
    options;
    constructor(url, client, signed, options) {
        this.url = url;
        this.client = client;
        this.signed = signed;
        this.options = options;
    }
    /**
     * Fetch the signed plan (or take the one in the memory when the collector cannot be reached), and refuse it if another key signed it,
     * if it was changed, or if it asks for more than `ceiling`.
     */
    static async connect(url, options) {
        if (!/^[0-9a-f]{64}$/i.test(options.token))
            throw new UntoldError("a token is 64 hexadecimal digits; the collector gives each person theirs.");
        const [base, memory] = [root(url), options.memory ?? lasting()];
        const [keyPlace, planPlace, mostPlace] = [`key of ${base}`, `plan of ${base}`, `ceiling of ${base}`];
        const remembered = await memory.exclusive(async (items) => ({ key: items.get(keyPlace), plan: items.get(planPlace), most: items.get(mostPlace) }));
        const text = await askPlan(base, options.fetch).catch((error) => {
            if (remembered.plan === undefined)
                throw error;
            return remembered.plan;
        });
        const signed = readSigned(text);
        const pinned = options.key ?? remembered.key ?? signed.key;
        const plan = await openPlan(signed, pinned, options.planId);
        const first = Number(remembered.most ?? plan.epsilon);
        const ceiling = options.ceiling ?? first;
        const client = new Client(plan, options.user, { ...options, memory, ceiling });
        await client.accepted; // from here on the plan's lifetime binds
        await memory.exclusive(async (items) => {
            items.set(keyPlace, pinned);
            items.set(planPlace, text);
            items.set(mostPlace, String(first));
        });
        return new Device(base, client, signed, options);
    }
    get plan() {
        return this.client.plan;
    }
    /** The newest epoch that the collector had open when it was asked. */
    get epoch() {
        return Math.max(...this.signed.open, 0);
    }
    /** Make a report and keep it until it is sent: in one step, so that none is paid for and lost. Null in epochs that are not this device's. */
    async report(service, rows, epoch = this.epoch) {
        if (!(await this.client.takesPart(service, epoch)))
            return null;
        return this.client.memory.exclusive(async (items) => {
            const report = await this.client.reportInto(items, service, rows, epoch);
            enqueue(items, this.url, report, this.body(report));
            return report;
        });
    }
    /** An example of what `report` would send of these rows, for the person to see; costs nothing and sends nothing. */
    preview(service, rows, epoch = this.epoch) {
        return this.client.preview(service, rows, epoch);
    }
    /** What is sent for a report: the JSON text. */
    body(report) {
        return toJson(this.plan, [report]);
    }
    /** Send everything that waits. A report leaves the memory when the collector has it on disk, or will never take it. */
    async send({ patience = 30_000, signal } = {}) {
        const deadline = Date.now() + patience;
        const [total, refused] = [{ counted: 0, repeated: 0 }, []];
        for (const each of await this.waiting()) {
            const outcome = await this.deliver(each, deadline, signal);
            if (outcome.kind === "stored")
                total[outcome.counted ? "counted" : "repeated"]++;
            if (outcome.kind === "refused")
                refused.push({ code: outcome.code, message: outcome.message });
            if (outcome.kind === "stored" || outcome.kind === "refused")
                await this.client.memory.exclusive(async (items) => dequeue(items, each));
            if (outcome.kind === "forbidden")
                throw new CollectorError(outcome.message, outcome.status);
            if (outcome.kind === "busy")
                break; // the collector is away: the others wait as well
        }
        return { ...total, refused, waiting: (await this.waiting()).length };
    }
    waiting() {
        return this.client.memory.exclusive(async (items) => queued(items, this.url, this.client.user));
    }
    async deliver({ body }, deadline, signal) {
        for (let attempt = 0;; attempt++) {
            const outcome = await post(this.url, this.options.token, body, this.options.fetch, signal);
            if (outcome.kind !== "busy")
                return outcome;
            const wait = Math.max(backoff(attempt), outcome.after);
            if (Date.now() + wait > deadline)
                return outcome;
            await pause(wait, signal);
        }
    }
}
