/** A memory in the browser's IndexedDB: also for workers, and without localStorage's limit of a few megabytes. */
import { alone } from "./alone.js";
import { StoredMemory } from "./memory.js";
const PAIRS = "pairs";
export class IndexedMemory extends StoredMemory {
    name;
    factory;
    database;
    constructor(name = "untold", factory = globalThis.indexedDB) {
        super();
        this.name = name;
        this.factory = factory;
    }
    held(work) {
        return alone(`IndexedDB ${this.name}`, work);
    }
    async read() {
        const pairs = (await this.open()).transaction(PAIRS).objectStore(PAIRS);
        const [keys, values] = await Promise.all([answer(pairs.getAllKeys()), answer(pairs.getAll())]);
        return new Map(keys.map((key, i) => [key, values[i]]));
    }
    /** All changes in one transaction, on disk when it ends. */
    async write(all, changed) {
        const transaction = (await this.open()).transaction(PAIRS, "readwrite", { durability: "strict" });
        const pairs = transaction.objectStore(PAIRS);
        for (const key of changed) {
            const value = all.get(key);
            if (value === undefined)
                pairs.delete(key);
            else
                pairs.put(value, key);
        }
        await new Promise((resolve, reject) => {
            transaction.oncomplete = () => resolve();
            transaction.onerror = transaction.onabort = () => reject(transaction.error);
        });
    }
    open() {
        this.database ??= (() => {
            const request = this.factory.open(this.name, 1);
            request.onupgradeneeded = () => request.result.createObjectStore(PAIRS);
            return answer(request);
        })();
        return this.database;
    }
}
function answer(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
