/** The analyst's page: sign in, then ask. */

import { find, make } from "../shared/dom.js";
import { Fault, ask, takeToken, token } from "../shared/api.js";
import { Completion } from "./completion.js";
import { Dashboard } from "./dashboard.js";
import { Editor } from "./editor.js";
import { Forecast } from "./forecast.js";
import { chosenEpochs, offerEpochs, showPlan } from "./plan.js";
import { Result } from "./result.js";
import { fragmentOf, offerCopies, questionOf } from "./share.js";

const editor = new Editor();
const completion = new Completion(editor);
const result = new Result();
const forecast = new Forecast(editor, (fault, sql) => sql === editor.sql && showFault(fault));
const dashboard = new Dashboard(choose, chosenEpochs);
let number = 0; // of the question that was asked last
let first = ""; // the question that the page opens with

function showFault(fault) {
  const box = find("fault");
  box.classList.remove("stale");
  box.hidden = !fault;
  box.replaceChildren(...(fault ? [fault.message, ...(fault.hint ? [make("span", { class: "hint" }, `Hint: ${fault.hint}`)] : [])] : []));
  editor.mark(fault);
}

/** What is switched on, of the ways in which an answer may be wanted. */
function switches() {
  const on = ["plausible", "sample"].filter((id) => find(id).checked).map((id) => [id, true]);
  const together = find("simultaneous").value;
  return Object.fromEntries(together ? [...on, ["simultaneous", together === "1"]] : on);
}

/** The request that the page would send now. */
function current() {
  return { sql: editor.sql, confidence: Number(find("confidence").value), ...chosenEpochs(), ...switches() };
}

/** Put a question of a link into the page. */
function take(question) {
  if (question.confidence) find("confidence").value = question.confidence;
  find("epochs").value = question.epochs.split(",")[0];
  for (const id of ["plausible", "sample"]) find(id).checked = question[id] === "1";
  find("simultaneous").value = question.simultaneous;
  editor.sql = question.sql;
}

async function run() {
  const mine = ++number;
  completion.close();
  find("run").disabled = true;
  result.busy(true);
  try {
    const asked = current();
    const answer = await ask("/query", asked);
    if (mine !== number) return;
    showFault(null);
    result.show(answer, asked);
    result.compare(current()); // typing went on
    const plain = asked.sql === first && asked.confidence === 0.95;
    history.replaceState(null, "", plain ? location.pathname : fragmentOf(asked));
    find("spoken").textContent = `Answer: ${answer.caption}`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.status === 401) signIn(error.message);
    else if (mine === number) showFault(error);
  } finally {
    if (mine === number) {
      find("run").disabled = false;
      result.busy(false);
    }
  }
}

/** Put a question into the editor and answer it there. */
function choose(sql) {
  editor.sql = sql;
  find("question-title").scrollIntoView({ block: "start" });
  run();
}

function offerExamples(examples) {
  const buttons = examples.map(({ words, sql }) => make("button", { type: "button", "aria-pressed": "false", click: () => choose(sql) }, words));
  editor.onChange(() => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(examples[i].sql === editor.sql))));
  find("examples").replaceChildren(...buttons.map((button) => make("li", {}, button)));
}

function signIn(message = "") {
  token.clear();
  dashboard.close();
  find("desk").hidden = true;
  find("sign-out").hidden = true;
  find("sign-in").hidden = false;
  find("sign-in-error").textContent = message;
  find("token").focus();
}

async function open() {
  let about;
  try {
    about = await ask("/about");
  } catch (error) {
    return signIn(error.status === 401 ? "This token does not open this collector." : error.message);
  }
  find("sign-in").hidden = true;
  find("sign-out").hidden = false;
  find("desk").hidden = false;
  const people = showPlan(about);
  offerEpochs(about);
  find("users").value = people || 100_000;
  editor.names = new Set(about.names.filter((each) => !["word", "function", "value"].includes(each.kind)).map((each) => each.name.toLowerCase()));
  completion.names = about.names;
  offerExamples(about.examples);
  find("examples-section").hidden = about.questions.length > 0; // the dashboard shows them
  first = about.examples[0]?.sql ?? "";
  const linked = questionOf(location.hash);
  dashboard.show(about.questions, people, about.planned, !linked);
  if (linked) take(linked);
  else editor.sql = first;
  if (people && (linked || !about.questions.length)) run();
  return undefined;
}

editor.onChange(() => {
  find("fault").classList.add("stale"); // until the new text is checked
  result.compare(current());
});
offerCopies(current);
addEventListener("hashchange", () => {
  const linked = questionOf(location.hash);
  if (linked && !find("desk").hidden) {
    take(linked);
    run();
  }
});
find("run").addEventListener("click", run);
for (const id of ["confidence", "epochs", "plausible", "sample", "simultaneous"]) find(id).addEventListener("change", run);
find("epochs").addEventListener("change", () => dashboard.answer());
find("sign-out").addEventListener("click", () => signIn());
find("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  token.set(find("token").value);
  find("token").value = "";
  open();
});
editor.area.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    event.preventDefault();
    run();
  }
});

takeToken();
if (token.get()) open();
else signIn();
