/** What is remembered: whole or not at all, by one piece of work at a time, and for its owner alone. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { FileMemory } from "../../../src/untold/serve/pages/static/client/node.js";
import { Client, Plan, StoredMemory, TransientMemory, vectors } from "./support.js";

const [text] = vectors("client")[0].plans;
const ANNA = { age: 31, income: 333.3, member: true };

const LOST = { name: "StoreError", message: /both are lost.*not restore an older copy/ };

async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "untold-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a file survives, and holds no value", () =>
  inFolder(async (folder) => {
    const memory = () => new FileMemory(join(folder, "deep", "untold.json"));
    const plan = await Plan.fromJson(text);
    const first = await new Client(plan, "u-17", { memory: memory() }).report("users", ANNA);
    const again = new Client(plan, "u-17", { memory: memory() });
    assert.deepEqual(await again.report("users", { ...ANNA, age: 32 }), first);
    assert.equal(await again.spentNano(), plan.service("users").nano);
    const kept = await memory().exclusive(async (items) => items.keys());
    assert.deepEqual(kept.map((key) => key.split("/")[1]).sort(), ["left", "lifetime", "public", "report", "spent", "version"]);
    assert.equal((await stat(join(folder, "deep", "untold.json"))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(join(folder, "deep")), ["untold.json"]);
  }));

test("reports that are made at once see each other", async () => {
  const plan = await Plan.fromJson(text);
  const memory = new TransientMemory();
  const reports = await Promise.all(Array.from({ length: 20 }, () => new Client(plan, 1, { memory }).report("users", ANNA)));
  for (const report of reports) assert.deepEqual(report, reports[0]);
  assert.equal(await new Client(plan, 1, { memory }).spentNano(), plan.service("users").nano);
});

test("people who are said to be several do not share a ledger, and 1 is '1' as on the wire", async () => {
  const plan = await Plan.fromJson(text);
  const memory = new TransientMemory();
  const [one, other, stranger] = [1, "1", 2].map((user) => new Client(plan, user, { memory, severalPeople: true }));
  const { slots } = await one.report("users", ANNA);
  assert.deepEqual((await other.report("users", ANNA)).slots, slots);
  assert.equal(await other.spentNano(), plan.service("users").nano);
  assert.equal(await stranger.spentNano(), 0n);
});

test("a plan binds from the moment it is accepted", async () => {
  const memory = new TransientMemory();
  const plan = await Plan.fromJson(text);
  await new Client(plan, 1, { memory, lifetime: 1 }).accepted;
  await assert.rejects(new Client(plan, 1, { memory }).report("users", ANNA), { name: "BudgetExceeded", message: /of the lifetime budget of 1 remains/ });
  await assert.rejects(new Client(plan, 2, { memory, spentBefore: 3 }).report("users", ANNA), { name: "BudgetExceeded", message: /; 0 of the lifetime/ });
});

test("what was spent elsewhere is added to what is spent here", async () => {
  const memory = new TransientMemory();
  const plan = await Plan.fromJson(text);
  const { nano } = plan.service("users");
  await new Client(plan, 1, { memory }).report("users", ANNA);
  const client = new Client(plan, 1, { memory, spentBefore: 1 });
  assert.equal(await client.spentNano(), nano + 1_000_000_000n);
  assert.equal(await new Client(plan, 1, { memory, spentBefore: 0.5 }).spentNano(), nano + 1_000_000_000n); // the most counts, once
});

test("a link to a memory is no second memory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "untold-"));
  await symlink(join(folder, "real.json"), join(folder, "link.json"));
  assert.equal(new FileMemory(join(folder, "link.json")).path, new FileMemory(join(folder, "real.json")).path);
  await new FileMemory(join(folder, "link.json")).exclusive(async (items) => items.set("a", "1"));
  assert.equal(await new FileMemory(join(folder, "real.json")).exclusive(async (items) => items.get("a")), "1");
});

test("work that fails changes nothing", async () => {
  const memory = new TransientMemory();
  await assert.rejects(memory.exclusive(async (items) => (items.set("a", "1"), Promise.reject(new Error("no")))), { message: "no" });
  assert.equal(await memory.exclusive(async (items) => items.get("a")), undefined);
});

test("a memory that cannot be written reports nothing", async () => {
  class Full extends StoredMemory {
    held = (work) => work();
    read = async () => new Map();
    write = async () => Promise.reject(new Error("the disk is full"));
  }
  const plan = await Plan.fromJson(text);
  await assert.rejects(new Client(plan, 1, { memory: new Full() }).report("users", ANNA), { message: "the disk is full" });
});

test("an account's storage that compares versions is shared by two devices", async () => {
  const server = { version: 0, all: new Map(), meanwhile: null };
  class Versions extends StoredMemory {
    held = (work) => work();
    async read() {
      this.seen = server.version;
      const all = new Map(server.all);
      const { meanwhile } = server;
      server.meanwhile = null;
      await meanwhile?.();
      return all;
    }
    async write(all) {
      if (server.version !== this.seen) return false;
      [server.version, server.all] = [server.version + 1, all];
      return true;
    }
  }
  const plan = await Plan.fromJson(text);
  const [phone, laptop] = [new Client(plan, 1, { memory: new Versions() }), new Client(plan, 1, { memory: new Versions() })];
  await Promise.all([phone.accepted, laptop.accepted]);
  let first;
  server.meanwhile = async () => (first = await laptop.report("users", ANNA));
  assert.deepEqual(await phone.report("users", { ...ANNA, age: 4 }), first);
  assert.equal(await phone.spentNano(), plan.service("users").nano);
});

test("a damaged memory is refused, without advice that respends", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    const set = (name) => new FileMemory(path).exclusive(async (items) => items.set(name, "1"));
    await set("first");
    await set("second");
    const good = await readFile(path, "utf8");
    const [heading, , first, , second] = good.split("\n");
    const ended = good.replace(/\d{16}/, "0".repeat(16)); // a heading of its own making
    for (const damaged of ["{", "[]", ended, good.replace("first", "f1rst"), good.replace("second", "s3cond"), `${heading}\n\n${second}\n`, `\n${first}\n\n${second}\n`, good.replace(second, `?${second}`)]) {
      assert.notEqual(damaged, good);
      await writeFile(path, damaged);
      await assert.rejects(set("third"), LOST);
      assert.equal(await readFile(path, "utf8"), damaged);
    }
  }));

test("a process that died in the middle of a line had told nobody", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    const set = (name) => new FileMemory(path).exclusive(async (items) => items.set(name, "ü"));
    await set("first");
    const before = await readFile(path);
    await set("second");
    const after = await readFile(path);
    for (let end = before.length; end < after.length - 1; end += 3) { // the heading is written when the line is whole
      await writeFile(path, Buffer.concat([before, after.subarray(before.length, end)]));
      await set("third");
      assert.deepEqual(await new FileMemory(path).exclusive(async (items) => items.keys()), ["first", "third"]);
    }
  }));

test("what a process that died had written whole is shown, and then never forgotten", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    const look = () => new FileMemory(path).exclusive(async (items) => items.get("second"));
    const set = (name) => new FileMemory(path).exclusive(async (items) => items.set(name, "1"));
    await set("first");
    const before = await readFile(path);
    await set("second");
    const after = await readFile(path);
    await writeFile(path, Buffer.concat([before, after.subarray(before.length)])); // the heading still says "first"
    assert.equal(await look(), "1");
    assert.deepEqual(await readFile(path), after);
    await writeFile(path, after.subarray(0, before.length));
    await assert.rejects(look(), LOST);
  }));

test("a memory that was cut short is refused wherever it was cut: it draws nothing again", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    const plan = await Plan.fromJson(text);
    const report = () => new Client(plan, "u", { memory: new FileMemory(path) }).report("users", ANNA);
    const first = await report();
    const whole = await readFile(path);
    const cuts = [...Array(whole.length).keys()];
    let drawn = 0;
    const work = cuts.map(async (cut) => {
      const own = `${path}-${cut}`;
      await writeFile(own, whole.subarray(0, cut));
      const client = new Client(plan, "u", { memory: new FileMemory(own) });
      await assert.rejects(client.report("users", ANNA).then(() => drawn++), LOST);
    });
    await Promise.all(work).finally(() => assert.equal(drawn, 0));
    assert.deepEqual(await report(), first);
  }));

test("a file that others could read is for its owner alone from then on", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    const look = (work) => new FileMemory(path).exclusive(async (items) => work(items));
    await look((items) => items.set("a", "1"));
    await chmod(path, 0o644);
    assert.equal(await look((items) => items.get("a")), "1");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  }));

test("processes on a file see each other, whatever a lock of old or a process id says", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    await writeFile(join(folder, ".untold.json.owner"), "1"); // a process that lives, in another container
    const program = `
      import { FileMemory } from ${JSON.stringify(new URL("../../../src/untold/serve/pages/static/client/node.js", import.meta.url).href)};
      const memory = new FileMemory(${JSON.stringify(path)});
      for (let i = 0; i < 10; i++) await memory.exclusive(async (items) => items.set("n", String(Number(items.get("n") ?? 0) + 1)));
    `;
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    await Promise.all([run(), run(), run()]);
    assert.equal(await new FileMemory(path).exclusive(async (items) => items.get("n")), "30");
  }));

test("a process that is killed has paid for what it showed", () =>
  inFolder(async (folder) => {
    const path = join(folder, "untold.json");
    await writeFile(join(folder, "plan.json"), text);
    const program = `
      import { readFileSync, writeSync } from "node:fs";
      import { Client, Plan } from ${JSON.stringify(new URL("../../../src/untold/serve/pages/static/client/index.js", import.meta.url).href)};
      import { FileMemory } from ${JSON.stringify(new URL("../../../src/untold/serve/pages/static/client/node.js", import.meta.url).href)};
      const plan = await Plan.fromJson(readFileSync(${JSON.stringify(join(folder, "plan.json"))}, "utf8"));
      const report = await new Client(plan, "u", { memory: new FileMemory(${JSON.stringify(path)}) }).report("users", ${JSON.stringify(ANNA)});
      writeSync(1, JSON.stringify(report.slots.map((slot) => slot.map(({ index }) => index))));
      process.kill(process.pid, "SIGKILL");
    `;
    const shown = new Set();
    for (let i = 0; i < 3; i++) {
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]).catch((killed) => killed);
      shown.add(stdout);
    }
    assert.equal(shown.size, 1);
    assert.notEqual([...shown][0], "");
  }));
