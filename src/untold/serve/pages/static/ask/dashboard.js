/** The questions that the plan was made for, answered: a card for each, with what more people would tell. */

import { find, later, make } from "../shared/dom.js";
import { about, percent, whole } from "../shared/numbers.js";
import { Fault, ask } from "../shared/api.js";
import { chart } from "./chart.js";

const AT_ONCE = 2; // as many as there are query processes
const MOST_ROWS = 8; // of a card; all of them are in the answer
const MORE = 10; // times as many people, unless somebody says how many
const Z95 = 1.96;
const OF = { people: " of all people", value: " of the value", points: "" };

export class Dashboard {
  /** `open(sql)` shows a question and its whole answer; `epochs()` is what to add to a request. */
  constructor(open, epochs) {
    Object.assign(this, { open, epochs, cards: [], people: 0, round: 0 });
    this.box = find("dashboard");
    this.users = find("more-people");
    this.users.addEventListener("input", later(400, () => this.begin((card) => this.foresee(card))));
    this.box.addEventListener("toggle", () => this.box.open && !this.begun && this.answer());
  }

  /** Cards for these questions; they are answered at once, or when somebody opens the dashboard. */
  show(questions, people, planned, opened) {
    this.people = people;
    this.begun = false;
    this.box.hidden = !questions.length;
    if (!questions.length) return;
    this.users.value = people ? MORE * people : planned ?? 100_000;
    find("dashboard-about").textContent = `${whole(questions.length)} ${questions.length > 1 ? "questions" : "question"} that this plan was made for`;
    find("dashboard-basis").textContent = people ? `${whole(people)} have reported; their reports are scaled up.` : "Nobody has reported yet: values are taken as spread evenly.";
    this.cards = questions.map((sql) => new Card(sql, () => this.open(sql)));
    find("cards").replaceChildren(...this.cards.map((card) => card.box));
    this.box.open = opened;
    if (opened) this.answer();
  }

  answer() {
    this.begun = true;
    return this.begin(async (card, signal) => {
      if (this.people) await card.answer(this.epochs(), signal);
      await this.foresee(card, signal);
    });
  }

  async foresee(card, signal) {
    const users = Number(this.users.value);
    if (users >= 1) await card.foresee({ users, ...(this.people ? { reports: true, ...this.epochs() } : {}) }, this.people, signal);
  }

  /** The same for all cards, a few at once; what was under way before is given up. */
  async begin(work) {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    const left = [...this.cards];
    const next = async () => {
      for (let card = left.shift(); card && !signal.aborted; card = left.shift()) {
        await work(card, signal);
        card.box.setAttribute("aria-busy", "false");
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next)).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
  }

  close() {
    this.running?.abort();
  }
}

class Card {
  constructor(sql, open) {
    this.sql = sql;
    this.title = make("h2", {}, "…");
    this.body = make("div", { class: "told" });
    this.more = make("p", { class: "soft foreseen" });
    this.box = make(
      "li",
      { class: "card", "aria-busy": "true" },
      this.title,
      this.body,
      this.more,
      make("div", { class: "of" }, make("code", { title: sql }, sql.split(/\s+/).join(" ")), make("button", { type: "button", class: "quiet", click: open }, "Open", make("span", { class: "hidden" }, ` ${sql}`))),
    );
  }

  async answer(epochs, signal) {
    try {
      this.told = await ask("/query", { sql: this.sql, ...epochs }, signal);
    } catch (error) {
      this.refuse(error);
      return;
    }
    const { columns, rows } = this.told;
    const estimates = columns.flatMap((column, i) => (column.kind === "estimate" ? [i] : []));
    const keys = columns.filter((column) => column.kind === "key").map((column) => column.label);
    this.name(estimates.map((i) => columns[i].label), keys);
    const single = rows.length === 1 && !keys.length;
    const some = { ...this.told, rows: rows.slice(0, MOST_ROWS) };
    const shown = single ? estimates.map((i) => numberOf(rows[0][i], estimates.length > 1 ? columns[i].label : "")) : estimates.slice(0, 1).map((i) => chart(some, i, this.body.clientWidth));
    const left = single ? 0 : this.told.total - some.rows.length;
    this.body.replaceChildren(...shown.filter(Boolean), ...(left > 0 ? [make("p", { class: "soft" }, `and ${whole(left)} more ${left > 1 ? "rows" : "row"}`)] : []));
  }

  async foresee(asked, people, signal) {
    if (this.refused) return;
    try {
      const forecast = await ask("/forecast", { sql: this.sql, ...asked }, signal);
      if (!this.told) this.name(forecast.columns.map((column) => column.name), []);
      this.more.replaceChildren(...foreseen(forecast, this.told, people));
      this.more.title = `95% interval, ${forecast.assumptions}`;
      } catch (error) {
      if (this.told && error instanceof Fault) this.more.replaceChildren(`No forecast: ${error.message}`);
      else this.refuse(error);
    }
  }

  name(estimates, keys) {
    this.title.textContent = `${estimates.join(", ")}${keys.length ? ` by ${keys.join(", ")}` : ""}${conditionOf(this.sql)}`;
  }

  refuse(error) {
    if (!(error instanceof Fault)) throw error;
    this.refused = true;
    this.title.textContent = "Not answered";
    this.body.replaceChildren(make("p", { class: "error" }, error.message));
    this.more.replaceChildren();
  }
}

/** " where age < 35", of a query with one condition outside of parentheses; else nothing. */
function conditionOf(sql) {
  const flat = sql.replaceAll(/\s+/g, " ");
  let outside = flat.replaceAll(/'[^']*'/g, (text) => "_".repeat(text.length));
  for (let before = ""; before !== outside; ) {
    before = outside;
    outside = outside.replaceAll(/\([^()]*\)/g, (inner) => "_".repeat(inner.length));
  }
  const found = [...outside.matchAll(/\bWHERE (.*?)(?= GROUP BY | HAVING | ORDER BY | LIMIT | UNION |;|$)/gi)];
  if (found.length !== 1 || / UNION /i.test(outside)) return "";
  const from = found[0].index + "WHERE ".length;
  return ` where ${flat.slice(from, from + found[0][1].length).trim()}`;
}

/** A number large, its interval small. */
function numberOf(cell, label) {
  const cut = cell.text.search(/ [±(]/);
  const [value, spread] = cut < 0 ? [cell.text, ""] : [cell.text.slice(0, cut), cell.text.slice(cut)];
  return make("p", { class: cell.low === null || cell.high === null || (cell.low <= 0 && cell.high >= 0) ? "big unsure" : "big" }, value, make("small", {}, spread), ...(label ? [make("span", { class: "soft" }, label)] : []));
}

/** "± 1.2% of all people now, ± 0.4% with 500,000": of the first column. */
function foreseen(forecast, told, people) {
  const [column] = forecast.columns;
  const each = forecast.groups > 1 ? " on average over groups" : "";
  const then = column.share === null ? "unknown" : sharp(column.share, column.share_of);
  const now = told && shareNow(told, column, people);
  const before = now ? [make("b", {}, sharp(now, column.share_of)), `${OF[column.share_of]} now, `] : [];
  const unit = now ? "" : OF[column.share_of];
  const rough = column.factor > 1.15 ? `, right to a factor of ${about(column.factor)}` : "";
  return [...before, make("b", {}, then), `${unit} with ${whole(forecast.users)} people${each}${rough}`];
}

/** Half of an interval in percent; ratios of counts have an error in their own unit. */
function sharp(share, of) {
  if (of === "points") return `± ${about(Number((Z95 * share).toPrecision(2)))}`;
  return Z95 * share > 1 ? "± more than 100%" : `± ${percent(Z95 * share)}`;
}

/** The standard error of an answer as a share of the same thing as the forecast's; the mean over its rows. */
function shareNow({ columns, rows }, { name, share_of: of }, people) {
  const i = columns.findIndex((column) => column.kind === "estimate" && column.name === name);
  const cells = i < 0 ? [] : rows.map((row) => row[i]).filter((cell) => cell.se !== null && cell.value !== null);
  if (!cells.length) return null;
  const mean = (read) => cells.reduce((sum, cell) => sum + read(cell), 0) / cells.length;
  const se = mean((cell) => cell.se);
  const size = { people, value: mean((cell) => Math.abs(cell.value)), points: 1 }[of];
  return size > 0 ? se / size : null;
}
