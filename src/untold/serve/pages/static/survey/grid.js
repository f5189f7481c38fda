/** All combinations of a view as a grid: those that the report speaks for are filled, the person's own is framed. */

import { draw, make } from "../shared/dom.js";

const LINE = 15, LETTER = 6.8, MOST = 20_000, TALLEST = 480, LARGEST = 34, SMALLEST = 3, NARROW = 520;

/** A picture that fits into this width if it can; null where there are too many cells to see. */
export function grid(apart, width) {
  const { columns, cells, hinted, own } = apart;
  if (!columns.length || cells > MOST) return null;
  const plan = layout(columns, width);
  const { left, top, size, tall, wide, high } = plan;
  const svg = draw("svg", { width: left + size * wide + 2, height: top + tall * high + 2, role: "img", "aria-label": spoken(apart) });
  svg.append(draw("rect", { class: "cell", x: left, y: top, width: size * wide, height: tall * high }));
  svg.append(draw("path", { class: "hinted", d: boxes(plan, hinted.map(({ at }) => at), Math.min(1, size * 0.08)) }));
  if (own) svg.append(draw("path", { class: "own", d: boxes(plan, own, 0) }));
  svg.append(...labelsAcross(plan), ...labelsDown(plan));
  return make("div", { class: "picture", tabindex: "0", role: "group", "aria-label": "Picture of the report" }, svg);
}

/** A single column goes across. Of two, the longer one goes across where there is room; of more, the longest goes down. */
function layout(columns, width) {
  const order = columns.map((_, i) => i).sort((i, j) => columns[j].labels.length - columns[i].labels.length);
  const down = columns.length === 1 ? null : columns.length === 2 && width >= NARROW ? order[1] : order[0];
  const across = columns.flatMap((_, i) => (i === down ? [] : [i]));
  const wide = across.reduce((n, i) => n * columns[i].labels.length, 1), high = down === null ? 1 : columns[down].labels.length;
  const left = down === null ? 1 : Math.min(150, lettersOf(columns[down]) * LETTER + 12), top = LINE * across.length + 6;
  const room = Math.max(LARGEST, lettersOf(columns[across.at(-1)]) * LETTER + 10);
  const size = Math.max(SMALLEST, Math.min(room, (width - left - 4) / wide));
  const tall = Math.max(SMALLEST, Math.min(LARGEST, TALLEST / high, Math.max(size, 16)));
  return { columns, down, across, wide, high, left, top, size, tall };
}

const lettersOf = (column) => Math.max(...column.labels.map((label) => label.length));

function boxes({ columns, down, across, left, top, size, tall }, list, inset) {
  const [w, h] = [size - 2 * inset, tall - 2 * inset].map((n) => n.toFixed(2));
  return list
    .map((at) => {
      const x = left + size * across.reduce((number, i) => number * columns[i].labels.length + at[i], 0);
      const y = top + tall * (down === null ? 0 : at[down]);
      return `M${(x + inset).toFixed(2)} ${(y + inset).toFixed(2)}h${w}v${h}h-${w}z`;
    })
    .join("");
}

/** One line for each column that runs across, the outermost on top. */
function labelsAcross({ columns, across, left, size, wide }) {
  let span = wide;
  return across.flatMap((i, line) => {
    const { labels } = columns[i];
    const times = wide / span;
    span /= labels.length;
    const every = Math.max(1, Math.ceil((lettersOf(columns[i]) * LETTER + 6) / (size * span)));
    const whole = (n) => n === 0 || span * (times * labels.length - n) * size >= labels[n % labels.length].length * LETTER; // not cut off at the end
    const places = Array.from({ length: times * labels.length }, (_, n) => n).filter((n) => n % every === 0 && whole(n));
    const kind = line < across.length - 1 ? "outer" : null;
    return places.map((n) => draw("text", { class: kind, x: left + size * span * n + 1, y: LINE * (line + 1) - 2 }, labels[n % labels.length]));
  });
}

function labelsDown({ columns, down, left, top, tall }) {
  if (down === null) return [];
  const every = Math.max(1, Math.ceil(LINE / tall));
  return columns[down].labels.flatMap((label, i) =>
    i % every ? [] : [draw("text", { x: left - 6, y: top + tall * i + Math.min(tall / 2 + 4, 12), "text-anchor": "end" }, label)]);
}

function spoken({ columns, hinted, cells }) {
  return `A grid of ${columns.map((column) => column.name).join(" and ")}: ${hinted.length} of ${cells} cells are filled. The text says what that means.`;
}
