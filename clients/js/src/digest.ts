/** A name for a set of rows that does not show it. */

import type { Places } from "./encoder.js";
import { sha256 } from "./webcrypto.js";
import { repr } from "./words.js";

/** Equal values have one name however they are written, in any order of rows; the same name as in Python. */
export async function digest(plan: string, service: string, rows: readonly Places[]): Promise<string> {
  const written = [...rows].sort(compare).map((row) => `[${row.map(write).join(", ")}]`);
  return sha256(`["${plan}", "${service}", [${written.join(", ")}]]`);
}

function write([code, fraction]: Places[number]): string {
  return `[${code}, ${repr(fraction)}]`;
}

function compare(a: Places, b: Places): number {
  const [left, right] = [a, b].map((row) => row.flatMap(([code, fraction]) => [code, fraction])) as [number[], number[]];
  const first = left.findIndex((each, i) => each !== right[i]);
  return first < 0 ? 0 : left[first]! - right[first]!;
}
