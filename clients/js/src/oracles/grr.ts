/** Generalized randomized response: the truth with probability p, each other value with probability q. */

import { tilt } from "../exact.js";
import type { Fields } from "../fields.js";
import { Dice, type Randomness } from "../randomness.js";
import { WORD } from "../word.js";
import { type Message, type Oracle, checkedWeights } from "./oracle.js";

/** Drawn as an offset from the true cell: 0 with weight heavy, each other with weight light. */
export class GRR implements Oracle {
  readonly name = "grr";
  readonly width = 0;
  private readonly dice: Dice;

  constructor(
    readonly cells: number,
    readonly nano: bigint,
    frozen: Fields,
  ) {
    this.dice = new Dice(...checkedWeights(frozen, tilt(nano, BigInt(cells), WORD - 1n)), cells, 1);
  }

  get indexes(): number {
    return this.cells;
  }

  encode(cell: number, rng: Randomness): Message {
    return { index: (cell + rng.tilted(this.dice).offset) % this.cells, extra: [] };
  }
}
