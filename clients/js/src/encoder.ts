/**
 * One person's rows in, that person's messages out: the twin of untold/device/encoder.py, draw for draw.
 *
 * Every step draws the same number of words whatever the values are.
 */

import { type Position, type Sensitive, searched } from "./attributes.js";
import type { Rounded } from "./designs.js";
import { BadRecord } from "./errors.js";
import { type Tree, cellOf } from "./hierarchy.js";
import type { Message } from "./oracles/index.js";
import type { Service } from "./plan.js";
import type { Randomness } from "./randomness.js";
import { cellOfText } from "./texts.js";
import { weightOf } from "./word.js";
import { show } from "./words.js";

export type Row = Readonly<Record<string, unknown>>;
export type Slot = readonly Message[];

/** Where the values of a row lie. An `each` attribute comes first. */
export type Places = readonly Position[];

/** A person's rows; where the plan refuses none, as it wants them: the first of several where there should be one, an empty one where there is
 * none or something else than a row. Of more than `max` rows one is drawn as of fewer. */
export function fitted(service: Service, rows: readonly Row[]): readonly Row[] {
  if (!service.total) return rows;
  const sound = rows.map((row: unknown) => (typeof row === "object" && row !== null && !Array.isArray(row) ? (row as Row) : {}));
  return service.rows === null ? [...sound, {}].slice(0, 1) : sound;
}

/** The places of a row. Refuses what the plan does not allow. */
export function placesOf(service: Service, row: Row): Places {
  const told = service.each === null ? service.sensitive : [service.each, ...service.sensitive];
  return told.map((each) => each.position(row[each.name]));
}

/** Messages for each slot. Exactly one row is expected, or for services with `rows_per_user` up to its `max`, none included. */
export function encode(service: Service, rows: readonly Places[], rng: Randomness): Slot[] {
  const limits = service.rows;
  if (limits === null) {
    if (rows.length !== 1) {
      throw new BadRecord(
        `service '${service.name}' has exactly one row per person, not ${rows.length}.\nHint: declare rows_per_user = { max = ... } in the plan.`,
      );
    }
    return [messages(service, codes(service.sensitive, rows[0]!, rng), rng, rows[0]!)];
  }
  return parted(service, rows).flatMap(({ own, of }) => {
    if (own.length > limits.max && !service.total) {
      throw new BadRecord(`${own.length} rows for one person${of}, but service '${service.name}' allows at most ${limits.max} (rows_per_user).`);
    }
    return Array.from({ length: limits.report }, () => messages(service, sampled(service, own, limits.max, rng), rng));
  });
}

/** The rows of each value of the service's `each` attribute, with words for messages; all rows where there is none. */
function parted({ each }: Service, rows: readonly Places[]): { own: readonly Places[]; of: string }[] {
  if (each === null) return [{ own: rows, of: "" }];
  return each.values.map((value, code) => ({
    own: rows.filter((row) => row[0]![0] === code).map((row) => row.slice(1)),
    of: ` and ${each.name} = ${show(value)}`,
  }));
}

/** One of the rows, at random, and the hidden weight: 1 with probability (number of rows) / max. Somebody without rows sends a dummy of
 * weight 0, drawn with as many words. */
function sampled(service: Service, rows: readonly Places[], most: number, rng: Randomness): number[] {
  const padded = rows.length ? rows : [service.sensitive.map(() => [0, 0] as const)];
  const index = rng.below(padded.length);
  const weight = Number(rng.below(most) < rows.length);
  return [...codes(service.sensitive, padded[index]!, rng), weight];
}

/** The coded values of a row, numbers rounded at random to a neighbouring knot. */
function codes(sensitive: readonly Sensitive[], places: Places, rng: Randomness): number[] {
  return sensitive.map((attribute, i) => {
    const [code, fraction] = places[i]!;
    return attribute.rounds ? code + rng.chance(weightOf(fraction)) : code;
  });
}

/** The columns of the design's space: the attributes, their roundings with one draw for each, and the hidden weight. */
function columns({ design, rows }: Service, codes: readonly number[], rng: Randomness): readonly number[] {
  const roundings = design.derived.filter((each): each is Rounded => each.kind !== "text");
  if (roundings.length === 0) return codes;
  const weight = rows === null ? 0 : codes.at(-1)!;
  const added = roundings.map((each, i) => {
    const value = codes[each.attribute]!;
    const up = Number(rng.below(Math.max(each.size - 1, 1)) < value);
    return rounded(each, design.trees[design.attributes + i]!, value, up, weight);
  });
  return [...codes.slice(0, design.attributes), ...added, ...(design.hidden ? [weight] : [])];
}

function rounded({ kind }: Rounded, tree: Tree, value: number, up: number, weight: number): number {
  if (kind === "round") return up;
  if (kind === "weighted-round") return 2 * weight + up;
  return Math.floor(tree.padded / 2) - 1 - value + up * (2 * value + 1);
}

/** The cells of a row's text in the columns that a view holds, which is drawn before anything is computed. */
function cellsOfText({ design, sensitive }: Service, places: Places, levels: readonly number[]): number[] {
  return design.derived.flatMap((each, i) => {
    if (each.kind !== "text") return [];
    const text = places[each.attribute]?.[2] ?? new Uint8Array();
    return levels[design.attributes + i] ? cellOfText(each, text, searched(sensitive[each.attribute])!.letters!) : 0;
  });
}

/** One message about a view picked at random, or one about each view; numbered over the whole design. */
function messages(service: Service, coded: readonly number[], rng: Randomness, places: Places = []): Slot {
  const { trees, views, cumulative } = service.design;
  const all = columns(service, coded, rng);
  const spoken = cumulative === null ? views : [views[rng.choose(cumulative)]!];
  return spoken.map(({ levels, oracle, offset }) => {
    const { index, extra } = oracle.encode(cellOf(trees, levels, [...all, ...cellsOfText(service, places, levels)]), rng);
    return { index: offset + index, extra };
  });
}
