/** A memory that lasts as long as the program. */

import { inTurn } from "./alone.js";
import { StoredMemory } from "./memory.js";

export class TransientMemory extends StoredMemory {
  private all = new Map<string, string>();

  protected held<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(this, work);
  }

  protected async read(): Promise<Map<string, string>> {
    return new Map(this.all);
  }

  protected async write(all: Map<string, string>): Promise<boolean> {
    this.all = all;
    return true;
  }
}
