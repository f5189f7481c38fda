/** A form for the rows of a service, and the rows that were entered. */

import { make } from "../shared/dom.js";

const FEW = 6; // values that are shown as buttons rather than in a list

export class RowsForm {
  /** `types` says of public columns what the collector stores: text, integer, number or boolean. */
  constructor(place, service, types, prefix = "") {
    Object.assign(this, { place, service, types, prefix, next: 0 });
    this.rows = make("div", {});
    place.replaceChildren(this.rows);
    if (service.rows) this.addButtons();
    this.add();
  }

  get count() {
    return this.rows.children.length;
  }

  add() {
    const number = this.next++;
    const fields = this.service.attributes.map((attribute) => fieldOf(attribute, `${this.prefix}r${number}-${attribute.name}`, this.types.get(attribute.name)));
    this.rows.append(make("fieldset", { class: "row" }, make("legend", { class: "hidden" }, this.service.rows ? `Row ${number + 1}` : "Your record"), ...fields));
    this.refresh?.();
  }

  addButtons() {
    const { max } = this.service.rows;
    const more = make("button", { type: "button", class: "quiet", click: () => this.add() }, "Add a row");
    const less = make("button", { type: "button", class: "quiet", click: () => (this.rows.lastChild.remove(), this.refresh()) }, "Remove the last row");
    const said = make("p", { class: "soft" });
    this.refresh = () => {
      more.disabled = this.count >= max;
      less.disabled = this.count === 0;
      said.textContent = `${this.count} of 0 to ${max} rows. Nobody can tell how many you have.`;
    };
    this.place.append(make("div", { class: "more" }, more, less, said));
  }

  /** The rows, with numbers as numbers. */
  read() {
    return [...this.rows.children].map((row) =>
      Object.fromEntries(this.service.attributes.map((attribute) => [attribute.name, valueOf(row, attribute, this.types.get(attribute.name))])),
    );
  }
}

/** Inputs of days and times, and how many characters of a bound they take. */
const CLOCKS = { date: { type: "date", digits: 10 }, timestamp: { type: "datetime-local", digits: 16 } };

/** What is written for a value that may be missing. */
const UNSAID = "Not said";

/** Whether an attribute may be left open, and what it is if it is not. */
function openOf(attribute) {
  return [Boolean(attribute.mayBeMissing), attribute.inner ?? attribute];
}

function fieldOf(declared, id, type) {
  const [open, attribute] = openOf(declared);
  const required = open ? null : "";
  const label = make("label", { for: id }, attribute.name);
  if (attribute.kind === "public") {
    label.append(" ", make("span", { class: "public" }, "public: sent as it is"));
    return make("div", { class: "field" }, label, make("input", { id, "data-name": attribute.name, inputmode: type === "text" ? null : "decimal", autocomplete: "off" }));
  }
  if (attribute.kind === "ordinal") {
    const step = attribute.bins || (attribute.cuts && attribute.digits === null) ? "any" : attribute.digits ? String(10 ** -attribute.digits) : "1", { low, high } = attribute;
    const input = make("input", { id, type: "number", min: low, max: high, step, required, "data-name": attribute.name, "aria-describedby": `${id}-about` });
    const about = `${low} to ${high}${open ? ", or leave it open" : ""}`;
    return make("div", { class: "field" }, label, input, make("p", { class: "soft", id: `${id}-about` }, about));
  }
  if (attribute.kind in CLOCKS) {
    const { type, digits } = CLOCKS[attribute.kind], about = `in ${attribute.describe()}${open ? ", or leave it open" : ""}`;
    const input = make("input", { id, type, min: attribute.low.slice(0, digits), required, "data-name": attribute.name, "aria-describedby": `${id}-about` });
    return make("div", { class: "field" }, label, input, make("p", { class: "soft", id: `${id}-about` }, about));
  }
  if (attribute.kind === "text") {
    const input = make("input", { id, type: "text", required, "data-name": attribute.name, autocomplete: "off", "aria-describedby": `${id}-about` });
    return make("div", { class: "field" }, label, input, make("p", { class: "soft", id: `${id}-about` }, `any text${open ? ", or leave it open" : ""}`));
  }
  return attribute.values.length <= FEW ? buttonsOf(attribute, id, required, open) : listOf(attribute, id, label, required);
}

function buttonsOf(attribute, id, required, open) {
  const button = (value, text) =>
    make("label", { class: "pill" }, make("input", { type: "radio", name: id, value, required, "data-name": attribute.name }), text);
  const choices = [...attribute.values.map((value, code) => button(code, String(value))), ...(open ? [button("", UNSAID)] : [])];
  return make("div", { class: "field" }, make("fieldset", { id }, make("legend", {}, attribute.name), make("div", { class: "choices" }, ...choices)));
}

function listOf(attribute, id, label, required) {
  const options = attribute.values.map((value, code) => make("option", { value: code }, String(value)));
  const list = make("select", { id, required, "data-name": attribute.name }, make("option", { value: "" }, required === null ? UNSAID : "Choose"), ...options);
  return make("div", { class: "field" }, label, list);
}

function valueOf(row, declared, type) {
  const [open, attribute] = openOf(declared);
  const inputs = [...row.querySelectorAll(`[data-name="${CSS.escape(attribute.name)}"]`)];
  const text = (inputs[0].type === "radio" ? inputs.find((each) => each.checked)?.value : inputs[0].value) ?? "";
  if (attribute.kind === "public") return publicOf(text.trim(), type);
  if (text === "" && open) return null;
  if (text === "") throw new Error(`Please enter ${attribute.name}.`);
  if (attribute.kind in CLOCKS || attribute.kind === "text") return text; // a time is ISO, without a zone
  return attribute.kind === "ordinal" ? Number(text) : attribute.values[Number(text)];
}

function publicOf(text, type) {
  if (text === "") return null;
  if (type === "boolean") return ["true", "yes", "1"].includes(text.toLowerCase());
  return type === "text" ? text : Number(text);
}
