/** Names of errors are for programs: they must be the same in an app that was bundled and minified. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as errors from "../../../src/untold/serve/pages/static/client/errors.js";
import { IndexedMemory } from "../../../src/untold/serve/pages/static/client/memory/indexed.js";

const file = new URL("../../../src/untold/serve/pages/static/client/errors.js", import.meta.url);

test("errors are called as their classes are", () => {
  const all = Object.entries(errors);
  assert.equal(all.length, 8);
  for (const [name, kind] of all) assert.equal(new kind("what happened").name, name);
});

test("and still are when a bundler has shortened the names of classes", async () => {
  let [text, number] = [readFileSync(file, "utf8"), 0];
  for (const name of Object.keys(errors)) {
    const short = `x${number++}`;
    text = text.replace(new RegExp(`class ${name}\\b`), `class ${short}`);
    text = text.replaceAll(new RegExp(`extends ${name}\\b`, "g"), `extends ${short}`) + `\nexport { ${short} as short_${name} };`;
  }
  const bundled = await import(`data:text/javascript,${encodeURIComponent(text.replaceAll("export class", "class"))}`);
  for (const name of Object.keys(errors)) {
    const kind = bundled[`short_${name}`];
    assert.notEqual(kind.name, name);
    assert.equal(new kind("what happened").name, name);
  }
});

test("a browser that keeps nothing is a StoreError, and is asked again the next time", async () => {
  let [asked, denied] = [0, true];
  const factory = {
    open() {
      asked++;
      throw denied ? new DOMException("The user denied permission to access the database.", "SecurityError") : new TypeError("a mistake");
    },
  };
  const memory = new IndexedMemory("untold", factory);
  const work = () => memory.exclusive(async () => assert.fail("there is nothing to work with"));
  for (let i = 0; i < 2; i++) await assert.rejects(work(), { name: "StoreError", message: /does not let this page keep anything \(SecurityError/ });
  assert.equal(asked, 2);
  denied = false;
  await assert.rejects(work(), { name: "TypeError" }); // not everything that fails is denied
  await assert.rejects(new IndexedMemory("untold", undefined).exclusive(async () => 1), { name: "StoreError" });
  await assert.rejects(new IndexedMemory("untold", { open: () => assert.fail() }).exclusive(async () => 1), { name: "AssertionError" });
  assert.equal(await memory.persist(), false); // Node promises nothing
});
