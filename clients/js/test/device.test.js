/** A device against a collector over real HTTP: what is sent, how often, and what is kept. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { Device, TransientMemory, enrol, vectors } from "./support.js";

const TOKEN = "ab".repeat(32);
const { signed } = vectors("hostile").find(({ name }) => name === "an honest plan");
const ANNA = { age: 3, state: "WA" };
const FOREIGN = [
  [200, { counted: 1, refused: [] }],
  [200, { counted: 1, repeated: 0 }],
  [200, { counted: 1, repeated: 1, refused: [] }],
  [200, { counted: true, repeated: 0, refused: [] }],
  [200, { counted: 1, repeated: 0, refused: {} }],
  [200, { counted: 1, repeated: 0, refused: [], error: "conflict", message: "both" }],
  [200, { error: "conflict", message: "with the status of a success" }],
  [200, { counted: 0, repeated: 0, refused: [[0, "conflict"]] }],
  [201, { counted: 1, repeated: 0, refused: [] }],
  [409, { error: "conflict" }],
  [409, { error: ["conflict"], message: "a list" }],
  [409, { refused: [[0, "conflict"]] }],
  [409, { counted: 0, repeated: 0, refused: [["conflict", "conflict"]] }],
];
const STORED = [200, { counted: 1, repeated: 0, refused: [] }];

let server, url, answers, seen, away;

before(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      seen.push({ path: request.url, method: request.method, headers: request.headers, body });
      if (away) return request.socket.destroy();
      if (request.url === "/here/plan") return response.end(JSON.stringify(signed));
      if (request.url === "/here/enrol") return response.end(JSON.stringify({ user: "v-1", token: TOKEN }));
      const [status, answer, headers = {}] = answers.length > 1 ? answers.shift() : answers[0];
      if (status === 0) return request.socket.destroy(); // after the report was read: it may have been counted
      response.writeHead(status, headers).end(JSON.stringify(answer));
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${server.address().port}/here`;
});
after(() => server.close());
beforeEach(() => ([answers, seen, away] = [[STORED], [], false]));

const connect = (memory = new TransientMemory()) => Device.connect(url, { user: "u-17", token: TOKEN, memory, key: signed.key, ceiling: 1 });
const posts = () => seen.filter(({ path }) => path === "/here/reports");

test("a report is sent once, with the token and without cookies", async () => {
  const device = await connect();
  const report = await device.report("users", ANNA);
  assert.deepEqual(await device.send(), { counted: 1, repeated: 0, refused: [], waiting: 0 });
  assert.deepEqual(await device.send(), { counted: 0, repeated: 0, refused: [], waiting: 0 });
  assert.equal(posts().length, 1);
  const [{ method, headers, body }] = posts();
  assert.equal(method, "POST");
  assert.equal(headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers.cookie, undefined);
  assert.equal(headers.referer, undefined);
  assert.equal(body, device.body(report));
  const parsed = JSON.parse(body);
  assert.deepEqual(Object.keys(parsed), ["plan", "reports"]);
  assert.deepEqual(parsed.reports, [{ service: "users", user: "u-17", epoch: 0, slots: [[report.slots[0][0].index]] }]);
});

test("no answer, and an overloaded collector: the very same bytes again", async () => {
  answers = [[0], [503, { error: "busy", message: "" }, { "Retry-After": "0" }], [200, { counted: 0, repeated: 1, refused: [] }]];
  const device = await connect();
  await device.report("users", ANNA);
  const start = Date.now();
  assert.deepEqual(await device.send(), { counted: 0, repeated: 1, refused: [], waiting: 0 });
  assert.ok(Date.now() - start >= 1400, "half of 1 s and half of 2 s at least");
  assert.equal(new Set(posts().map(({ body }) => body)).size, 1);
  assert.equal(posts().length, 3);
});

test("Retry-After is waited for, and patience ends the attempts", async () => {
  answers = [[429, { error: "busy", message: "" }, { "Retry-After": "7" }]];
  const device = await connect();
  await device.report("users", ANNA);
  assert.deepEqual(await device.send({ patience: 6000 }), { counted: 0, repeated: 0, refused: [], waiting: 1 });
  assert.equal(posts().length, 1);
});

test("what was not sent outlives the program; offline, the plan is the one that was seen", async () => {
  const kept = new TransientMemory();
  const memory = () => kept;
  const first = await connect(memory());
  away = true;
  const report = await first.report("users", ANNA);
  assert.equal((await first.send({ patience: 0 })).waiting, 1);
  const second = await connect(memory());
  assert.equal(second.plan.id, first.plan.id);
  await second.report("orders", []);
  assert.equal((await second.send({ patience: 0 })).waiting, 2);
  away = false;
  const third = await connect(memory());
  assert.deepEqual(await third.send(), { counted: 2, repeated: 0, refused: [], waiting: 0 });
  assert.equal(posts().at(-2).body, first.body(report));
});

test("offline without a plan is an error that says so", async () => {
  away = true;
  await assert.rejects(connect(), { name: "CollectorError", message: /cannot be reached/ });
});

for (const [code, status, client] of vectors("contract").find(({ name }) => name === "codes").codes) {
  test(`${status} ${code}: ${client}`, async () => {
    const forget = client === "forget";
    for (const answer of [{ counted: 0, repeated: 0, refused: [[0, code]] }, { error: code, message: "why" }]) {
      answers = [[status, answer]];
      const device = await connect();
      await device.report("users", ANNA);
      const sent = await device.send({ patience: 0 }).catch((error) => ({ status: error.status, waiting: 1, refused: [] }));
      assert.deepEqual([sent.waiting, sent.refused.map((each) => each.code)], forget ? [0, [code]] : [1, []]);
      assert.equal(sent.status, client === "keep" && code !== "epoch-not-open" ? status : undefined);
      answers = [STORED];
      assert.equal((await device.send()).counted, forget ? 0 : 1);
    }
  });
}

test("an answer that is not a collector's, such as a login page of a network: the report is kept", async () => {
  for (const foreign of [[200, {}], [200, "welcome"], [200, { refused: [] }], [200, null], [200, [1]], ...FOREIGN, [400, {}], [413, "too large"], [422, null]]) {
    answers = [foreign];
    const device = await connect();
    await device.report("users", ANNA);
    assert.deepEqual(await device.send({ patience: 0 }), { counted: 0, repeated: 0, refused: [], waiting: 1 });
    answers = [STORED];
    assert.equal((await device.send()).counted, 1);
  }
});

test("a wrong token is told, and nothing is lost", async () => {
  answers = [[401, { error: "bad-token", message: "no token, or a wrong one" }], STORED];
  const device = await connect();
  await device.report("users", ANNA);
  await assert.rejects(device.send(), { name: "CollectorError", message: /wrong one/, status: 401 });
  assert.equal((await device.send()).counted, 1);
  await assert.rejects(Device.connect(url, { user: 1, token: "secret\r\nX: y" }), { message: /64 hexadecimal digits/ });
});

test("waiting can be given up", async () => {
  answers = [[503, { error: "busy", message: "" }]];
  const device = await connect();
  await device.report("users", ANNA);
  await assert.rejects(device.send({ patience: 1e9, signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  answers = [STORED];
  assert.equal((await device.send()).counted, 1);
});

test("a preview is an example: it sends and costs nothing, and what is sent is drawn anew", async () => {
  const device = await connect();
  const examples = [];
  for (let i = 0; i < 40; i++) examples.push(device.body(await device.preview("users", ANNA)));
  assert.ok(new Set(examples).size > 1); // 40 equal draws of dozens of messages: not by chance
  assert.deepEqual(await device.send(), { counted: 0, repeated: 0, refused: [], waiting: 0 });
  assert.equal(await device.client.spentNano(), 0n);
  const shown = await device.report("users", ANNA);
  assert.deepEqual(await device.preview("users", ANNA), shown); // what was reported is shown as it was
  assert.equal(await device.client.spentNano(), device.plan.service("users").nano);
  await device.send();
  assert.equal(posts()[0].body, device.body(shown));
});

test("a visitor is enrolled once", async () => {
  const memory = new TransientMemory();
  assert.deepEqual(await enrol(url, memory), { user: "v-1", token: TOKEN });
  assert.deepEqual(await enrol(url, memory), { user: "v-1", token: TOKEN });
  assert.equal(seen.length, 1);
});

test("only what a collector says enrols, and what is not that is not remembered", async () => {
  const answer = (status, body) => async () => new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  for (const body of ["<html>welcome</html>", {}, null, [], { user: "v-1" }, { user: 7, token: TOKEN }, { user: "", token: TOKEN }, { user: "v-1", token: "secret" }]) {
    const memory = new TransientMemory();
    await assert.rejects(enrol(url, memory, answer(200, body)), { name: "CollectorError", message: /Nobody was enrolled/ });
    assert.deepEqual(await enrol(url, memory), { user: "v-1", token: TOKEN });
  }
  const memory = new TransientMemory();
  await assert.rejects(enrol(url, memory, answer(429, { error: "busy", message: "many people enrol" })), { status: 429, message: /many people/ });
  await assert.rejects(enrol(url, memory, answer(502, "<html>")), { status: 502, message: /answers 502/ });
  await assert.rejects(enrol(url, memory, () => Promise.reject(new TypeError("no network"))), { name: "CollectorError", message: /no network/ });
  const place = `enrolled at ${url}/`;
  await memory.exclusive(async (items) => items.set(place, JSON.stringify({ user: "undefined", token: "undefined" }))); // by an older version
  assert.deepEqual(await enrol(url, memory), { user: "v-1", token: TOKEN });
});

test("a collector cannot make a device wait for longer than an hour", async () => {
  answers = [[503, { error: "busy", message: "" }, { "Retry-After": "1e300" }]];
  const device = await connect();
  await device.report("users", ANNA);
  const waits = [];
  const real = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms) => (waits.push(ms), (answers = [STORED]), real(act, 0));
  try {
    assert.equal((await device.send({ patience: 1e12 })).counted, 1);
  } finally {
    globalThis.setTimeout = real;
  }
  assert.ok(waits.includes(3_600_000) && Math.max(...waits) <= 3_600_000);
});
