/** What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out. The twin of
 * untold/device/ledger.py. */
import { BudgetExceeded } from "./errors.js";
import { NANO } from "./exact.js";
import { brief } from "./words.js";
/** One person in a memory, named as on the wire: 17 and "17" are the same. */
export class Account {
    items;
    name;
    constructor(items, user) {
        this.items = items;
        this.name = JSON.stringify(String(user));
    }
    get(...parts) {
        return this.items.get(this.key(parts));
    }
    set(value, ...parts) {
        this.items.set(this.key(parts), value);
    }
    /** The least that an accepted plan or the app has promised. */
    get lifetime() {
        const known = this.get("lifetime");
        return known === undefined ? null : BigInt(known);
    }
    /** What fresh draws have cost, in all plans and epochs. */
    get spent() {
        return BigInt(this.get("spent") ?? "0");
    }
    /** No later plan can raise what was promised once; what was spent elsewhere counts. */
    bind(promised, before) {
        const known = [this.lifetime, ...promised].filter((each) => each !== null);
        if (known.length)
            this.set(String(known.reduce((least, each) => (each < least ? each : least))), "lifetime");
        if (before > this.spent)
            this.set(String(before), "spent");
    }
    /** Take the cost of a fresh draw from the lifetime, or refuse. */
    pay(service, cost) {
        this.afford(`a new report for '${service}'`, cost);
        this.set(String(this.spent + cost), "spent");
    }
    afford(what, cost) {
        const { lifetime, spent } = this;
        if (lifetime !== null && spent + cost > lifetime)
            throw over(what, cost, "lifetime budget", lifetime, spent);
    }
    /** Take what new values of a service may cost, once and before any of them: what is left for others never depends on data. */
    setAside(plan, service, whole) {
        if (this.get("aside", plan, service) !== undefined)
            return;
        const left = this.least(whole);
        this.set(String(this.spent + left), "spent");
        this.set(`${left} 0`, "aside", plan, service);
    }
    /** Take the cost of a new value from what is set aside for the service, or refuse. */
    payAside(plan, service, cost) {
        const { whole, used } = this.affordAside(plan, service, cost, 0n);
        this.set(`${whole} ${used + cost}`, "aside", plan, service);
    }
    /** Refuse what is beyond what is set aside, or would be. What a plan that came later has promised not to spend is set aside no more. */
    affordAside(plan, service, cost, would) {
        const kept = this.get("aside", plan, service) ?? `${this.least(would)} 0`;
        const [whole, used] = kept.split(" ").map(BigInt);
        const name = `part of the lifetime budget that is set aside for '${service}'`;
        const { lifetime, spent } = this;
        const left = lifetime !== null && spent > lifetime ? whole - (spent - lifetime) : whole;
        if (used + cost > left)
            throw over(`a new value for '${service}'`, cost, name, left > 0n ? left : 0n, used);
        return { whole, used };
    }
    /** This much, or what is left of the lifetime if that is less. */
    least(amount) {
        const { lifetime, spent } = this;
        const left = lifetime === null ? amount : lifetime > spent ? lifetime - spent : 0n;
        return amount < left ? amount : left;
    }
    /** Count a report among all that leave in an epoch, new or kept, or refuse; the same one again counts once. */
    leave(epoch, what, service, cost, ceiling) {
        const start = this.key(["left", epoch, ""]);
        const others = this.items.keys().filter((key) => key.startsWith(start) && key !== start + what);
        const spent = others.reduce((sum, key) => sum + BigInt(this.items.get(key)), 0n);
        if (this.get("left", epoch, what) === undefined && ceiling !== null && spent + cost > ceiling) {
            throw over(`a report for '${service}'`, cost, `device's ceiling for epoch ${epoch}`, ceiling, spent);
        }
        this.set(String(cost), "left", epoch, what);
    }
    key(parts) {
        return [this.name, ...parts].join("/");
    }
}
/** What was asked, what remains, and the difference. */
function over(what, cost, name, most, spent) {
    const left = most > spent ? most - spent : 0n;
    return new BudgetExceeded(`${what} costs epsilon ${nano(cost)}; ${nano(left)} of the ${name} of ${nano(most)} remains, ${nano(cost - most + spent)} too little. ` +
        "Nothing was reported.");
}
function nano(value) {
    return brief(Number(value) / Number(NANO));
}
