/**
 * What a message tells: the view that it speaks of, the cells that it speaks for, and how likely it was.
 *
 * A message that supports a cell is sent from it with probability pi heavy / 2^64, from any other with pi light / 2^64: heavy / light is e^epsilon
 * at most. pi is the probability of the view (1 where a report speaks of all views).
 */

import { searched } from "../client/attributes.js";
import { cellOfText } from "../client/texts.js";
import { supports } from "./support.js";

const WORD = 2 ** 64;

/** `service` is one of the client's plan, `frozen` its design in the plan's own text, `row` the true record or null where rows are sampled. */
export function takeApart(service, frozen, message, row) {
  const place = service.design.views.findLastIndex((view) => view.offset <= message.index);
  const { levels, offset } = service.design.views[place];
  const { oracle: number, weight } = frozen.views[place];
  const oracle = frozen.oracles[number];
  const looked = service.design.derived.find((each, i) => each.kind === "text" && levels[service.design.attributes + i]);
  if (looked) return ofText(service, looked, oracle, message.index - offset, Number(weight) / WORD, row);
  const columns = levels.flatMap((level, i) => (level ? [columnOf(service, frozen, i, level)] : []));
  const speaksFor = supports(oracle, message.index - offset, message.extra);
  const all = cellsOf(columns);
  const share = weight === null ? 1 : Number(weight) / WORD;
  return {
    columns,
    cells: all.length,
    hinted: all.filter(({ cell }) => speaksFor(cell)),
    own: row && columns.every((column) => column.attribute) ? ownOf(columns, row) : null,
    speaksFor,
    likely: (share * Number(oracle.heavy)) / WORD,
    unlikely: (share * Number(oracle.light)) / WORD,
  };
}

/** A view of texts has too many cells to show: how it sees a text, how many cells the message speaks for, and whether one's own is there. */
function ofText(service, column, oracle, index, share, row) {
  const attribute = service.sensitive[column.attribute], letters = searched(attribute).letters;
  const text = attribute.position(row?.[attribute.name])[2] ?? new Uint8Array();
  const own = supports(oracle, index, [])(cellOfText(column, text, letters));
  const seen = { name: attribute.name, bits: column.bits, cells: column.cells, hinted: column.cells / Number(oracle.sides), own };
  return { text: seen, likely: (share * Number(oracle.heavy)) / WORD, unlikely: (share * Number(oracle.light)) / WORD };
}

/** One column of a view: its name and its blocks, of which some hold no value at all. */
function columnOf(service, frozen, i, level) {
  const tree = frozen.trees[i], attribute = service.sensitive[i];
  const blocks = tree.fan_outs.slice(0, level).reduce((product, each) => product * each, 1);
  const wide = tree.fan_outs.reduce((product, each) => product * each, 1) / blocks;
  if (i < service.sensitive.length) {
    const labels = Array.from({ length: Math.ceil(tree.size / wide) }, (_, b) => labelOf(attribute, b * wide, Math.min((b + 1) * wide, tree.size) - 1));
    return { name: attribute.name, attribute, blocks, wide, labels };
  }
  const derived = (frozen.derived ?? [])[i - service.sensitive.length];
  const name = derived ? `${service.sensitive[derived.attribute].name}, rounded at random` : "whether it stands for a row of yours";
  const labels = derived || blocks > 2 ? Array.from({ length: blocks }, (_, b) => `${b + 1} of ${blocks}`) : ["no row", "a row"];
  return { name, attribute: null, blocks, wide, labels };
}

function labelOf(column, first, last) {
  const attribute = column.inner ?? column; // of one whose value may be missing, which has the last code
  if (first >= attribute.size) return "missing";
  if (last >= attribute.size) return `${labelOf(attribute, first, attribute.size - 1)}, or missing`;
  if (attribute.values) return [...new Set(attribute.places.slice(first, last + 1))].join(", ");
  const value = (code) => attribute.cuts ? attribute.value(code) : attribute.low + (code * (attribute.high - attribute.low)) / (attribute.bins ?? attribute.high - attribute.low);
  const text = (code) => String(Number(value(code).toPrecision(12)));
  return first === last ? text(first) : `${text(first)} to ${text(last)}`;
}

/** Every combination of blocks that somebody can be in: its number among all cells, and its blocks. */
function cellsOf(columns) {
  return columns.reduce(
    (found, column) => found.flatMap(({ cell, at }) => column.labels.map((_, b) => ({ cell: cell * column.blocks + b, at: [...at, b] }))),
    [{ cell: 0, at: [] }],
  );
}

/** The combinations that a record may be reported as: two neighbours where a number lies between two knots. */
function ownOf(columns, row) {
  const codes = (attribute) => {
    const [below, fraction] = attribute.position(row[attribute.name]);
    return fraction > 0 ? [below, below + 1] : [below];
  };
  const blocks = columns.map(({ attribute, wide }) => [...new Set(codes(attribute).map((code) => Math.floor(code / wide)))]);
  return blocks.reduce((found, each) => found.flatMap((at) => each.map((b) => [...at, b])), [[]]);
}
