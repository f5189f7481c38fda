/**
 * What a device remembers: the reports it has made, what they have cost, and those that still have to be sent.
 *
 * Pairs of strings. Everything that one piece of work sets is kept together or not at all, before the work's result is shown to anybody.
 */

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

/** A memory that can be read and written as a whole. */
export abstract class StoredMemory implements Memory {
  protected abstract read(): Promise<Map<string, string>>;

  protected abstract write(all: Map<string, string>, changed: ReadonlySet<string>): Promise<void>;

  /** Do this while nobody else uses the memory. */
  protected abstract held<Result>(work: () => Promise<Result>): Promise<Result>;

  exclusive<Result>(work: (items: Items) => Promise<Result>): Promise<Result> {
    return this.held(async () => {
      const draft = new Draft(await this.read());
      const result = await work(draft);
      if (draft.changed.size > 0) await this.write(draft.all, draft.changed);
      return result;
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
