/** Runs in a browser: the vectors, the memory, a signed plan. Posts what it found to the server that sent the page. */

import { Client, Device, IndexedMemory, Plan, TransientMemory } from "/client/index.js";
import { encode, fitted, placesOf } from "/client/encoder.js";
import { Randomness } from "/client/randomness.js";
import { wordOf } from "/client/word.js";

const vectors = async (name) => (await fetch(`/vectors/${name}.json`)).json();

class Replayed extends Randomness {
  constructor(words) {
    super();
    this.left = words.map(BigInt);
  }
  word() {
    return wordOf(this.left.shift());
  }
}

/** Cases whose messages are not those of the vector. */
async function wrongReports() {
  const wrong = [];
  let count = 0;
  for (const { name, plan: text, cases } of await vectors("reports")) {
    const plan = await Plan.fromJson(text);
    for (const { service, rows, words, slots } of cases) {
      const declared = plan.service(service);
      const made = encode(declared, fitted(declared, rows).map((row) => placesOf(declared, row)), new Replayed(words));
      const plain = made.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)]));
      if (JSON.stringify(plain) !== JSON.stringify(slots)) wrong.push(name);
      count++;
    }
  }
  return { count, wrong };
}

/** Plans of which this browser thinks otherwise than the vector. */
async function wrongVerdicts() {
  const wrong = [];
  const all = await vectors("hostile");
  for (const { name, signed, trust, refused } of all) {
    const fetch = async () => new Response(JSON.stringify(signed));
    const { key, ceiling, plan_id: planId } = trust;
    const options = { user: "u-17", token: "0".repeat(64), key, ceiling, ...(planId ? { planId } : {}), fetch, memory: new TransientMemory() };
    const said = await Device.connect("/", options).then(() => null, (error) => error.name);
    if (said !== refused) wrong.push([name, said]);
  }
  return { count: all.length, wrong };
}

/** Ten reports at once, each through the memory that an app gets which gives none, and what they cost together. */
async function remembered() {
  const plan = await Plan.fromJson((await vectors("client"))[0].plans[0]);
  const anna = { age: 31, income: 333.3, member: true };
  const clients = Array.from({ length: 10 }, () => new Client(plan, "u-17", { severalPeople: true }));
  const reports = await Promise.all(clients.map((client) => client.report("users", anna)));
  const slots = new Set(reports.map((report) => JSON.stringify(report.slots, (_, value) => (typeof value === "bigint" ? String(value) : value))));
  return { lasting: clients[0].memory instanceof IndexedMemory, slots: [...slots], spent: String(await clients[0].spentNano()), cost: String(plan.service("users").nano) };
}

/** The same in a browser without locks: who comes second sees that, and reads again. */
async function unlocked() {
  Object.defineProperty(navigator, "locks", { value: undefined });
  const plan = await Plan.fromJson((await vectors("client"))[0].plans[0]);
  const clients = Array.from({ length: 10 }, () => new Client(plan, "u-18", { memory: new Alone(), severalPeople: true }));
  const reports = await Promise.all(clients.map((client) => client.report("orders", [])));
  return { slots: new Set(reports.map(({ slots }) => JSON.stringify(slots.map((slot) => slot.map(({ index }) => index))))).size, spent: String(await clients[0].spentNano()), cost: String(plan.service("orders").nano) };
}

/** As a tab of its own: no turn is waited for. */
class Alone extends IndexedMemory {
  held(work) {
    return work();
  }
}

/** What a memory says of which somebody has removed a part: each of its two halves, and one pair of many. */
async function incomplete() {
  const said = [];
  for (const spoil of [(pairs) => pairs.clear(), (_, versions) => versions.clear(), (pairs) => pairs.delete("b"), (pairs) => pairs.put("1", "c")]) {
    const name = `incomplete ${said.length} ${performance.now()}`;
    const set = (key) => new IndexedMemory(name).exclusive(async (items) => items.set(key, "1"));
    await set("a");
    await set("b");
    const database = await new Promise((resolve) => ((request) => (request.onsuccess = () => resolve(request.result)))(indexedDB.open(name)));
    await new Promise((resolve) => {
      const transaction = database.transaction(["pairs", "versions"], "readwrite");
      transaction.oncomplete = resolve;
      spoil(transaction.objectStore("pairs"), transaction.objectStore("versions"));
    });
    said.push(await set("d").then(() => null, (error) => `${error.name}: ${error.message}`));
  }
  return said;
}

/** Milliseconds for a report after the plan was read, memory and digest included: the first one of the page, and the best mean of ten times ten more. */
async function speed() {
  const plan = await Plan.fromJson((await vectors("reports"))[0].plan);
  const person = { age: 2, income: 333.3, state: "WA" };
  const time = async (count) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) await new Client(plan, `${count}-${i}`, { memory: new TransientMemory() }).report("users", person);
    return (performance.now() - start) / count;
  };
  const first = await time(1), means = [];
  for (let i = 0; i < 10; i++) means.push(await time(10));
  return { first, best: Math.min(...means) };
}

let found;
try {
  found = {
    speed: await speed(),
    reports: await wrongReports(),
    verdicts: await wrongVerdicts(),
    remembered: await remembered(),
    incomplete: await incomplete(),
    unlocked: await unlocked(),
  };
} catch (error) {
  found = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch("/found", { method: "POST", body: JSON.stringify(found) });
