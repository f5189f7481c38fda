/** A textarea whose text is painted by a layer beneath it: colours, and a line under what was refused. */

import { find } from "../shared/dom.js";
import { painted, unitsOf } from "./highlight.js";

export class Editor {
  constructor() {
    this.area = find("sql");
    this.layer = find("paint");
    this.names = new Set();
    this.wrong = null;
    this.area.addEventListener("input", () => this.changed());
    this.listeners = [];
  }

  get sql() {
    return this.area.value;
  }

  set sql(text) {
    this.area.value = text;
    this.changed();
  }

  /** Call `listener` after every change of the text. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    this.mark(null);
    for (const listener of this.listeners) listener();
  }

  /** Underline the part that a fault speaks of; null takes the line away. */
  mark(fault) {
    const known = fault && fault.start !== undefined;
    this.wrong = known ? unitsOf(this.sql, fault.start, fault.end) : null;
    this.area.setAttribute("aria-invalid", fault ? "true" : "false");
    this.paint();
  }

  paint() {
    // a last empty line has no height of its own
    this.layer.replaceChildren(...painted(this.sql, this.names, this.wrong), document.createTextNode("\n"));
  }

  /** Put a text in the place of the characters from..to, as typing would: undo knows of it. */
  replace(from, to, text) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, from, to, "end");
      this.changed();
    }
  }

  /** Where a character is painted, relative to the editor: {left, bottom}. */
  placeOf(offset) {
    const range = document.createRange();
    let left = offset;
    const walker = document.createTreeWalker(this.layer, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) {
        range.setStart(node, left);
        range.setEnd(node, left);
        break;
      }
      left -= node.length;
    }
    const box = range.getClientRects()[0] ?? this.layer.getBoundingClientRect();
    const around = this.layer.getBoundingClientRect();
    return { left: box.left - around.left, bottom: (box.bottom || around.bottom) - around.top };
  }
}
