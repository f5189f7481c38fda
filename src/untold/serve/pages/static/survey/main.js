/** The survey: a form from the plan, the record and the report side by side, and on a click the report is sent. */

import { find, make } from "../shared/dom.js";
import { atMost, whole } from "../shared/numbers.js";
import { Device, IndexedMemory, MixedDevice, enrol } from "../client/index.js";
import { RowsForm } from "./form.js";
import { takeApart } from "./speaks.js";
import { meaningOf } from "./words.js";

const CEILING = 10; // epsilon for one epoch: this page takes part in no plan that asks for more
const NANO = 1e9;
const SEAL = 48; // bytes
const SILENT = "Your browser has drawn by lot in which epochs it takes part, and this is not one of them. Come back in the next one.";

const RELAY = find("main").dataset.relay; // of a mixed plan: one sealed bundle goes there, with all services

let device, frozen, epoch, sets, shown;

function problem(text) {
  const box = find("problem");
  box.hidden = !text;
  box.textContent = text;
}

async function start() {
  if (!globalThis.isSecureContext) return problem("Browsers give secure randomness and signatures to pages over HTTPS or on this machine only. Open this page that way.");
  const memory = new IndexedMemory();
  try {
    await connect({ ...(await enrol(RELAY ?? "/", memory)), memory });
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
  const options = { user, token, memory, ceiling: CEILING };
  device = RELAY ? await MixedDevice.connect("/", RELAY, options) : await Device.connect("/", options);
  epoch = RELAY ? Math.max(0, ...(await device.openEpochs())) : device.epoch;
  frozen = JSON.parse(device.plan.text).designs;
  find("who").hidden = true;
  find("plan-name").textContent = device.plan.name;
  document.title = `${device.plan.name} · untold`;
  const names = device.plan.services.map(({ name }) => name);
  const pills = names.map((name, i) =>
    make("label", { class: "pill" }, make("input", { type: "radio", name: "service", value: name, change: () => choose([name]), ...(i ? {} : { checked: "" }) }), name),
  );
  find("services").append(...(RELAY ? [] : pills));
  find("services").hidden = RELAY || pills.length < 2;
  find("mixing").hidden = !RELAY;
  find("mixing").textContent = find("main").dataset.words ?? "";
  choose(RELAY ? names : names.slice(0, 1));
  const asked = Object.values(JSON.parse(device.plan.text).declared.services).flatMap(({ questions = [] }) => questions);
  find("asked").hidden = asked.length === 0;
  find("questions").replaceChildren(...asked.map(({ sql }) => make("li", {}, make("code", {}, sql))));
  find("form").hidden = false;
  device.send({ patience: 0 }).catch(() => {}); // what an earlier visit could not send
}

/** Ask for the rows of these services: of one after the other, or of all at once where one bundle has them all. */
function choose(names) {
  find("rows").replaceChildren();
  sets = names.map((name) => {
    const [service, place] = [device.plan.service(name), make("div", {})];
    find("rows").append(...(names.length > 1 ? [make("h3", {}, name)] : []), place);
    return { service, form: new RowsForm(place, service, device.signed.columns.public.get(name) ?? new Map(), names.length > 1 ? `${name}-` : "") };
  });
  const cost = sets.reduce((sum, { service }) => sum + service.nano, 0n);
  find("cost").textContent = `Costs ε = ${atMost(Number(cost) / NANO, 6)} of the ${device.plan.epsilon} that this plan may ever cost you in one epoch.`;
  find("sides").hidden = true;
  find("form-error").textContent = "";
}

async function makeReport(event) {
  event.preventDefault();
  find("form-error").textContent = "";
  try {
    shown = sets.map(({ service, form }) => ({ service, rows: form.read() }));
    const examples = [];
    for (const { service, rows } of shown) examples.push(await device.preview(service.name, rows, epoch));
    if (examples.includes(null)) throw new Error(SILENT);
    show(examples, "an example: yours is drawn when you send");
    find("send").disabled = false;
  } catch (error) {
    find("form-error").textContent = error.message;
    find("sides").hidden = true;
  }
}

/** Records and reports side by side, in the order of `shown`. */
function show(reports, what) {
  find("what").textContent = what;
  find("record").replaceChildren(...shown.flatMap(({ rows }, i) => [...ruled(i), ...(rows.length ? rows.flatMap(recordOf) : [make("dt", {}, "no rows")])]));
  find("report").replaceChildren(...reports.flatMap((report, i) => [...ruled(i), ...reportOf(report, shown[i].service)]));
  find("body").textContent = RELAY ? sealedText(reports) : device.body(reports[0]);
  find("meaning").replaceChildren(make("h3", {}, RELAY ? "What it tells whoever opens it" : "What it tells whoever sees it"), ...reports.flatMap(meaning));
  find("outcome").textContent = "";
  find("sides").hidden = false;
  find("sides-title").focus({ preventScroll: true });
  find("sides").scrollIntoView({ block: "start", behavior: "auto" });
}

function meaning(report, i) {
  const [{ service, rows }, messages] = [shown[i], report.slots.flat()];
  const first = takeApart(service, frozen[service.name], messages[0], service.rows ? null : rows[0]);
  const rest = messages.length > 1 ? [make("p", { class: "soft" }, `So for the first of its ${messages.length} messages; the others are of the same kind.`)] : [];
  const epsilon = Number(service.nano) / NANO / service.slots;
  return [...(shown.length > 1 ? [make("h4", {}, service.name)] : []), ...meaningOf(first, epsilon, find("form").clientWidth - 40), ...rest];
}

function reportOf(report, service) {
  return [
    ...pair("service", report.service),
    ...(RELAY ? [] : pair(device.plan.userKey, report.user)),
    ...pair("epoch", report.epoch),
    ...report.slots.flat().flatMap(({ index }) => pair("message", `number ${whole(index)} of ${whole(service.design.messages)}`)),
    ...[...report.public].flatMap(([name, value]) => pair(name, `${value ?? "nothing"} (public)`)),
  ];
}

/** Of a bundle there is no text to see: it is sealed when it is made. */
function sealedText(reports) {
  const bytes = reports.reduce((sum, { slots }, i) => sum + slots.flat().length * (4 + shown[i].service.design.seedBits / 4), SEAL);
  return `One sealed bundle of ${whole(bytes)} bytes, as long as everybody's. Your key ${device.client.user} stands beside it for the relay, and goes no further.`;
}

const ruled = (number) => (number ? [make("div", { class: "rule" })] : []);
const pair = (name, value) => [make("dt", {}, name), make("dd", {}, String(value))];

function recordOf(row, number) {
  return [...ruled(number), ...Object.entries(row).flatMap(([name, value]) => pair(name, value ?? "nothing"))];
}

async function send() {
  const outcome = find("outcome");
  find("send").disabled = true;
  outcome.className = "";
  try {
    const reports = await (RELAY ? bundled() : alone());
    if (reports.includes(null)) throw new Error(SILENT);
    show(reports, RELAY ? "inside the sealed bundle" : "all that is sent");
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

async function alone() {
  return [await device.report(shown[0].service.name, shown[0].rows, epoch)];
}

/** What is inside the bundle, once it is made: a preview shows what was reported before. */
async function bundled() {
  const made = await device.report(Object.fromEntries(shown.map(({ service, rows }) => [service.name, rows])), epoch);
  return made ? Promise.all(shown.map(({ service, rows }) => device.preview(service.name, rows, epoch))) : [null];
}

const OTHER_END = RELAY ? "relay" : "collector";

function said({ counted, repeated, refused, waiting }) {
  if (refused.length) return [`The ${OTHER_END} refused it: ${refused[0].message}`, false];
  if (waiting) return [`The ${OTHER_END} cannot be reached. Your browser keeps the report and sends it when you come back.`, true];
  return counted ? ["Sent and stored. Thank you.", true] : repeated ? [`The ${OTHER_END} already has this very report.`, true] : ["Nothing was waiting.", true];
}

find("form").addEventListener("submit", makeReport);
find("form").addEventListener("input", () => (find("sides").hidden = true));
find("send").addEventListener("click", send);
start();
