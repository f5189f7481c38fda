/** The list of names below the caret. Arrows choose, Enter or Tab takes, Escape closes; Tab alone leaves the editor. */

import { find, make } from "../shared/dom.js";
import { suggest } from "./suggest.js";

export class Completion {
  constructor(editor) {
    this.editor = editor;
    this.list = find("suggestions");
    this.spoken = find("spoken");
    this.names = [];
    this.close();
    const area = editor.area;
    area.addEventListener("input", (event) => this.offer(event.inputType === "insertLineBreak"));
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("click", () => this.close());
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the editor keeps the focus
      const item = event.target.closest("li");
      if (item) this.take(Number(item.dataset.place));
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  offer(nothing = false, asked = false) {
    const { area } = this.editor;
    const caret = area.selectionStart;
    const found = nothing || caret !== area.selectionEnd ? { items: [] } : suggest(area.value, caret, this.names, asked);
    if (!found.items.length) return this.close();
    this.from = found.from;
    this.items = found.items;
    this.list.replaceChildren(...this.items.map((item, i) => itemOf(item, i)));
    const { left, bottom } = this.editor.placeOf(this.from);
    this.list.hidden = false;
    const most = Math.max(0, area.clientWidth - this.list.offsetWidth - 8);
    this.list.style.left = `${Math.min(left, most)}px`;
    this.list.style.top = `${bottom + 4}px`;
    this.choose(0);
  }

  choose(place) {
    this.place = (place + this.items.length) % this.items.length;
    for (const [i, item] of [...this.list.children].entries()) item.setAttribute("aria-selected", String(i === this.place));
    const chosen = this.list.children[this.place];
    chosen.scrollIntoView({ block: "nearest" });
    this.editor.area.setAttribute("aria-activedescendant", chosen.id);
    this.spoken.textContent = `${this.items[this.place].name}, ${this.place + 1} of ${this.items.length} suggestions`;
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === " ") {
      event.preventDefault();
      return this.offer(false, true);
    }
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const act = {
      ArrowDown: () => this.choose(this.place + 1),
      ArrowUp: () => this.choose(this.place - 1),
      Enter: () => this.take(this.place),
      Tab: () => this.take(this.place),
      Escape: () => this.close(),
    }[event.key];
    if (!act) return undefined;
    event.preventDefault();
    return act();
  }

  take(place) {
    const { name } = this.items[place];
    const { area } = this.editor;
    const closes = name.endsWith("'") && area.value[area.selectionEnd] === "'" ? 1 : 0;
    this.editor.replace(this.from, area.selectionStart + closes, name);
    if (name.endsWith("()")) area.setSelectionRange(area.selectionStart - 1, area.selectionStart - 1);
    this.close();
  }

  close() {
    this.list.hidden = true;
    this.items = [];
    this.editor.area.removeAttribute("aria-activedescendant");
  }
}

function itemOf(item, place) {
  const of = item.of ? `${item.kind} · ${item.of}` : item.kind;
  return make(
    "li",
    { role: "option", id: `suggestion-${place}`, "data-place": place, "aria-selected": "false" },
    make("span", { class: "what" }, item.name),
    make("span", { class: "of" }, of),
  );
}
