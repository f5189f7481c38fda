/** Generalized randomized response: the truth with probability p, each other value with probability q. */
import { tilt } from "../exact.js";
import { Dice } from "../randomness.js";
import { WORD } from "../word.js";
import { checkedWeights } from "./oracle.js";
/** Drawn as an offset from the true cell: 0 with weight heavy, each other with weight light. */
export class GRR {
    cells;
    nano;
    name = "grr";
    width = 0;
    dice;
    constructor(cells, nano, frozen) {
        this.cells = cells;
        this.nano = nano;
        this.dice = new Dice(...checkedWeights(frozen, tilt(nano, BigInt(cells), WORD - 1n)), cells, 1);
    }
    get indexes() {
        return this.cells;
    }
    encode(cell, rng) {
        return { index: (cell + rng.tilted(this.dice).offset) % this.cells, extra: [] };
    }
}
