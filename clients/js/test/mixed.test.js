/** A device whose reports are mixed: which plans it follows, what it sends to the relay, and that nothing is lost on the way. */

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { FileMemory } from "../../../src/untold/serve/pages/static/client/node.js";
import { Device, MixedDevice, TransientMemory, vectors } from "./support.js";

const TOKEN = "ab".repeat(32);
const ALL = vectors("mixed");
const HONEST = ALL[0];
const ROWS = { users: { age: 3 }, orders: [], clicks: { page: "x" } };
const STORED = [200, JSON.stringify({ counted: 1, repeated: 0, refused: [] })];
const PORTAL = [200, "<html>Welcome to our network. Please log in.</html>"];

let server, url, relay, answers, seen;

/** A collector at /c and a relay at /r, of one server; `answers` says what each of their paths answers. */
before(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      seen.push({ path: request.url, headers: request.headers, body });
      const answer = answers[request.url];
      if (answer === undefined) return request.socket.destroy();
      response.writeHead(answer[0]).end(answer[1]);
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  [url, relay] = ["c", "r"].map((path) => `http://127.0.0.1:${server.address().port}/${path}`);
});
after(() => server.close());
beforeEach(() => {
  seen = [];
  answers = { "/c/plan": [200, JSON.stringify(HONEST.offer)], "/r/plan": [200, JSON.stringify(HONEST.relay)], "/r/reports": STORED };
});

const connect = (memory = new TransientMemory(), more = {}) => MixedDevice.connect(url, relay, { user: "u-17", token: TOKEN, memory, ...more });
const bodies = () => seen.filter(({ path }) => path === "/r/reports").map(({ body }) => body);

for (const { name, before: first, offer, people, refused } of ALL) {
  test(`${refused === null ? "accepted" : "refused"}: ${name}`, async () => {
    const [memory, more] = [new TransientMemory(), people === null ? {} : { people }];
    if (first !== null) {
      answers["/c/plan"] = [200, JSON.stringify(first)];
      await connect(memory, more);
    }
    answers["/c/plan"] = [200, JSON.stringify(offer)];
    if (refused === null) assert.equal((await connect(memory, more)).plan.name, "poll");
    else await assert.rejects(connect(memory, more), { name: refused });
  });
}

test("another key is refused", async () => {
  await assert.rejects(connect(undefined, { key: "00".repeat(32) }), { name: "UntrustedPlan" });
});

test("a client that reports to collectors refuses a mixed plan", async () => {
  await assert.rejects(Device.connect(url, { user: "u-17", token: TOKEN, memory: new TransientMemory() }), { name: "UntrustedPlan", message: /mixed by a relay/ });
});

test("one bundle an epoch, of one length whatever the rows, in the relay's own columns", async () => {
  for (const rows of [ROWS, { users: { age: 9 }, orders: [{ kind: "a" }, { kind: "b" }, { kind: "b" }], clicks: { page: "z" } }]) {
    const device = await connect();
    assert.deepEqual(await device.openEpochs(), [0, 1]);
    assert.equal(await device.report(rows, 0), true);
    assert.deepEqual(await device.send(), { counted: 1, repeated: 0, refused: [], waiting: 0 });
  }
  const sent = bodies().map((body) => JSON.parse(body).reports);
  assert.deepEqual(sent.map(({ length }) => length), [1, 1]);
  for (const [{ service, user, epoch, slots, public: columns }] of sent) {
    assert.deepEqual([service, user, epoch, slots], ["bundles", "u-17", 0, [[0]]]);
    assert.deepEqual(Object.keys(columns), ["sealed_0"]);
    assert.equal(Buffer.from(columns.sealed_0, "base64").length, HONEST.bytes);
  }
  assert.equal(new Set(bodies().map(({ length }) => length)).size, 1);
  assert.equal(new Set(bodies()).size, 2);
  assert.ok(seen.filter(({ path }) => path.startsWith("/c/")).every(({ headers, body }) => headers.authorization === undefined && body === ""));
});

test("batches by a public column: its value travels beside the bundle", async () => {
  const { offer, relay: answer } = ALL.find(({ name }) => name === "batches by a public column");
  Object.assign(answers, { "/c/plan": [200, JSON.stringify(offer)], "/r/plan": [200, JSON.stringify(answer)] });
  for (const os of ["ios", null]) {
    const device = await connect();
    await device.report({ ...ROWS, users: { age: 3, os } }, 0);
    await device.send();
  }
  assert.deepEqual(bodies().map((body) => JSON.parse(body).reports[0].public.by_0), ["ios", undefined]);
  const device = await connect();
  await assert.rejects(device.report({ ...ROWS, users: { age: 3, os: 7 } }, 0), { name: "BadRecord", message: /mix\.by/ });
  assert.equal(await device.client.spentNano(), 0n); // nothing was drawn
});

test("whatever happens on the way, the same bytes arrive in the end, from another start of the program", async () => {
  const memory = () => new FileMemory(join(folder, "memory.json"));
  const folder = mkdtempSync(join(tmpdir(), "untold-"));
  const away = { "/c/plan": undefined, "/r/plan": undefined, "/r/reports": undefined };
  await connect(memory()); // the plan is known from now on
  Object.assign(answers, away);
  const device = await connect(memory());
  assert.equal(await device.report(ROWS, 0), true);
  const waits = { counted: 0, repeated: 0, refused: [], waiting: 1 };
  const troubles = [
    {}, // nobody answers
    { "/r/plan": PORTAL, "/r/reports": PORTAL },
    { "/r/plan": [404, "no"], "/r/reports": [404, "no"] },
    { "/r/plan": [200, JSON.stringify(HONEST.relay)] }, // the relay dies after it has said who it is
    { "/r/reports": PORTAL },
    { "/r/reports": [200, "{}"] },
    { "/r/reports": [503, '{"error": "busy", "message": "later"}'] },
    { "/r/reports": [500, ""] },
  ];
  for (const trouble of troubles) {
    Object.assign(answers, away, trouble);
    assert.deepEqual(await (await connect(memory())).send({ patience: 0 }), waits);
  }
  answers["/r/reports"] = [403, '{"error": "bad-token", "message": "no"}'];
  await assert.rejects((await connect(memory())).send(), { name: "CollectorError" });
  assert.equal(await (await connect(memory())).report({ ...ROWS, users: { age: 9 } }, 0), true); // within an epoch the same again
  answers["/r/reports"] = STORED;
  assert.deepEqual(await (await connect(memory())).send(), { ...waits, counted: 1, waiting: 0 });
  assert.ok(bodies().length >= 4);
  assert.equal(new Set(bodies()).size, 1);
});

test("a relay of another plan gets nothing", async () => {
  answers["/r/plan"] = [200, JSON.stringify(ALL.find(({ name }) => name === "batches by a public column").relay)];
  const device = await connect();
  await device.report(ROWS, 0);
  await assert.rejects(device.send(), { name: "UntrustedPlan" });
  await assert.rejects(device.openEpochs(), { name: "UntrustedPlan" });
  assert.deepEqual(bodies(), []);
  answers["/r/plan"] = [200, JSON.stringify(HONEST.relay)];
  assert.equal((await device.send()).counted, 1);
});

test("a bundle of a plan that the relay has left is refused in words, and the next one is sent", async () => {
  const memory = new TransientMemory();
  answers["/r/plan"] = undefined;
  await (await connect(memory)).report(ROWS, 0);
  const { offer, relay: answer } = ALL.find(({ name }) => name === "more people than before");
  Object.assign(answers, { "/c/plan": [200, JSON.stringify(offer)], "/r/plan": [200, JSON.stringify(answer)] });
  const device = await connect(memory);
  await device.report(ROWS, 1);
  answers["/r/reports"] = [400, '{"error": "other-plan", "message": "of another plan"}'];
  const sent = await device.send();
  assert.deepEqual(sent.refused.map(({ code }) => code), ["other-plan", "other-plan"]);
  const named = bodies().map((body) => JSON.parse(body).plan);
  assert.equal(named[0], "0".repeat(64));
  assert.notEqual(named[1], named[0]);
});

test("rows of every service are needed that has one row per person, and those of others are left out", async () => {
  const device = await connect();
  await assert.rejects(device.report({ users: { age: 3 } }, 0), { name: "BadRecord", message: /missing: clicks/ });
  await assert.rejects(device.report({ ...ROWS, users: { age: 10 } }, 0), { name: "BadRecord" });
  assert.equal(await device.client.spentNano(), 0n);
  const { orders: _, ...others } = ROWS;
  assert.equal(await device.report({ ...others, shop: [] }, 0), true);
});
