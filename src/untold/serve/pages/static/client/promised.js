/** What the plan that a device trusted first kept to itself. A later plan, signed by the same key, may not take it back. The twin of
 * untold/device/promised.py. */
import { UntrustedPlan } from "./errors.js";
/** What a plan says. */
export function promisedBy({ services }) {
    return {
        public: services.flatMap((service) => service.public.map(({ name }) => `${service.name}.${name}`)),
        changes: services.filter(({ repeat }) => repeat === "changes").map(({ name }) => name),
    };
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
}
