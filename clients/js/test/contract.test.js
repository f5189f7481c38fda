/** The fixed words and numbers of the wire are those of Python. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as contract from "../../../src/untold/serve/pages/static/client/contract.js";
import { vectors } from "./support.js";

const [types, limits, codes, plan] = vectors("contract");
const CLIENT = new URL("../../../src/untold/serve/pages/static/client/", import.meta.url);

test("content types", () => assert.deepEqual({ JSON_TYPE: contract.JSON_TYPE, BINARY_TYPE: contract.BINARY_TYPE }, types.values));

test("limits", () => {
  for (const name of ["LONGEST_KEY", "LONGEST_TEXT", "LAST_EPOCH"]) assert.equal(contract[name], limits.values[name]);
});

test("codes that a client forgets, and statuses after which it tries again", () => {
  const forget = codes.codes.filter(([, , client]) => client === "forget").map(([code]) => code);
  assert.deepEqual([...contract.FORGET].sort(), forget.sort());
  assert.deepEqual(contract.LATER, codes.later);
  for (const [, status, client] of codes.codes) assert.equal(contract.tryLater(status), client === "later");
});

test("limits of a plan, which are private to their modules: read from the text", () => {
  const text = ["plan.js", "attributes.js"].map((name) => readFileSync(new URL(name, CLIENT), "utf8")).join("\n");
  for (const [name, value] of Object.entries(plan.values)) {
    const [, base, power, less] = text.match(new RegExp(`const ${name} = ([0-9e_]+)(?: \\*\\* ([0-9]+))?(?: - ([0-9]+))?;`));
    assert.equal(Number(base) ** Number(power ?? 1) - Number(less ?? 0), value, name);
  }
});
