/** A memory that lasts as long as the program. */

import { StoredMemory } from "./memory.js";

let count = 0;

export class TransientMemory extends StoredMemory {
  private all = new Map<string, string>();

  constructor() {
    super(`transient ${count++} of ${performance.timeOrigin}`);
  }

  protected async read(): Promise<Map<string, string>> {
    return new Map(this.all);
  }

  protected async write(all: Map<string, string>): Promise<void> {
    this.all = all;
  }
}
