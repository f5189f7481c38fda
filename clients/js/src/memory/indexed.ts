/** A memory in the browser's IndexedDB: also for workers, and without localStorage's limit of a few megabytes. */

import { alone } from "./alone.js";
import { StoredMemory } from "./memory.js";

const PAIRS = "pairs";

export class IndexedMemory extends StoredMemory {
  private database: Promise<IDBDatabase> | undefined;

  constructor(
    private readonly name = "untold",
    private readonly factory: IDBFactory = globalThis.indexedDB,
  ) {
    super();
  }

  protected held<Result>(work: () => Promise<Result>): Promise<Result> {
    return alone(`IndexedDB ${this.name}`, work);
  }

  protected async read(): Promise<Map<string, string>> {
    const pairs = (await this.open()).transaction(PAIRS).objectStore(PAIRS);
    const [keys, values] = await Promise.all([answer(pairs.getAllKeys()), answer(pairs.getAll())]);
    return new Map(keys.map((key, i) => [key as string, values[i] as string]));
  }

  /** All changes in one transaction, on disk when it ends. */
  protected async write(all: Map<string, string>, changed: ReadonlySet<string>): Promise<void> {
    const transaction = (await this.open()).transaction(PAIRS, "readwrite", { durability: "strict" });
    const pairs = transaction.objectStore(PAIRS);
    for (const key of changed) {
      const value = all.get(key);
      if (value === undefined) pairs.delete(key);
      else pairs.put(value, key);
    }
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  private open(): Promise<IDBDatabase> {
    this.database ??= (() => {
      const request = this.factory.open(this.name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(PAIRS);
      return answer(request);
    })();
    return this.database;
  }
}

function answer<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
