/**
 * What a device remembers: the reports it has made, what they have cost, and those that still have to be sent.
 *
 * Pairs of strings. Everything that one piece of work sets is kept together or not at all, before the work's result is shown to anybody.
 * An app that keeps them in its account's storage makes all devices of a person share one ledger: extend `StoredMemory`.
 */
import { StoreError } from "../errors.js";
const TRIES = 1000;
/** A memory of three methods: wait for a turn, read everything, write what changed. */
export class StoredMemory {
    exclusive(work) {
        return this.held(async () => {
            for (let i = 0; i < TRIES; i++) {
                const draft = new Draft(await this.read());
                const result = await work(draft);
                if (draft.changed.size === 0 || (await this.write(draft.all, draft.changed)))
                    return result;
            }
            throw new StoreError("the memory is changed by others all the time. Nothing was reported. Try again later.");
        });
    }
}
class Draft {
    all;
    changed = new Set();
    constructor(all) {
        this.all = all;
    }
    get(key) {
        return this.all.get(key);
    }
    set(key, value) {
        if (this.all.get(key) === value)
            return;
        this.all.set(key, value);
        this.changed.add(key);
    }
    delete(key) {
        if (this.all.delete(key))
            this.changed.add(key);
    }
    keys() {
        return [...this.all.keys()];
    }
}
