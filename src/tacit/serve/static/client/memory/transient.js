/** A memory that lasts as long as the program. */
import { StoredMemory } from "./memory.js";
let count = 0;
export class TransientMemory extends StoredMemory {
    all = new Map();
    constructor() {
        super(`transient ${count++} of ${performance.timeOrigin}`);
    }
    async read() {
        return new Map(this.all);
    }
    async write(all) {
        this.all = all;
    }
}
