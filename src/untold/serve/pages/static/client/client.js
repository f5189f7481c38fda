/** The device client: one call turns a record into a report, within a budget that the device itself keeps. The twin of untold/device/client.py. */
import { LAST_EPOCH, LONGEST_KEY } from "./contract.js";
import { digest } from "./digest.js";
import { encode, placesOf } from "./encoder.js";
import { AlreadyReported, BadRecord, BudgetExceeded } from "./errors.js";
import { NANO, toNano } from "./exact.js";
import { TransientMemory } from "./memory/transient.js";
import { Secure } from "./randomness.js";
import { brief } from "./words.js";
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const PUBLIC_TYPES = ["string", "number", "boolean", "bigint"];
/**
 * Reports for one person.
 *
 * The same value again gives the very same report, at no cost: fresh noise on every collection would average out. A new value costs the
 * service's share of epsilon; beyond the lifetime it is refused.
 */
export class Client {
    plan;
    user;
    memory;
    ceiling;
    lifetime;
    rng;
    constructor(plan, user, { memory = new TransientMemory(), ceiling, lifetime, rng = new Secure() } = {}) {
        this.plan = plan;
        this.user = user;
        checkUser(user);
        this.memory = memory;
        this.rng = rng;
        this.ceiling = ceiling === undefined ? null : toNano(ceiling);
        this.lifetime = lifetime === undefined ? null : toNano(lifetime);
        if (ceiling !== undefined && !(toNano(ceiling) >= plan.nano)) {
            throw new BudgetExceeded(`plan '${plan.name}' asks for epsilon ${brief(plan.epsilon)} per epoch; this device accepts at most ${brief(ceiling)}, which is ` +
                `${brief(plan.epsilon - ceiling)} less. Nothing was reported.`);
        }
    }
    /** The report of this person for a service and an epoch, kept in the memory before it is returned. `rows` is a row or a list of rows. */
    report(service, rows, epoch = 0) {
        return this.memory.exclusive((items) => this.reportInto(items, service, rows, epoch));
    }
    /**
     * An example of what `report` would send of these rows, for the person to see. It is drawn for this call alone, since nobody may choose
     * to send or not by the noise that they were shown; only values that were reported before show the very report again.
     */
    preview(service, rows, epoch = 0) {
        return this.memory.exclusive(async (items) => {
            const { declared, list, places, name } = await this.checked(service, rows, epoch);
            const known = items.get(this.key("kept", name));
            if (known === undefined)
                this.afford(items, declared, epoch);
            return this.asReport(declared, list, epoch, known ?? this.drawn(declared, places));
        });
    }
    /** `report` within other work on the memory. */
    async reportInto(items, service, rows, epoch) {
        const { declared, list, places, name } = await this.checked(service, rows, epoch);
        const [sentKey, keptKey] = [this.key("sent", this.plan.id, service, epoch), this.key("kept", name)];
        if ((items.get(sentKey) ?? name) !== name) {
            throw new AlreadyReported(`service '${service}' was already reported for epoch ${epoch}, with other values. One person sends one report per service and epoch; ` +
                "report the new values in the next epoch.");
        }
        if (items.get(keptKey) === undefined) {
            this.afford(items, declared, epoch);
            items.set(keptKey, this.drawn(declared, places));
            const lifetime = this.leastLifetime(items);
            if (lifetime !== null)
                items.set(this.key("lifetime"), String(lifetime));
            for (const what of ["spent", `spent in ${epoch}`])
                items.set(this.key(what), String(this.spent(items, what) + declared.nano));
        }
        items.set(sentKey, name);
        return this.asReport(declared, list, epoch, items.get(keptKey));
    }
    /** What this person has spent through this memory, on all plans and epochs, in billionths of epsilon. */
    spentNano() {
        return this.memory.exclusive(async (items) => this.spent(items, "spent"));
    }
    /** The rows, if the plan allows them, and their name. */
    async checked(service, rows, epoch) {
        const declared = this.plan.service(service);
        if (!Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH)
            throw new BadRecord(`epoch ${epoch} is not an integer in 0..2^31 - 1.`);
        const list = Array.isArray(rows) ? rows : [rows];
        checkNames(declared, list);
        const places = list.map((row) => placesOf(declared, row));
        return { declared, list, places, name: await digest(this.plan.id, service, places) };
    }
    drawn(service, places) {
        return toText({ slots: encode(service, places, this.rng), insecure: this.rng.insecure });
    }
    asReport(service, rows, epoch, text) {
        const shown = service.public.map(({ name }) => [name, published(rows[0], name)]);
        return { plan: this.plan.id, service: service.name, user: this.user, epoch, ...fromText(text), public: new Map(shown) };
    }
    key(...parts) {
        return [JSON.stringify(this.user), ...parts].join("/");
    }
    spent(items, what) {
        return BigInt(items.get(this.key(what)) ?? "0");
    }
    /** The least that was given, that this plan promises, or that an earlier one promised: a new plan must not undo it. */
    leastLifetime(items) {
        const before = items.get(this.key("lifetime"));
        const known = [this.lifetime, this.plan.lifetimeNano, before === undefined ? null : BigInt(before)].filter((each) => each !== null);
        return known.length ? known.reduce((least, each) => (each < least ? each : least)) : null;
    }
    afford(items, service, epoch) {
        const cost = service.nano;
        const budgets = [
            ["lifetime budget", this.leastLifetime(items), this.spent(items, "spent")],
            ["device's ceiling for one epoch", this.ceiling, this.spent(items, `spent in ${epoch}`)],
        ];
        for (const [name, most, spent] of budgets) {
            if (most !== null && spent + cost > most) {
                throw new BudgetExceeded(`a new report for '${service.name}' costs epsilon ${nano(cost)}; ${nano(most - spent)} of the ${name} of ${nano(most)} remains, ` +
                    `${nano(cost - most + spent)} too little. Nothing was reported.`);
            }
        }
    }
}
/** The form that the Python client keeps as well: seeds as strings. */
function toText({ slots, insecure }) {
    return JSON.stringify({ slots: slots.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)])), insecure });
}
function fromText(text) {
    const { slots, insecure } = JSON.parse(text);
    return { slots: slots.map((slot) => slot.map(([index, extra]) => ({ index, extra: extra.map(BigInt) }))), insecure };
}
function nano(value) {
    return brief(Number(value) / Number(NANO));
}
/** A public value as it leaves the device. */
function published(row, name) {
    const value = row !== undefined && Object.hasOwn(row, name) ? (row[name] ?? null) : null;
    const sound = typeof value === "string" ? !LONE_SURROGATE.test(value) : typeof value !== "number" || Number.isFinite(value);
    if (value === null || (sound && PUBLIC_TYPES.includes(typeof value)))
        return value;
    throw new BadRecord(`public column '${name}' must be a string of valid Unicode, a finite number, a boolean or null.`);
}
function checkUser(user) {
    const sound = typeof user === "string" ? user !== "" && !LONE_SURROGATE.test(user) && new TextEncoder().encode(user).length <= LONGEST_KEY : Number.isSafeInteger(user);
    if (!sound)
        throw new BadRecord(`a user key is a string of 1 to ${LONGEST_KEY} bytes of valid Unicode, or an integer below 2^53.`);
}
function checkNames(service, rows) {
    const names = service.attributes.map((each) => each.name);
    rows.forEach((row, number) => {
        const unknown = Object.keys(row).filter((name) => !names.includes(name));
        const missing = service.attributes.filter((each) => each.kind !== "public" && !Object.hasOwn(row, each.name)).map((each) => each.name);
        if (unknown.length || missing.length) {
            const what = unknown.length ? `unknown ${unknown.join(", ")}` : `missing ${missing.join(", ")}`;
            throw new BadRecord(`row ${number} of service '${service.name}': ${what}; the plan has ${names.join(", ")}.`);
        }
    });
}
