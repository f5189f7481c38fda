/** While typing: is this a question, and how precise would its answer be? Both from the plan alone. */

import { find, later, make } from "../shared/dom.js";
import { about, whole } from "../shared/numbers.js";
import { Fault, ask } from "../shared/api.js";

const WAIT = 400; // milliseconds after the last key
const WAITING = "…";
const Z95 = 1.96;

export class Forecast {
  /** `found(fault or null)` hears whether the text can be answered. */
  constructor(editor, found) {
    this.editor = editor;
    this.found = found;
    this.users = find("users");
    this.out = find("forecast");
    const soon = later(WAIT, () => this.look());
    const changed = () => {
      this.running?.abort(); // what it would say is about another question
      this.say(editor.sql.trim() ? WAITING : "");
      soon();
    };
    editor.onChange(changed);
    this.users.addEventListener("input", changed);
    this.sample = find("sample");
    this.sample.addEventListener("change", changed);
  }

  async look() {
    this.running?.abort();
    const running = (this.running = new AbortController());
    const sql = this.editor.sql;
    if (!sql.trim()) return this.say("");
    try {
      await ask("/check", { sql }, running.signal);
      this.found(null, sql);
    } catch (error) {
      if (!(error instanceof Fault)) return undefined;
      if (error.code !== "busy") this.found(error, sql);
      this.say("");
      return undefined;
    }
    try {
      const users = Number(this.users.value);
      if (users >= 1) this.show(await ask("/forecast", { sql, users, sample: this.sample.checked }, running.signal));
    } catch (error) {
      if (error instanceof Fault) this.say(error.code === "busy" ? "" : `none: ${error.message}`);
    }
    return undefined;
  }

  show(forecast) {
    const parts = forecast.columns.flatMap((column, i) => {
      const half = column.se === null ? "unknown" : `± ${about(Z95 * column.se)}`;
      const share = column.grows && column.se !== null ? ` (${about((100 * Z95 * column.se) / forecast.users)}% of all)` : "";
      return [i ? ", " : "", `${column.name} `, make("b", {}, half), share];
    });
    const groups = forecast.groups > 1 ? ` in each of ${whole(forecast.groups)} groups` : "";
    this.out.replaceChildren(...parts, groups);
    this.out.title = `95% interval, ${forecast.assumptions}`;
  }

  say(text) {
    this.out.textContent = text || "–";
    this.out.title = "";
  }
}
