/** The memory of an app that gives none. */
import { IndexedMemory } from "./indexed.js";
import { TransientMemory } from "./transient.js";
/** The browser's IndexedDB where there is one: on disk before a report is shown. Else one that ends with the program. */
export function lasting() {
    return typeof indexedDB === "undefined" ? new TransientMemory() : new IndexedMemory();
}
