/** A memory in the browser's IndexedDB: on disk before a report is shown, for pages and workers. */
import { alone } from "./alone.js";
import { StoredMemory } from "./memory.js";
const [PAIRS, VERSIONS, VERSION] = ["pairs", "versions", "version"];
export class IndexedMemory extends StoredMemory {
    name;
    factory;
    database;
    version = 0; // of what was read last
    constructor(name = "untold", factory = globalThis.indexedDB) {
        super();
        this.name = name;
        this.factory = factory;
    }
    /** Web Locks, which end with the tab that holds them; without them `write` finds out. */
    held(work) {
        return alone(`IndexedDB ${this.name}`, work);
    }
    async read() {
        const transaction = (await this.open()).transaction([PAIRS, VERSIONS]);
        const pairs = transaction.objectStore(PAIRS);
        const version = answer(transaction.objectStore(VERSIONS).get(VERSION));
        const [keys, values] = await Promise.all([answer(pairs.getAllKeys()), answer(pairs.getAll())]);
        this.version = (await version) ?? 0;
        return new Map(keys.map((key, i) => [key, values[i]]));
    }
    /** All changes in one transaction that is on disk when it ends, unless another tab came first. */
    async write(all, changed) {
        const transaction = (await this.open()).transaction([PAIRS, VERSIONS], "readwrite", { durability: "strict" });
        const done = new Promise((resolve, reject) => {
            transaction.oncomplete = () => resolve();
            transaction.onerror = transaction.onabort = () => reject(transaction.error);
        });
        const [pairs, versions] = [transaction.objectStore(PAIRS), transaction.objectStore(VERSIONS)];
        const now = (await answer(versions.get(VERSION))) ?? 0;
        if (now === this.version) {
            versions.put(now + 1, VERSION);
            for (const key of changed) {
                const value = all.get(key);
                if (value === undefined)
                    pairs.delete(key);
                else
                    pairs.put(value, key);
            }
        }
        await done;
        return now === this.version;
    }
    open() {
        this.database ??= (() => {
            const request = this.factory.open(this.name, 1);
            request.onupgradeneeded = () => [PAIRS, VERSIONS].forEach((name) => request.result.createObjectStore(name));
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
