/** How the reports of one service are made: views, weights and oracles as they were frozen. The twin of untold/plan/designs/{base,derived}.py. */

import type { Fields } from "./fields.js";
import { Tree, cellsOf } from "./hierarchy.js";
import { type Oracle, readOracle } from "./oracles/index.js";
import { type TextColumn, readTextColumn } from "./texts.js";
import { WORD, type Word, wordOf } from "./word.js";

const MOST_VIEWS = 2 ** 16;
const MOST_LEAVES = 2 ** 32;
const MOST_LEVELS = 2 ** 24; // of all views, one for each tree
const KINDS = ["round", "mirror", "weighted-round", "text"] as const;

/** One level per column, the oracle that reports a cell of it, and where its messages begin among all of the design. */
export interface View {
  readonly levels: readonly number[];
  readonly oracle: Oracle;
  readonly offset: number;
}

/** A column that a device computes from an attribute before anything is perturbed: a stochastic rounding. */
export interface Rounded {
  readonly kind: "round" | "mirror" | "weighted-round";
  readonly attribute: number;
  readonly size: number;
}

export type Derived = Rounded | TextColumn;

/** Sampled (a report picks one view by its weight) or split (`cumulative` is null: a report speaks of every view). */
export interface Design {
  readonly name: string;
  readonly trees: readonly Tree[]; // attributes, then derived columns, then the hidden weight
  readonly views: readonly View[];
  readonly cumulative: readonly Word[] | null; // running sums of the weights below 2^64
  readonly hidden: boolean; // whether the last tree is that of the hidden weight
  readonly derived: readonly Derived[];
  readonly attributes: number; // how many trees are those of the service's own attributes
  readonly messages: number; // different messages of the whole design
  readonly nano: bigint; // what one report costs: its dearest view, or all views together
  readonly seedBits: number; // of the public salt in every message: 0, 32 or 64
}

/** The design, after checking that all of its parts fit together. */
export function readDesign(frozen: Fields): Design {
  const trees = frozen.objects("trees").map(readTree);
  const derived = frozen.has("derived") ? frozen.objects("derived").map(readDerived) : [];
  const hidden = frozen.flag("hidden");
  const listed = frozen.objects("views");
  const most = Math.min(MOST_VIEWS, Math.floor(MOST_LEVELS / Math.max(trees.length, 1)));
  const named = frozen.objects("oracles");
  if (listed.length < 1 || Math.max(listed.length, named.length) > most) frozen.fail(`1..${most} views and oracles are needed`);
  let offset = 0;
  const oracles = named.map(readOracle);
  const views = listed.map((view) => {
    const read = readView(view, trees, oracles, offset);
    offset += read.oracle.indexes;
    return read;
  });
  if (offset > MOST_LEAVES) frozen.fail("it has more than 2^32 messages");
  const attributes = trees.length - derived.length - Number(hidden);
  const cumulative = readWeights(listed, frozen);
  const texts = derived.filter((each) => each.kind === "text").length;
  if (texts > 0 && (texts < derived.length || hidden || cumulative === null)) {
    frozen.fail("texts are looked for in a sampled design, of one row for each person and without roundings");
  }
  const spent = views.filter(({ oracle }) => oracle.cells > 1 || oracle.name !== "grr").map(({ oracle }) => oracle.nano);
  const nano = cumulative === null ? spent.reduce((sum, each) => sum + each, 0n) : spent.reduce((most, each) => (each > most ? each : most), 0n);
  const seedBits = Math.max(...views.map(({ oracle }) => oracle.width));
  return { name: frozen.text("name"), trees, views, cumulative, hidden, derived, attributes, messages: offset, nano, seedBits };
}

/** Whether every coded value of a derived column has a leaf of its own in its tree. */
export function covers(column: Derived, tree: Tree): boolean {
  if (column.kind === "text") return tree.height === 1 && tree.padded === column.cells && tree.size === column.cells;
  if (column.kind === "mirror") return column.size <= Math.floor(tree.padded / 2);
  return tree.padded >= (column.kind === "round" ? 2 : 4);
}

function readTree(frozen: Fields): Tree {
  const tree = new Tree(frozen.whole("size", 1, MOST_LEAVES), frozen.wholes("fan_outs", 1, MOST_LEAVES));
  if (tree.size > tree.padded || tree.padded > MOST_LEAVES) frozen.fail(`a tree of ${tree.fanOuts} cannot hold ${tree.size} values`);
  return tree;
}

function readDerived(frozen: Fields): Derived {
  const kind = frozen.choice("kind", KINDS);
  const [attribute, size] = [frozen.whole("attribute", 0, MOST_VIEWS), frozen.whole("size", 1, MOST_LEAVES)];
  return kind === "text" ? readTextColumn(frozen, attribute, size) : { kind, attribute, size };
}

function readView(frozen: Fields, trees: readonly Tree[], oracles: readonly Oracle[], offset: number): View {
  const levels = readLevels(frozen, trees);
  const oracle = oracles[frozen.whole("oracle", 0, MOST_VIEWS)] ?? frozen.fail("its oracle is not listed");
  if (oracle.cells !== cellsOf(trees, levels)) frozen.fail("its oracle does not fit its cells");
  return { levels, oracle, offset };
}

/** Levels of all columns, from pairs of an active column and its level, in the order of columns. */
function readLevels(frozen: Fields, trees: readonly Tree[]): number[] {
  const active = frozen.wholes("active", 0, MOST_VIEWS);
  const levels = new Array<number>(trees.length).fill(0);
  let last = -1;
  for (let i = 0; i < active.length; i += 2) {
    const column = active[i]!;
    const level = active[i + 1] ?? 0;
    const tree = trees[column];
    if (tree === undefined || column <= last || level < 1 || level > tree.height) frozen.fail("pairs of a column and a level of its tree are needed, in order");
    levels[column] = level;
    last = column;
  }
  return levels;
}

/** Running sums of the weights, without those that reach 2^64: no word exceeds them. */
function readWeights(views: readonly Fields[], design: Fields): Word[] | null {
  const split = views.filter((view) => view.value("weight") === null).length;
  if (split === views.length) return null;
  if (split > 0) design.fail("either all views have a weight or none");
  let sum = 0n;
  const sums = views.map((view) => (sum += view.big("weight")));
  if (sum !== WORD) design.fail("the weights of a sampled design must sum to 2^64");
  return sums.filter((each) => each < WORD).map(wordOf);
}
