/** SQL as coloured pieces; the refused part is marked. Pure: text in, nodes out. */

import { make } from "../shared/dom.js";

const PIECES = /(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*'?)|(?<quoted>"[^"]*"?)|(?<number>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>[A-Za-z_]\w*)/gi;
const WORDS = new Set(
  ("select from where group by having order limit offset join inner left on using between and or not in as case when then else end filter desc asc " +
    "is null like with distinct show budget true false all").split(" "),
);
const FUNCTIONS = new Set("count sum avg median stddev variance quantile_cont low high se abs".split(" "));

/** [{start, end, kind}] for every piece that has a colour. */
export function pieces(sql, names) {
  const found = [];
  for (const match of sql.matchAll(PIECES)) {
    const kind = kindOf(match.groups, names);
    if (kind) found.push({ start: match.index, end: match.index + match[0].length, kind });
  }
  return found;
}

function kindOf(groups, names) {
  if (groups.word === undefined) return groups.quoted !== undefined ? "name" : Object.keys(groups).find((kind) => groups[kind] !== undefined);
  const word = groups.word.toLowerCase();
  return WORDS.has(word) ? "word" : FUNCTIONS.has(word) ? "function" : names.has(word) ? "name" : null;
}

/** Nodes that show the text. `wrong` is [start, end] in UTF-16 units, or null. */
export function painted(sql, names, wrong) {
  const cuts = new Set([0, sql.length, ...(wrong ?? [])]);
  const coloured = pieces(sql, names);
  for (const { start, end } of coloured) cuts.add(start).add(end);
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(0, -1).map((start, i) => {
    const text = sql.slice(start, places[i + 1]);
    const kind = coloured.find((piece) => piece.start <= start && start < piece.end)?.kind;
    const inside = wrong && wrong[0] <= start && start < wrong[1];
    if (!kind && !inside) return document.createTextNode(text);
    return make(inside ? "mark" : "span", { class: [kind, inside && "wrong"].filter(Boolean).join(" ") }, text);
  });
}

/** Places that count characters, as the server does, as places that count UTF-16 units, as JavaScript does. */
export function unitsOf(sql, start, end) {
  const characters = [...sql];
  const units = (count) => characters.slice(0, count).join("").length;
  const from = units(start), to = Math.max(units(end), units(start));
  return to > from ? [from, to] : [Math.max(0, from - 1), from];
}
