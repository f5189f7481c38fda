/**
 * What a device remembers: the reports it has made, what they have cost, and those that still have to be sent.
 *
 * Pairs of strings. Everything that one piece of work sets is kept together or not at all, before the work's result is shown to anybody.
 * An app that keeps them in its account's storage makes all devices of a person share one ledger: extend `StoredMemory`.
 */

import { StoreError } from "../errors.js";

const TRIES = 1000;

/** The pairs, as one piece of work sees and changes them. */
export interface Items {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
  keys(): string[];
}

/** Where they are kept. `exclusive` waits for other work on the same memory, then for its changes to be kept. */
export interface Memory {
  exclusive<Result>(work: (items: Items) => Promise<Result>): Promise<Result>;
}

/** A memory of three methods: wait for a turn, read everything, write what changed. */
export abstract class StoredMemory implements Memory {
  protected abstract read(): Promise<Map<string, string>>;

  /** Durable when it is done. False if somebody else has written since `read`: nothing was kept, and the work is done again. */
  protected abstract write(all: Map<string, string>, changed: ReadonlySet<string>): Promise<boolean>;

  /** Do this while nobody else uses the memory, as far as that can be told; `write` tells the rest. */
  protected abstract held<Result>(work: () => Promise<Result>): Promise<Result>;

  exclusive<Result>(work: (items: Items) => Promise<Result>): Promise<Result> {
    return this.held(async () => {
      for (let i = 0; i < TRIES; i++) {
        const draft = new Draft(await this.read());
        const result = await work(draft);
        if (draft.changed.size === 0 || (await this.write(draft.all, draft.changed))) return result;
      }
      throw new StoreError("the memory is changed by others all the time. Nothing was reported. Try again later.");
    });
  }
}

class Draft implements Items {
  readonly changed = new Set<string>();

  constructor(readonly all: Map<string, string>) {}

  get(key: string): string | undefined {
    return this.all.get(key);
  }

  set(key: string, value: string): void {
    if (this.all.get(key) === value) return;
    this.all.set(key, value);
    this.changed.add(key);
  }

  delete(key: string): void {
    if (this.all.delete(key)) this.changed.add(key);
  }

  keys(): string[] {
    return [...this.all.keys()];
  }
}
