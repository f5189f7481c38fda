/** A report in words. */

import { make } from "../shared/dom.js";
import { atMost, oneIn, whole } from "../shared/numbers.js";
import { grid } from "./grid.js";

const LISTED = 6;

/** Nodes that say what a message tells whoever sees it. */
export function meaningOf(apart, epsilon, width) {
  const { columns, cells, hinted, own, likely, unlikely } = apart;
  if (apart.text) return textWords(apart, epsilon);
  if (!columns.length) return [make("p", {}, "This report speaks of nothing in your record: it would be the same whatever you had entered.")];
  const parts = columns.map((column) => (column.labels.length > 2 ? `${column.name} in ${whole(column.labels.length)} parts` : column.name));
  const listed = hinted.slice(0, LISTED).map(({ at }) => at.map((b, i) => columns[i].labels[b]).join(" with "));
  const few = hinted.length <= LISTED ? `: ${listed.join("; ")}` : "";
  const view = `Of everything you entered, this report speaks of ${parts.join(" and ")}. It stands for ${whole(hinted.length)} of ${whole(cells)} ${columns.length > 1 ? "combinations" : "parts"}${few}.`;
  const odds = oddsOf(likely, unlikely, epsilon);
  const picture = grid(apart, width);
  return [
    make("p", {}, view),
    ...(picture ? [picture, legend(own)] : []),
    odds,
    make("p", { id: "truthful" }, truthOf(apart)),
  ];
}

function oddsOf(likely, unlikely, epsilon) {
  return make("p", {},
    `Somebody whose truth is among them sends this very report with chance ${oneIn(likely)}, anybody else with chance ${oneIn(unlikely)}. That is ` +
      `${atMost(likely / unlikely, 4)} to 1, and for no report can it be more than e`, make("sup", {}, atMost(epsilon, 4)), ` = ${atMost(Math.exp(epsilon), 4)} to 1.`);
}

/** Texts are put into so many parts that none can be listed. */
function textWords({ text, likely, unlikely }, epsilon) {
  const seen = text.bits ? `the first ${text.bits} bits of ${text.name}` : `${text.name} as a whole`;
  const view = `Of everything you entered, this report speaks of ${seen}. All texts that there are share ${whole(text.cells)} parts, and it stands for ${whole(text.hinted)} of them.`;
  return [
    make("p", {}, view),
    oddsOf(likely, unlikely, epsilon),
    make("p", { id: "truthful" }, `Your own truth is ${text.own ? "" : "not "}among them. Only this browser knows.`),
  ];
}

function truthOf({ own, hinted }) {
  if (own === null) return "Whether yours is among them was decided by chance on this device, and is known nowhere else.";
  const inside = own.filter((at) => hinted.some((each) => each.at.join() === at.join())).length;
  const is = inside === own.length ? "is among them" : inside ? "may be among them" : "is not among them";
  return `Your own truth ${is}. Only this browser knows.`;
}

function legend(own) {
  const items = [["for", "what the report speaks for"], ...(own ? [["mine", "your own truth, which is not sent"]] : [])];
  return make("div", { class: "legend" }, ...items.map(([kind, words]) => make("span", {}, make("span", { class: `swatch ${kind}` }), words)));
}
