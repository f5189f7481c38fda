/** A memory in the browser's IndexedDB: on disk before a report is shown, for pages and workers. */

import { StoreError } from "../errors.js";
import { alone } from "./alone.js";
import { damaged } from "./journal.js";
import { StoredMemory } from "./memory.js";

const [PAIRS, VERSIONS, VERSION, NUMBER] = ["pairs", "versions", "version", "pairs"]; // NUMBER: how many pairs there must be

export class IndexedMemory extends StoredMemory {
  private database: Promise<IDBDatabase> | undefined;
  private version = 0; // of what was read last

  constructor(
    private readonly name = "untold",
    private readonly factory: IDBFactory = globalThis.indexedDB,
  ) {
    super();
  }

  /**
   * Ask the browser to keep what is stored when the disk runs full; whether it will. Some browsers ask the person. Without it a browser
   * may remove everything, and a person who comes again is somebody new, whose budget begins anew.
   */
  async persist(): Promise<boolean> {
    return (await globalThis.navigator?.storage?.persist?.()) ?? false;
  }

  /** Web Locks, which end with the tab that holds them; without them `write` finds out. */
  protected held<Result>(work: () => Promise<Result>): Promise<Result> {
    return alone(`IndexedDB ${this.name}`, work).catch((error: unknown) => {
      throw isDenied(error, "SecurityError") ? this.denied(error) : error;
    });
  }

  protected read(): Promise<Map<string, string>> {
    return this.told(() => this.readAll());
  }

  protected write(all: Map<string, string>, changed: ReadonlySet<string>): Promise<boolean> {
    return this.told(() => this.writeAll(all, changed));
  }

  /** What the browser refuses, in words. */
  private async told<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw isDenied(error) ? this.denied(error) : error;
    }
  }

  private denied({ name, message }: DOMException): StoreError {
    this.database = undefined; // the next time may do better
    return new StoreError(
      `the browser does not let this page keep anything (${name}: ${message}). Nothing was reported. Allow storage for this site ` +
        "(private windows and pages inside of others often have none), or hand in a memory of your own.",
    );
  }

  private async readAll(): Promise<Map<string, string>> {
    const transaction = (await this.open()).transaction([PAIRS, VERSIONS]);
    const pairs = transaction.objectStore(PAIRS);
    const versions = transaction.objectStore(VERSIONS);
    const asked = [answer(versions.get(VERSION)), answer(versions.get(NUMBER))] as Promise<number | undefined>[];
    const [keys, values] = await Promise.all([answer(pairs.getAllKeys()), answer(pairs.getAll())]);
    const [version, number] = await Promise.all(asked);
    if ((version === undefined) !== (number === undefined) || keys.length !== (number ?? 0)) throw damaged(`IndexedDB ${this.name}`);
    this.version = version ?? 0;
    return new Map(keys.map((key, i) => [key as string, values[i] as string]));
  }

  /** All changes in one transaction that is on disk when it ends, unless another tab came first. */
  private async writeAll(all: Map<string, string>, changed: ReadonlySet<string>): Promise<boolean> {
    const transaction = (await this.open()).transaction([PAIRS, VERSIONS], "readwrite", { durability: "strict" });
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
    const [pairs, versions] = [transaction.objectStore(PAIRS), transaction.objectStore(VERSIONS)];
    const now = ((await answer(versions.get(VERSION))) as number | undefined) ?? 0;
    if (now === this.version) {
      versions.put(now + 1, VERSION);
      versions.put(all.size, NUMBER);
      for (const key of changed) {
        const value = all.get(key);
        if (value === undefined) pairs.delete(key);
        else pairs.put(value, key);
      }
    }
    await done;
    return now === this.version;
  }

  private open(): Promise<IDBDatabase> {
    this.database ??= (async () => {
      if (this.factory === undefined || this.factory === null) throw new DOMException("there is no IndexedDB here", "SecurityError");
      const request = this.factory.open(this.name, 1);
      request.onupgradeneeded = () => [PAIRS, VERSIONS].forEach((name) => request.result.createObjectStore(name!));
      return answer(request);
    })();
    return this.database;
  }
}

function isDenied(error: unknown, name?: string): error is DOMException {
  return typeof DOMException !== "undefined" && error instanceof DOMException && (name === undefined || error.name === name);
}

function answer<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
