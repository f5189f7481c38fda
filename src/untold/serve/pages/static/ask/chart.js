/** Estimates with their intervals as SVG: lines with bands over epochs; else a row for each estimate, or a column for each
 where there are many. */

import { draw, make } from "../shared/dom.js";
import { short, ticks } from "../shared/numbers.js";

const ROW = 30, TOP = 6, BOTTOM = 26, RADIUS = 5, THICK = 10, THIN = 3;
const MOST_ROWS = 24, MOST_COLUMNS = 400, MOST_LINES = 8;
const FEWEST = 3, LONGER = 8; // rows with an interval; times the median: an interval that an axis is not stretched for
const ROOM = 110; // for intervals, beside labels and texts

/** A figure for one column of estimates of an answer; null where nothing can be drawn. */
export function chart(answer, column, width) {
  const points = pointsOf(answer, column);
  if (!points.length || points.length > MOST_COLUMNS) return null;
  const lines = seriesOf(points);
  const upright = points.length > MOST_ROWS;
  const svg = lines ? overTime(lines, scaleOf(points, 5), Math.max(width, 240)) : (upright ? columns : rows)(points, scaleOf(points, upright ? 5 : Math.max(3, Math.floor(width / 130))), Math.max(width, 240));
  const label = answer.columns[column].label;
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${label}: ${points.slice(0, MOST_ROWS).map((p) => `${p.label} ${p.text}`.trim()).join("; ")}. The table below says the same.`);
  return make("figure", {}, make("figcaption", {}, label), svg);
}

function pointsOf(answer, column) {
  const keys = answer.columns.flatMap((each, i) => (each.kind === "key" ? [i] : []));
  return answer.rows
    .map((row) => ({ ...row[column], value: row[column].nearest ?? row[column].value, ...bestOf(row[column]), label: keys.map((i) => row[i].text).join(", "), ...timeOf(answer, keys, row) }))
    .filter((point) => point.value !== null);
}

/** Where there is a best guess, it is the point, with its typical error on both sides (thick); the interval is thin. */
function bestOf({ best, typical, low, high }) {
  if (best === undefined || best === null) return {};
  return { value: best, near: typical === null ? null : best - typical, far: typical === null ? null : best + typical, thin: true, low, high };
}

/** When a row's reports were made, if one of its keys tells: as a number for the axis and as text; and the other keys. */
function timeOf(answer, keys, row) {
  const at = keys.find((i) => answer.columns[i].time);
  if (at === undefined) return {};
  const { value, text } = row[at];
  const when = typeof value === "number" ? value : Date.parse(value);
  return { when: Number.isFinite(when) ? when : null, time: text, line: keys.filter((i) => i !== at).map((i) => row[i].text).join(", ") };
}

/** Points by line, each from the first to the last epoch; null where they are no lines. */
function seriesOf(points) {
  if (points.some((p) => p.when === undefined || p.when === null)) return null;
  const lines = Map.groupBy ? Map.groupBy(points, (p) => p.line) : grouped(points);
  if (lines.size > MOST_LINES || new Set(points.map((p) => p.when)).size < 2) return null;
  return [...lines].map(([name, all]) => ({ name, points: [...all].sort((a, b) => a.when - b.when) }));
}

function grouped(points) {
  const lines = new Map();
  for (const point of points) lines.set(point.line, [...(lines.get(point.line) ?? []), point]);
  return lines;
}

/** A line with a band for each; the name of each stands at its end. */
function overTime(lines, marks, width) {
  const height = 260, left = 52, below = TOP + height, all = lines.flatMap((line) => line.points);
  const right = lines.length > 1 ? Math.min(Math.max(...lines.map((line) => line.name.length)) * 7.6 + 16, width * 0.3) : 16;
  const first = Math.min(...all.map((p) => p.when)), last = Math.max(...all.map((p) => p.when));
  const x = (when) => left + 10 + ((width - left - right - 10) * (when - first)) / (last - first);
  const y = (value) => below - (height * (between(value, marks) - marks[0])) / (marks.at(-1) - marks[0]);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${below + BOTTOM}` });
  for (const mark of marks) {
    svg.append(draw("line", { class: mark === 0 ? "zero" : "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }));
    svg.append(draw("text", { class: "axis", x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, short(mark)));
  }
  const times = [...new Map(all.map((p) => [p.when, p.time]))].sort((a, b) => a[0] - b[0]);
  const every = Math.ceil((times.length * (Math.max(...times.map(([, text]) => text.length)) * 8 + 14)) / (width - left - right));
  for (const [i, [when, text]] of times.entries()) {
    if (i % every === 0) svg.append(draw("text", { class: "axis", x: x(when), y: below + 18, "text-anchor": "middle" }, text));
  }
  for (const [i, line] of lines.entries()) {
    const group = draw("g", { class: `line line${i}` }, draw("title", {}, line.name));
    const high = line.points.map((p) => `${x(p.when)},${y(p.high ?? marks.at(-1))}`);
    const low = line.points.map((p) => `${x(p.when)},${y(p.low ?? marks[0])}`).reverse();
    group.append(draw("polygon", { class: "interval band", points: [...high, ...low].join(" ") }));
    if (line.points.every(hasTypical)) {
      const far = line.points.map((p) => `${x(p.when)},${y(p.far)}`), near = line.points.map((p) => `${x(p.when)},${y(p.near)}`).reverse();
      group.append(draw("polygon", { class: "typical band", points: [...far, ...near].join(" ") }));
    }
    group.append(draw("polyline", { class: "course", points: line.points.map((p) => `${x(p.when)},${y(p.value)}`).join(" ") }));
    for (const point of line.points) {
      const dot = draw("g", { class: isUnsure(point) ? "row unsure" : "row" }, draw("title", {}, `${point.label} ${point.text}`));
      dot.append(draw("circle", { class: "estimate", cx: x(point.when), cy: y(point.value), r: RADIUS }));
      group.append(dot);
    }
    if (lines.length > 1) group.append(draw("text", { x: x(last) + 12, y: y(line.points.at(-1).value) + 4.5 }, clipped(line.name, right + 10)));
    svg.append(group);
  }
  return svg;
}

/** From the lowest to the highest that is shown; zero is always on it. Unbounded intervals end where it ends, and so do those of a
 few rows that are much longer than the others. */
function scaleOf(points, parts) {
  const lengths = points.filter(isBounded).map((p) => p.high - p.low).sort((a, b) => a - b);
  const most = lengths.length < FEWEST ? Infinity : LONGER * lengths[Math.floor(lengths.length / 2)] || Infinity;
  const ends = points.filter((p) => !isBounded(p) || p.high - p.low <= most).flatMap((p) => [p.value, p.low, p.high, p.near ?? null, p.far ?? null]).filter((end) => end !== null);
  return ticks(Math.min(0, ...ends), Math.max(0, ...ends), parts);
}

const isBounded = (point) => point.low !== null && point.high !== null;
const between = (value, marks) => Math.min(Math.max(value, marks[0]), marks.at(-1));
const hasTypical = (point) => point.near !== undefined && point.near !== null;
const isUnsure = (point) => point.low === null || point.high === null || (point.low <= 0 && point.high >= 0);

function rows(points, marks, width) {
  const letters = Math.max(...points.map((p) => p.label.length));
  const left = letters ? Math.min(letters * 7.6 + 14, width * 0.34) : 8;
  const texts = Math.max(...points.map((p) => p.text.length)) * 7.4 + 20;
  const wide = width - left - texts >= ROOM;
  const right = wide ? texts : 14;
  const below = TOP + ROW * points.length;
  const x = (value) => left + ((width - left - right) * (between(value, marks) - marks[0])) / (marks.at(-1) - marks[0]);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${below + BOTTOM}` });
  for (const mark of marks) {
    svg.append(draw("line", { class: mark === 0 ? "zero" : "grid", x1: x(mark), x2: x(mark), y1: TOP, y2: below }));
    svg.append(draw("text", { class: "axis", x: x(mark), y: below + 18, "text-anchor": "middle" }, short(mark)));
  }
  for (const [i, point] of points.entries()) {
    const y = TOP + ROW * i + ROW / 2;
    const low = x(point.low ?? marks[0]), high = x(point.high ?? marks.at(-1));
    const group = draw("g", { class: isUnsure(point) ? "row unsure" : "row" }, draw("title", {}, `${point.label} ${point.text}`.trim()));
    const thick = point.thin ? THIN : THICK;
    group.append(draw("rect", { class: point.thin ? "interval thin" : "interval", x: low, width: Math.max(high - low, 1), y: y - thick / 2, height: thick, rx: thick / 2 }));
    if (hasTypical(point)) group.append(draw("rect", { class: "typical", x: x(point.near), width: Math.max(x(point.far) - x(point.near), 1), y: y - THICK / 2, height: THICK, rx: 2 }));
    if (point.low === null || point.low < marks[0]) group.append(draw("path", { class: "beyond", d: `M${low} ${y - 8}l-9 8 9 8z` }));
    if (point.high === null || point.high > marks.at(-1)) group.append(draw("path", { class: "beyond", d: `M${high} ${y - 8}l9 8-9 8z` }));
    group.append(draw("circle", { class: "estimate", cx: x(point.value), cy: y, r: RADIUS }));
    if (letters) group.append(draw("text", { x: left - 10, y: y + 4.5, "text-anchor": "end" }, clipped(point.label, left)));
    if (wide) group.append(draw("text", { x: width, y: y + 4.5, "text-anchor": "end" }, point.text));
    svg.append(group);
  }
  return svg;
}

function columns(points, marks, width) {
  const height = 260, left = 52, below = TOP + height, step = (width - left - 8) / points.length;
  const y = (value) => below - (height * (between(value, marks) - marks[0])) / (marks.at(-1) - marks[0]);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${below + BOTTOM}` });
  for (const mark of marks) {
    svg.append(draw("line", { class: mark === 0 ? "zero" : "grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }));
    svg.append(draw("text", { class: "axis", x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, short(mark)));
  }
  const every = Math.ceil((Math.max(...points.map((p) => p.label.length)) * 8 + 14) / step);
  for (const [i, point] of points.entries()) {
    const x = left + step * (i + 0.5), thick = Math.min(THICK, step * 0.7);
    const low = y(point.low ?? marks[0]), high = y(point.high ?? marks.at(-1)), thin = point.thin ? Math.min(THIN, thick / 2) : thick;
    const group = draw("g", { class: isUnsure(point) ? "row unsure" : "row" }, draw("title", {}, `${point.label} ${point.text}`));
    group.append(draw("rect", { class: point.thin ? "interval thin" : "interval", x: x - thin / 2, width: thin, y: high, height: Math.max(low - high, 1), rx: thin / 2 }));
    if (hasTypical(point)) group.append(draw("rect", { class: "typical", x: x - thick / 2, width: thick, y: y(point.far), height: Math.max(y(point.near) - y(point.far), 1), rx: 2 }));
    group.append(draw("circle", { class: "estimate", cx: x, cy: y(point.value), r: Math.min(RADIUS, Math.max(1.6, step * 0.4)) }));
    if (i % every === 0) svg.append(draw("text", { class: "axis", x, y: below + 18, "text-anchor": "middle" }, point.label));
    svg.append(group);
  }
  return svg;
}

function clipped(text, width) {
  const most = Math.floor((width - 10) / 7.2);
  return text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}…` : text;
}

/** What the signs mean. */
export function legend(answer) {
  const percent = `${Number((answer.confidence * 100).toPrecision(4))}%`;
  const sign = (unsure) =>
    draw("svg", { viewBox: "0 0 34 12", "aria-hidden": "true" },
      draw("g", { class: unsure ? "unsure" : "" }, draw("rect", { class: "interval", x: 1, y: 1, width: 32, height: 10, rx: 5 }), draw("circle", { class: "estimate", cx: 17, cy: 6, r: 4.5 })));
  if (answer.rows.some((row) => row.some((cell) => (cell.best ?? null) !== null))) {
    const both = draw("svg", { viewBox: "0 0 34 12", "aria-hidden": "true" }, draw("rect", { class: "interval thin", x: 1, y: 4.5, width: 32, height: THIN, rx: 1.5 }),
      draw("rect", { class: "typical", x: 10, y: 1, width: 14, height: 10, rx: 2 }), draw("circle", { class: "estimate", cx: 17, cy: 6, r: 4 }));
    return make("figure", {}, make("div", { class: "legend" },
      make("span", {}, both, `best guess; thick: its typical error, an average and no promise; thin: the guaranteed ${percent} interval`)));
  }
  return make("figure", {}, make("div", { class: "legend" },
    make("span", {}, sign(false), `estimate and its ${percent} interval`),
    make("span", {}, sign(true), "the interval includes 0, or has no end")));
}
