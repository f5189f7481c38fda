/** A memory in the browser's localStorage, under one name: a change is kept whole or not at all. */
import { StoreError } from "../errors.js";
import { alone } from "./alone.js";
import { StoredMemory } from "./memory.js";
import { fromText, toText } from "./text.js";
export class LocalMemory extends StoredMemory {
    name;
    store;
    constructor(name = "untold", store = globalThis.localStorage) {
        super();
        this.name = name;
        this.store = store;
    }
    held(work) {
        return alone(`localStorage ${this.name}`, work);
    }
    async read() {
        return fromText(this.store.getItem(this.name), `localStorage["${this.name}"]`);
    }
    async write(all) {
        try {
            this.store.setItem(this.name, toText(all));
        }
        catch (error) {
            throw new StoreError(`the browser does not keep what untold must remember (${error.message}). Nothing was reported.`);
        }
    }
}
