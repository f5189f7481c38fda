/** The survey: a form from the plan, the record and the report side by side, and on a click the report is sent. */

import { find, make } from "../shared/dom.js";
import { whole } from "../shared/numbers.js";
import { Device, IndexedMemory, enrol } from "../client/index.js";
import { RowsForm } from "./form.js";
import { takeApart } from "./speaks.js";
import { meaningOf } from "./words.js";

const CEILING = 10; // epsilon for one epoch: this page takes part in no plan that asks for more
const NANO = 1e9;
const SILENT = "Your browser has drawn by lot in which epochs it takes part, and this is not one of them. Come back in the next one.";

let device, frozen, form, service, shown;

function problem(text) {
  const box = find("problem");
  box.hidden = !text;
  box.textContent = text;
}

async function start() {
  if (!globalThis.isSecureContext) return problem("Browsers give secure randomness and signatures to pages over HTTPS or on this machine only. Open this page that way.");
  const memory = new IndexedMemory();
  try {
    await connect({ ...(await enrol("/", memory)), memory });
  } catch (error) {
    if (error.status !== 404) return problem(error.message); // else nobody is enrolled here: a key and token were given to people
    find("who").hidden = false;
    find("who").addEventListener("submit", (event) => {
      event.preventDefault();
      const { user, token } = Object.fromEntries(new FormData(event.target));
      connect({ user, token, memory }).then(() => problem(""), (failed) => problem(failed.message));
    });
  }
  return undefined;
}

async function connect({ user, token, memory }) {
  device = await Device.connect("/", { user, token, memory, ceiling: CEILING });
  frozen = JSON.parse(device.plan.text).designs;
  find("who").hidden = true;
  find("plan-name").textContent = device.plan.name;
  document.title = `${device.plan.name} · untold`;
  const pills = device.plan.services.map(({ name }, i) =>
    make("label", { class: "pill" }, make("input", { type: "radio", name: "service", value: name, change: () => choose(name), ...(i ? {} : { checked: "" }) }), name),
  );
  find("services").append(...pills);
  find("services").hidden = pills.length < 2;
  choose(device.plan.services[0].name);
  find("form").hidden = false;
  device.send({ patience: 0 }).catch(() => {}); // what an earlier visit could not send
}

function choose(name) {
  service = device.plan.service(name);
  form = new RowsForm(find("rows"), service, device.signed.columns.public.get(name) ?? new Map());
  find("cost").textContent = `Costs ε = ${Number(service.nano) / NANO} of the ${device.plan.epsilon} that this plan may ever cost you in one epoch.`;
  find("sides").hidden = true;
  find("form-error").textContent = "";
}

async function makeReport(event) {
  event.preventDefault();
  find("form-error").textContent = "";
  try {
    const rows = form.read();
    shown = { service: service.name, rows };
    const example = await device.preview(service.name, rows);
    if (example === null) throw new Error(SILENT);
    show(rows, example, "an example: yours is drawn when you send");
    find("send").disabled = false;
  } catch (error) {
    find("form-error").textContent = error.message;
    find("sides").hidden = true;
  }
}

function show(rows, report, what) {
  find("what").textContent = what;
  find("record").replaceChildren(...(rows.length ? rows.flatMap(recordOf) : [make("dt", {}, "no rows")]));
  const messages = report.slots.flat();
  find("report").replaceChildren(
    ...pair("service", report.service),
    ...pair(device.plan.userKey, report.user),
    ...pair("epoch", report.epoch),
    ...messages.flatMap(({ index }) => pair("message", `number ${whole(index)} of ${whole(service.design.messages)}`)),
    ...[...report.public].flatMap(([name, value]) => pair(name, `${value ?? "nothing"} (public)`)),
  );
  find("body").textContent = device.body(report);
  const row = service.rows ? null : rows[0];
  const first = takeApart(service, frozen[service.name], messages[0], row);
  const rest = messages.length > 1 ? [make("p", { class: "soft" }, `So for the first of its ${messages.length} messages; the others are of the same kind.`)] : [];
  const epsilon = Number(service.nano) / NANO / service.slots;
  find("meaning").replaceChildren(make("h3", {}, "What it tells whoever sees it"), ...meaningOf(first, epsilon, find("form").clientWidth - 40), ...rest);
  find("outcome").textContent = "";
  find("sides").hidden = false;
  find("sides-title").focus({ preventScroll: true });
  find("sides").scrollIntoView({ block: "start", behavior: "auto" });
}

const pair = (name, value) => [make("dt", {}, name), make("dd", {}, String(value))];

function recordOf(row, number) {
  const rule = number ? [make("div", { class: "rule" })] : [];
  return [...rule, ...Object.entries(row).flatMap(([name, value]) => pair(name, value ?? "nothing"))];
}

async function send() {
  const outcome = find("outcome");
  find("send").disabled = true;
  outcome.className = "";
  try {
    const report = await device.report(shown.service, shown.rows);
    if (report === null) throw new Error(SILENT);
    show(shown.rows, report, "all that is sent");
    outcome.textContent = "Sending…";
    const sent = await device.send();
    const [words, good] = said(sent);
    outcome.textContent = words;
    outcome.className = good ? "good" : "bad";
  } catch (error) {
    outcome.textContent = error.message;
    outcome.className = "bad";
  }
}

function said({ counted, repeated, refused, waiting }) {
  if (refused.length) return [`The collector refused it: ${refused[0].message}`, false];
  if (waiting) return ["The collector cannot be reached. Your browser keeps the report and sends it when you come back.", true];
  return counted ? ["Sent and stored. Thank you.", true] : repeated ? ["The collector already has this very report.", true] : ["Nothing was waiting.", true];
}

find("form").addEventListener("submit", makeReport);
find("form").addEventListener("input", () => (find("sides").hidden = true));
find("send").addEventListener("click", send);
start();
