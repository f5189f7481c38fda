/** The plan in words, beside the question. */

import { find, make } from "../shared/dom.js";
import { atMost, whole } from "../shared/numbers.js";

export function showPlan(about) {
  find("plan-name").textContent = about.name;
  document.title = `Ask ${about.name} · untold`;
  find("services").replaceChildren(...about.services.map(cardOf));
  find("promise").replaceChildren(
    make("p", { class: "epsilon" }, `ε = ${atMost(about.epsilon, 6)}`),
    ...about.promise.map((sentence) => make("p", {}, sentence[0].toUpperCase() + sentence.slice(1))),
    make("p", {}, "Plan ", make("code", {}, about.id.slice(0, 12))),
  );
  const people = Math.max(0, ...about.services.map((service) => service.people));
  find("people").textContent = people ? `${whole(people)} people have reported` : "No reports yet: answers come with the first ones";
  return people;
}

function cardOf(service) {
  const listed = service.attributes.flatMap((attribute) => [
    make("dt", {}, attribute.name),
    make("dd", {}, ...(attribute.kind === "public" ? [make("span", { class: "public" }, "public"), " "] : []), attribute.about),
  ]);
  const epochs = service.epochs.length > 1 ? ` in ${service.epochs.length} epochs` : "";
  return make(
    "section",
    { class: "card service" },
    make("h3", {}, service.name, make("span", { class: "soft" }, `${whole(service.reports)} reports${epochs}`)),
    make("p", { class: "soft" }, service.rows),
    make("dl", {}, ...listed),
    make("p", { class: "soft cost" }, `Cost: ${service.cost}`),
    make("details", {}, make("summary", {}, "How a report is made"), make("p", {}, service.report)),
  );
}

/** A choice of epochs, where there are several: a person counts once in each. */
export function offerEpochs(about) {
  const known = [...new Set(about.services.flatMap((service) => service.epochs))].sort((a, b) => b - a);
  const list = find("epochs");
  list.replaceChildren(make("option", { value: "" }, "all, a person counts in each"), ...known.map((epoch) => make("option", { value: epoch }, String(epoch))));
  for (const element of [list, ...list.labels]) element.hidden = known.length < 2;
}

/** What to send: nothing for all epochs. */
export function chosenEpochs() {
  const { value } = find("epochs");
  return value === "" ? {} : { epochs: [Number(value)] };
}
