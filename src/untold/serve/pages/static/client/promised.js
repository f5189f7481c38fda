/** What the plan that a device trusted first kept to itself. A later plan, signed by the same key, may not take it back. The twin of
 * untold/device/promised.py. */
import { UntrustedPlan } from "./errors.js";
/** What a plan says. */
export function promisedBy({ services, text }) {
    const declared = JSON.parse(text).declared.services;
    const domains = services.map(({ name, rows, total, attributes }) => {
        const secret = attributes.filter(({ role }) => role !== "public").map((each) => [each.name, declared[name].attributes[each.name]]);
        return [name, { rows: total ? "any" : (rows?.max ?? null), columns: Object.fromEntries(secret) }];
    });
    return {
        domains: Object.fromEntries(domains),
        public: services.flatMap((service) => service.public.map(({ name }) => `${service.name}.${name}`)),
        changes: services.filter(({ repeat }) => repeat === "changes").map(({ name }) => name),
    };
}
/** With the rows that a plan allows beside those that were: it has passed `checkPromised`, so its domains hold the others. */
export function grown(before, plan) {
    const now = Object.entries(promisedBy(plan).domains).map(([name, { rows, columns }]) => {
        const old = Object.hasOwn(before.domains, name) ? before.domains[name].columns : {};
        return [name, { rows, columns: { ...old, ...columns } }];
    });
    return { ...before, domains: { ...before.domains, ...Object.fromEntries(now) } };
}
/** Refuse a plan with another exception. */
export function checkPromised(plan, known) {
    const now = promisedBy(plan);
    const bare = now.public.filter((name) => !known.public.includes(name));
    if (bare.length > 0) {
        throw new UntrustedPlan(`plan '${plan.name}' would send ${bare.join(", ")} as it is; this device was not asked to before. Nothing was reported.\n` +
            "Hint: if that is meant, the app says so: public: [...], all columns that may leave as they are.");
    }
    const shown = now.changes.filter((name) => !known.changes.includes(name));
    if (shown.length > 0) {
        throw new UntrustedPlan(`plan '${plan.name}' would show when a value of ${shown.join(", ")} changes; this device was not asked to before. Nothing was reported.\n` +
            "Hint: if that is meant, the app says so: changes: [...], all services that may.");
    }
    const silent = leftOut(known.domains, now.domains);
    if (silent.length > 0) {
        throw new UntrustedPlan(`plan '${plan.name}' leaves out rows of ${silent.join(", ")} that were allowed before: whoever has one would fall silent, and that would tell ` +
            "it. Nothing was reported.\nHint: with other or clip a column takes every value. If it is meant, the app says so: planId, the one plan to follow.");
    }
    const added = addedInPart(known.domains, now.domains);
    if (added.length > 0) {
        throw new UntrustedPlan(`plan '${plan.name}' adds ${added.join(", ")} and does not take every value there: whoever has another would fall silent, and that would tell ` +
            "it. Nothing was reported.\nHint: a column that comes later needs other or clip. If it is meant, the app says so: planId, the one plan to follow.");
    }
}
/** Where rows that were allowed are not any more: services and columns that both have. A public column takes any value. */
function leftOut(before, now) {
    return Object.entries(before).flatMap(([service, old]) => {
        const made = Object.hasOwn(now, service) ? now[service] : undefined;
        if (made === undefined)
            return [];
        const columns = Object.entries(old.columns).filter(([name, each]) => Object.hasOwn(made.columns, name) && isNarrower(each, made.columns[name]));
        return [...(fewerRows(old.rows, made.rows) ? [service] : []), ...columns.map(([name]) => `${service}.${name}`)];
    });
}
/** Columns that no plan had before and that do not take every value: what people have there was never looked at. */
function addedInPart(before, now) {
    return Object.entries(now).flatMap(([service, { columns }]) => {
        const known = Object.hasOwn(before, service) ? before[service].columns : {};
        return Object.entries(columns).flatMap(([name, each]) => (Object.hasOwn(known, name) || isTotal(each) ? [] : [`${service}.${name}`]));
    });
}
/** Whether a column as it is declared refuses nothing. */
function isTotal(declared) {
    return declared["clip"] === true || "other" in declared;
}
/** Whether a number of rows was allowed and is not any more; null: exactly one row. */
function fewerRows(old, made) {
    if (made === "any" || old === null)
        return false;
    return old === "any" || (made ?? 0) < old;
}
const ANY = -1; // number of digits
/** Digits behind the point that numbers may have; ANY for numbers on a grid or in classes that say nothing of digits. */
function digitsOf(declared) {
    return declared["digits"] ?? ("bins" in declared || "cuts" in declared ? ANY : 0);
}
/** Whether a declared domain has lost values. Integers fit where any number does; numbers do not fit elsewhere. */
function isNarrower(old, made) {
    if (isTotal(made) || isTotal(old))
        return !isTotal(made);
    if (["kind", "step"].some((key) => old[key] !== made[key]))
        return true;
    if ("low" in old !== "low" in made)
        return true;
    if (digitsOf(old) !== digitsOf(made) && !(digitsOf(old) === 0 && digitsOf(made) === ANY))
        return true;
    if (old["missing"] && !made["missing"])
        return true;
    if ("low" in old)
        return made["low"] > old["low"] || made["high"] < old["high"];
    return old["values"].some((value) => !made["values"].includes(value));
}
