/** Codes and fractions of values, bit for bit those of Python. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAttribute } from "../../../src/untold/serve/pages/static/client/attributes.js";
import { BadRecord } from "../../../src/untold/serve/pages/static/client/errors.js";
import { Fields } from "../../../src/untold/serve/pages/static/client/fields.js";
import { vectors } from "./support.js";

for (const [number, { declared, values, positions }] of vectors("attributes").entries()) {
  test(`positions of attribute ${number}, ${JSON.stringify(declared).slice(0, 60)}`, () => {
    const attribute = readAttribute("x", Fields.of(declared, "x"));
    values.forEach((value, i) => {
      if (positions[i] === null) assert.throws(() => attribute.position(value), BadRecord, String(value));
      else assert.deepEqual(attribute.position(value), positions[i], String(value));
    });
  });
}

test("a Date is an instant, read in UTC", () => {
  const days = readAttribute("x", Fields.of({ kind: "date", low: "2026-01-01", high: "2026-12-31", step: "day" }, "x"));
  assert.deepEqual(days.position(new Date("2026-03-01T00:30:00+01:00")), days.position("2026-02-28"));
  assert.deepEqual(days.position(new Date(Date.UTC(2026, 11, 31, 23, 59, 59, 999))), [364, 0]);
  assert.throws(() => days.position(new Date(NaN)), BadRecord);
  assert.throws(() => days.position(Date.UTC(2026, 1, 1)), BadRecord);
});

test("null, undefined and NaN are missing where something may be", () => {
  const age = { kind: "ordinal", low: 1, high: 9 };
  const [open, closed] = [{ ...age, missing: true }, age].map((declared) => readAttribute("x", Fields.of(declared, "x")));
  for (const nothing of [null, undefined, NaN]) {
    assert.deepEqual(open.position(nothing), [9, 0]);
    assert.throws(() => closed.position(nothing), BadRecord);
  }
  assert.equal(open.size, 10);
});
