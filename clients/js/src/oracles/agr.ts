/** Affine generalized response: local hashing with finitely many, linear hash functions. */

import { tilt } from "../exact.js";
import type { Fields } from "../fields.js";
import { Dice, type Randomness } from "../randomness.js";
import { WORD } from "../word.js";
import { placeOfCell } from "./cell_order.js";
import { type Message, type Oracle, checkedInteger, checkedWeights } from "./oracle.js";

const MOST_MESSAGES = 2n ** 32n;
const MOST_SIDES = 1n << 24n; // of a field, far beyond any use

/**
 * A uniform direction a, and GRR over the g values of <a, cell>; cells are vectors of t digits in F_g.
 *
 * Which prime g is best was decided when the plan was frozen. The directions are the c = (g^t - 1)/(g - 1) vectors whose first non-zero
 * digit is 1; the message is a * g + y. Cells are numbered in the order of cell_order.ts, unless the plan is older than that.
 */
export class AGR implements Oracle {
  readonly name = "agr";
  readonly width = 0;
  readonly indexes: number;
  private readonly sides: number; // g
  private readonly digits: number; // t
  private readonly scrambled: boolean;
  private readonly dice: Dice;

  constructor(
    readonly cells: number,
    readonly nano: bigint,
    frozen: Fields,
  ) {
    const sides = frozen.big("sides");
    if (sides > MOST_SIDES || !isPrime(Number(sides))) frozen.fail("'sides' must be a prime");
    let digits = 1n;
    while (sides ** digits < BigInt(cells)) digits++;
    const copies = (sides ** digits - 1n) / (sides - 1n);
    if (copies * sides > MOST_MESSAGES) frozen.fail("it has more than 2^32 messages");
    this.sides = Number(sides);
    this.digits = checkedInteger(frozen, "digits", digits);
    checkedInteger(frozen, "copies", copies);
    this.scrambled = frozen.has("scrambled");
    if (this.scrambled) checkedInteger(frozen, "scrambled", 1n);
    this.indexes = Number(copies * sides);
    this.dice = new Dice(...checkedWeights(frozen, tilt(nano, sides, (WORD - 1n) / copies)), this.sides, Number(copies));
  }

  encode(cell: number, rng: Randomness): Message {
    const { copy, offset } = rng.tilted(this.dice);
    return { index: copy * this.sides + ((this.project(copy, cell) + offset) % this.sides), extra: [] };
  }

  /** <a, cell> in F_g, the cell as the vector of its place. Direction i is the number g^m + (i - (g^m - 1)/(g - 1)) in base g, for the largest m that fits. */
  private project(direction: number, cell: number): number {
    let [power, first] = [1, 0];
    while (first + power <= direction) [first, power] = [first + power, power * this.sides];
    let [vector, total, place] = [power + direction - first, 0, this.scrambled ? placeOfCell(cell, this.sides, this.digits) : cell];
    for (let i = 0; i < this.digits; i++) {
      total += (vector % this.sides) * (place % this.sides);
      vector = Math.floor(vector / this.sides);
      place = Math.floor(place / this.sides);
    }
    return total % this.sides;
  }
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return n > 1;
}
