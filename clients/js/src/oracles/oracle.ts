/** What an oracle is on a device: one cell in, one message out, drawn with the integers of the plan. */

import type { Fields } from "../fields.js";
import type { Randomness } from "../randomness.js";

/** One report about one cell: an index, and for some oracles public salt beside it. */
export interface Message {
  readonly index: number;
  readonly extra: readonly bigint[];
}

export interface Oracle {
  readonly name: string;
  readonly cells: number;
  readonly nano: bigint; // epsilon in billionths
  readonly indexes: number; // how many values the index of a message can take
  readonly width: number; // bits of each number in `extra`; 0 where there is none

  /** Perturb one cell, with the same draws whatever the cell is. */
  encode(cell: number, rng: Randomness): Message;
}

/**
 * The weights of an oracle's offsets, after checking that they are the very integers that its epsilon allows.
 *
 * A plan that claims a small epsilon and carries weights of a larger one ends here.
 */
export function checkedWeights(frozen: Fields, expected: readonly [bigint, bigint]): [bigint, bigint] {
  const [heavy, light] = [frozen.big("heavy"), frozen.big("light")];
  if (heavy !== expected[0] || light !== expected[1]) frozen.fail(`its weights are not those of its epsilon, ${expected.join(" and ")}`);
  if (heavy < light || light < 1n) frozen.fail("its epsilon is too small for its cells: the truth would be less likely than a lie");
  return [heavy, light];
}

/** The integer that a field must hold, which is derived from others. */
export function checkedInteger(frozen: Fields, name: string, expected: bigint): number {
  return frozen.big(name) === expected ? Number(expected) : frozen.fail(`'${name}' must be ${expected}`);
}
