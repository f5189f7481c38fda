/** The device client: one call turns a record into a report, within a budget that the device itself keeps. The twin of untold/device/client.py. */
import { isTotal } from "./attributes.js";
import { LAST_EPOCH, LONGEST_KEY } from "./contract.js";
import { digest } from "./digest.js";
import { encode, fitted, placesOf } from "./encoder.js";
import { BadRecord, BudgetExceeded } from "./errors.js";
import { toNano } from "./exact.js";
import { drawnText, publicText, readDrawn, readPublic } from "./kept.js";
import { Account } from "./ledger.js";
import { lasting } from "./memory/lasting.js";
import { takesPart } from "./panels.js";
import { ONCE_EPOCH } from "./plan.js";
import { Secure } from "./randomness.js";
import { nanoText } from "./words.js";
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const PUBLIC_TYPES = ["string", "number", "boolean", "bigint"];
/**
 * Reports for one person; 17 and "17" are one. From now on the plan's lifetime binds whoever uses this memory.
 *
 * Within an epoch the same report comes again, byte for byte, whatever the values are by then. In the next epoch the plan says: a fresh
 * draw that costs, the one report of all epochs, or (`changes`) the same report for the same value. Two devices that do not share a
 * memory each spend a whole lifetime.
 *
 * Columns and services that the plan does not have are left out: a plan may drop some, and whoever has them goes on.
 */
export class Client {
    plan;
    user;
    memory;
    accepted; // when the plan binds; a memory that fails is told by the first report as well
    ceiling;
    lifetime;
    before;
    several;
    rng;
    constructor(plan, user, { memory = lasting(), ceiling, lifetime, spentBefore = 0, severalPeople = false, rng = new Secure() } = {}) {
        this.plan = plan;
        this.user = user;
        checkUser(user);
        this.memory = memory;
        this.rng = rng;
        this.ceiling = ceiling === undefined ? null : toNano(ceiling);
        this.lifetime = lifetime === undefined ? null : toNano(lifetime);
        this.before = toNano(spentBefore);
        this.several = severalPeople;
        if (ceiling !== undefined && !(toNano(ceiling) >= plan.nano)) {
            throw new BudgetExceeded(`plan '${plan.name}' asks for epsilon ${nanoText(plan.nano)} per epoch; this device accepts at most ${nanoText(toNano(ceiling))}, which is ` +
                `${nanoText(plan.nano - toNano(ceiling))} less. Nothing was reported.`);
        }
        this.accepted = memory.exclusive(async (items) => void this.account(items));
        this.accepted.catch(() => { });
    }
    /**
     * The report of this person for a service and an epoch, kept in the memory before it is returned; null if the plan has a panel and this
     * epoch is not one of this device's, or if the plan does not have the service. `rows` is a row or a list of rows.
     */
    async report(service, rows, epoch = 0) {
        if (!(await this.takesPart(service, epoch)))
            return null;
        return this.counted(service, epoch, (items) => this.reportInto(items, service, rows, epoch));
    }
    /** Whether this person reports to a service in an epoch: drawn and kept before any data are looked at. */
    async takesPart(service, epoch = 0) {
        checkEpoch(epoch);
        const declared = this.plan.services.find(({ name }) => name === service);
        if (declared === undefined)
            return false;
        if (this.plan.panel === null || declared.repeat === "once")
            return true;
        return this.memory.exclusive(async (items) => takesPart(this.reporting(items), this.plan, epoch, this.rng));
    }
    /**
     * An example of what `report` would send of these rows, for the person to see. It is drawn for this call alone, since nobody may choose
     * to send or not by the noise that they were shown; only what was reported before shows the very report again.
     */
    async preview(service, rows, epoch = 0) {
        if (!(await this.takesPart(service, epoch)))
            return null;
        return this.memory.exclusive(async (items) => {
            const { declared, list, places } = this.checked(service, rows, epoch);
            const account = this.account(items);
            const known = this.known(account, declared, epoch) ?? (await this.valueKept(account, declared, places));
            if (known === undefined && declared.repeat === "changes")
                account.affordAside(this.plan.name, service, declared.nano, this.aside(account, declared));
            else if (known === undefined)
                account.afford(`a new report for '${service}'`, declared.nano);
            return this.asReport(declared, epoch, known ?? this.drawn(declared, places), this.beside(account, declared, list, epoch));
        });
    }
    /** Work that makes a report. If a service that repeats `changes` cannot pay for a new value, it counts in the epoch's ceiling as if it had
     * left: what others may send tells nothing of the value. */
    async counted(service, epoch, work) {
        try {
            return await this.memory.exclusive(work);
        }
        catch (error) {
            const declared = this.plan.service(service);
            if (error instanceof BudgetExceeded && declared.repeat === "changes")
                await this.memory.exclusive(async (items) => void this.leaving(items, declared, epoch));
            throw error;
        }
    }
    /** `report` within other work on the memory, after `takesPart`. */
    async reportInto(items, service, rows, epoch) {
        const { declared, list, places } = this.checked(service, rows, epoch);
        const [account, place] = [this.leaving(items, declared, epoch), this.place(declared, epoch)];
        if (this.known(account, declared, epoch) === undefined) {
            account.set(await this.made(account, declared, places), "report", ...place);
        }
        account.set(this.beside(account, declared, list, epoch), "public", ...place);
        return this.asReport(declared, epoch, account.get("report", ...place), account.get("public", ...place));
    }
    /** What this person has spent through this memory, on all plans and epochs, in billionths of epsilon. */
    spentNano() {
        return this.memory.exclusive(async (items) => this.account(items).spent);
    }
    /** The person's account, bound by this plan: also with every report, since the memory may have been emptied meanwhile. */
    account(items) {
        const account = new Account(items, this.user, this.several);
        account.bind([this.lifetime, this.plan.lifetimeNano], this.before);
        return account;
    }
    /** The account with what services that repeat `changes` may spend set aside, whatever their values will be. */
    reporting(items) {
        const account = this.account(items);
        for (const each of this.plan.services) {
            if (each.repeat !== "changes")
                continue;
            account.adopt(["aside", this.plan.name, each.name], ["aside", this.plan.id, each.name]);
            account.setAside(this.plan.name, each.name, this.aside(account, each));
        }
        return account;
    }
    /** The same, with a report counted among what leaves in an epoch, if the ceiling allows it. */
    leaving(items, { name, nano }, epoch) {
        const account = this.reporting(items);
        account.takePart(this.plan.name, epoch, this.plan.id);
        account.leave(epoch, `${this.plan.id}/${name}`, name, nano, this.ceiling);
        return account;
    }
    aside(account, service) {
        return this.plan.asideNano(service, account.lifetime ?? this.plan.lifetimeNano);
    }
    place(service, epoch) {
        return service.repeat === "once" ? [service.mechanism, "once"] : [this.plan.id, service.name, epoch];
    }
    known(account, service, epoch) {
        if (service.repeat === "once") {
            for (const what of ["report", "public"])
                account.adopt([what, ...this.place(service, epoch)], [what, this.plan.id, service.name, "once"]);
        }
        return account.get("report", ...this.place(service, epoch));
    }
    /** The public values beside a report: as they were, and those of columns that another version adds as they are now. */
    beside(account, service, rows, epoch) {
        const kept = account.get("public", ...this.place(service, epoch));
        if (kept === undefined)
            return shown(service, rows);
        const before = readPublic(kept);
        const names = service.public.map(({ name }) => name);
        if (names.length === before.size && names.every((name) => before.has(name)))
            return kept;
        const now = readPublic(shown(service, rows));
        return publicText(names.map((name) => [name, before.has(name) ? before.get(name) : now.get(name)]));
    }
    /** What was drawn for the same values before, where the plan says so. */
    async valueKept(account, service, places) {
        if (service.repeat !== "changes")
            return undefined;
        const [place, earlier] = [service.mechanism, this.plan.id].map((each) => digest(each, service.name, places));
        account.adopt(["value", await place], ["value", await earlier]);
        return account.get("value", await place);
    }
    /** A report that is paid for, or one of the same values. */
    async made(account, service, places) {
        const before = await this.valueKept(account, service, places);
        if (before !== undefined)
            return before;
        if (service.repeat === "changes")
            account.payAside(this.plan.name, service.name, service.nano);
        else
            account.pay(service.name, service.nano);
        const fresh = this.drawn(service, places);
        if (service.repeat === "changes")
            account.set(fresh, "value", await digest(service.mechanism, service.name, places));
        return fresh;
    }
    /** The rows, if the plan allows them. */
    checked(service, rows, epoch) {
        const declared = this.plan.service(service);
        checkEpoch(epoch);
        const list = fitted(declared, Array.isArray(rows) ? rows : [rows]);
        checkNames(declared, list);
        return { declared, list, places: list.map((row) => placesOf(declared, row)) };
    }
    drawn(service, places) {
        return drawnText({ slots: encode(service, places, this.rng), insecure: this.rng.insecure });
    }
    asReport(service, epoch, drawn, beside) {
        const when = service.repeat === "once" ? ONCE_EPOCH : epoch;
        return { plan: this.plan.id, service: service.name, user: this.user, epoch: when, ...readDrawn(drawn), public: readPublic(beside) };
    }
}
/** The public values that leave with a report. */
function shown(service, rows) {
    return publicText(service.public.map(({ name }) => [name, published(rows[0], name, service.total)]));
}
/** A public value as it leaves the device. */
function published(row, name, total) {
    const value = row !== undefined && Object.hasOwn(row, name) ? (row[name] ?? null) : null;
    const sound = typeof value === "string" ? !LONE_SURROGATE.test(value) : typeof value !== "number" || Number.isFinite(value);
    if (value === null || (sound && PUBLIC_TYPES.includes(typeof value)))
        return value;
    if (total)
        return null;
    throw new BadRecord(`public column '${name}' must be a string of valid Unicode, a finite number, a boolean or null.`);
}
function checkUser(user) {
    const sound = typeof user === "string" ? user !== "" && !LONE_SURROGATE.test(user) && new TextEncoder().encode(user).length <= LONGEST_KEY : Number.isSafeInteger(user);
    if (!sound)
        throw new BadRecord(`a user key is a string of 1 to ${LONGEST_KEY} bytes of valid Unicode, or an integer below 2^53.`);
}
function checkEpoch(epoch) {
    if (!Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH)
        throw new BadRecord(`epoch ${epoch} is not an integer in 0..2^31 - 1.`);
}
function checkNames(service, rows) {
    const names = service.attributes.map((each) => each.name);
    rows.forEach((row, number) => {
        const missing = service.attributes.filter((each) => each.role !== "public" && !("mayBeMissing" in each) && !isTotal(each) && !Object.hasOwn(row, each.name)).map((each) => each.name);
        if (missing.length > 0)
            throw new BadRecord(`row ${number} of service '${service.name}': missing ${missing.join(", ")}; the plan has ${names.join(", ")}.`);
    });
}
