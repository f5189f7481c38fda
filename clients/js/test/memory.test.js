/** What is remembered: whole or not at all, by one piece of work at a time, and for its owner alone. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { FileMemory } from "../../../src/untold/serve/pages/static/client/node.js";
import { Client, LocalMemory, Plan, TransientMemory, vectors } from "./support.js";

const { plan: text } = vectors("client")[0];
const ANNA = { age: 31, income: 333.3, member: true };

class Store {
  constructor() {
    this.items = new Map();
  }
  getItem(name) {
    return this.items.get(name) ?? null;
  }
  setItem(name, value) {
    if (this.full) throw new Error("quota exceeded");
    this.items.set(name, value);
  }
}

async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "untold-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const store = new Store();
for (const [name, open] of [
  ["localStorage", () => new LocalMemory("untold", store)],
  ["a file", null],
]) {
  test(`${name} survives, and holds no value`, () =>
    inFolder(async (folder) => {
      const memory = open ?? (() => new FileMemory(join(folder, "deep", "untold.json")));
      const plan = await Plan.fromJson(text);
      const first = await new Client(plan, "u-17", { memory: memory() }).report("users", ANNA);
      const again = new Client(plan, "u-17", { memory: memory() });
      assert.deepEqual((await again.report("users", ANNA, 1)).slots, first.slots);
      assert.equal(await again.spentNano(), plan.service("users").nano);
      await assert.rejects(again.report("users", { ...ANNA, age: 32 }, 1), { name: "AlreadyReported" });
      const kept = await memory().exclusive(async (items) => items.keys());
      assert.deepEqual(kept.map((key) => key.split("/")[1]).sort(), ["kept", "lifetime", "sent", "sent", "spent", "spent in 0"]);
      if (open === null) {
        assert.equal((await stat(join(folder, "deep", "untold.json"))).mode & 0o777, 0o600);
        assert.deepEqual(await readdir(join(folder, "deep")), ["untold.json"]);
      }
    }));
}

test("reports that are made at once see each other", async () => {
  const plan = await Plan.fromJson(text);
  const memory = new TransientMemory();
  const reports = await Promise.all(Array.from({ length: 20 }, () => new Client(plan, 1, { memory }).report("users", ANNA)));
  for (const report of reports) assert.deepEqual(report, reports[0]);
  assert.equal(await new Client(plan, 1, { memory }).spentNano(), plan.service("users").nano);
});

test("users do not share a ledger, and 1 is not '1'", async () => {
  const plan = await Plan.fromJson(text);
  const memory = new TransientMemory();
  for (const user of [1, "1"]) await new Client(plan, user, { memory }).report("users", ANNA);
  for (const user of [1, "1"]) assert.equal(await new Client(plan, user, { memory }).spentNano(), plan.service("users").nano);
});

test("work that fails changes nothing", async () => {
  const memory = new TransientMemory();
  await assert.rejects(memory.exclusive(async (items) => (items.set("a", "1"), Promise.reject(new Error("no")))), { message: "no" });
  assert.equal(await memory.exclusive(async (items) => items.get("a")), undefined);
});

test("a full store reports nothing", async () => {
  const plan = await Plan.fromJson(text);
  const full = new Store();
  full.full = true;
  await assert.rejects(new Client(plan, 1, { memory: new LocalMemory("t", full) }).report("users", ANNA), { name: "StoreError", message: /Nothing was reported/ });
});

test("a damaged memory is not started anew", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    for (const damaged of ["", "{", "{}", '[["a"]]', '[["a", 1]]']) {
      await writeFile(path, damaged);
      await assert.rejects(new FileMemory(path).exclusive(async () => {}), { name: "StoreError", message: /restore it from a copy/ });
      assert.equal(await readFile(path, "utf8"), damaged);
    }
  }));

test("processes take turns on a file, and a dead one's lock is taken over", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    await writeFile(join(folder, ".untold.json.owner"), "999999999"); // no such process
    const program = `
      import { FileMemory } from ${JSON.stringify(new URL("../../../src/untold/serve/pages/static/client/node.js", import.meta.url).href)};
      const memory = new FileMemory(${JSON.stringify(path)});
      for (let i = 0; i < 10; i++) await memory.exclusive(async (items) => items.set("n", String(Number(items.get("n") ?? 0) + 1)));
    `;
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    await Promise.all([run(), run(), run()]);
    assert.equal(await new FileMemory(path).exclusive(async (items) => items.get("n")), "30");
  }));
