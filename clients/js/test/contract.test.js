/** The fixed words and numbers of the wire are those of Python. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "../../../src/untold/serve/pages/static/client/contract.js";
import { vectors } from "./support.js";

const [types, limits, codes] = vectors("contract");

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
