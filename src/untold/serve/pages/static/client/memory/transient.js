/** A memory that lasts as long as the program. */
import { inTurn } from "./alone.js";
import { StoredMemory } from "./memory.js";
export class TransientMemory extends StoredMemory {
    all = new Map();
    held(work) {
        return inTurn(this, work);
    }
    async read() {
        return new Map(this.all);
    }
    async write(all) {
        this.all = all;
        return true;
    }
}
