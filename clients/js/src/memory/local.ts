/** A memory in the browser's localStorage, under one name: a change is kept whole or not at all. */

import { StoreError } from "../errors.js";
import { alone } from "./alone.js";
import { StoredMemory } from "./memory.js";
import { fromText, toText } from "./text.js";

/** What this memory asks of localStorage. */
export type Store = Pick<Storage, "getItem" | "setItem">;

export class LocalMemory extends StoredMemory {
  constructor(
    private readonly name = "untold",
    private readonly store: Store = globalThis.localStorage,
  ) {
    super();
  }

  protected held<Result>(work: () => Promise<Result>): Promise<Result> {
    return alone(`localStorage ${this.name}`, work);
  }

  protected async read(): Promise<Map<string, string>> {
    return fromText(this.store.getItem(this.name), `localStorage["${this.name}"]`);
  }

  protected async write(all: Map<string, string>): Promise<void> {
    try {
      this.store.setItem(this.name, toText(all));
    } catch (error) {
      throw new StoreError(`the browser does not keep what untold must remember (${(error as Error).message}). Nothing was reported.`);
    }
  }
}
