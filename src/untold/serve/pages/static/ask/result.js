/** An answer on the page: charts, one table, notes; and files of it. */

import { find, make } from "../shared/dom.js";
import { send } from "../shared/api.js";
import { chart, legend } from "./chart.js";

const MOST_CHARTS = 4;

export class Result {
  constructor() {
    this.section = find("answer");
    this.charts = find("charts");
    this.answer = null;
    for (const form of ["csv", "parquet"]) find(form).addEventListener("click", () => this.download(form));
    new ResizeObserver(() => this.answer && this.drawn !== this.charts.clientWidth && this.draw()).observe(this.charts);
  }

  busy(is) {
    this.section.classList.toggle("busy", is);
    this.section.setAttribute("aria-busy", String(is));
  }

  /** Say whether what is shown answers the question that is asked now. */
  compare(asked) {
    const old = this.answer !== null && JSON.stringify(asked) !== JSON.stringify(this.asked);
    this.section.classList.toggle("stale", old);
    find("answer-title").textContent = old ? "Answer to the question before" : "Answer";
    find("answer-of").textContent = old ? this.asked.sql : "";
  }

  /** `asked` is the request that led to the answer: files are asked for in the same way. */
  show(answer, asked) {
    this.answer = answer;
    this.asked = asked;
    this.section.hidden = false;
    find("table").replaceChildren(tableOf(answer));
    find("notes").replaceChildren(...answer.notes.map((note) => make("li", {}, note)));
    this.draw();
    this.compare(asked);
  }

  draw() {
    this.drawn = this.charts.clientWidth;
    const estimates = this.answer.columns.flatMap((column, i) => (column.kind === "estimate" ? [i] : []));
    const figures = estimates.slice(0, MOST_CHARTS).map((i) => chart(this.answer, i, this.drawn)).filter(Boolean);
    this.charts.replaceChildren(...figures, ...(figures.length ? [legend(this.answer)] : []));
  }

  async download(format) {
    const file = await (await send("/query", { ...this.asked, format })).blob();
    const address = URL.createObjectURL(file);
    make("a", { href: address, download: `answer.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}

function tableOf({ columns, rows, caption }) {
  const head = columns.map((column) => make("th", { scope: "col", class: column.kind === "estimate" ? "number" : null }, column.label));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell, i) => cellOf(columns[i], cell))));
  return make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

function cellOf(column, cell) {
  if (column.kind === "key") return make("th", { scope: "row" }, cell.text);
  const cut = cell.text.search(/ [±(]/);
  const exact = ["value", "se", "low", "high"].map((name) => `${name} ${cell[name] ?? "none"}`).join("\n");
  if (cut < 0) return make("td", { class: "number", title: exact }, cell.text);
  return make("td", { class: "number", title: exact }, cell.text.slice(0, cut), make("span", { class: "spread" }, cell.text.slice(cut)));
}
