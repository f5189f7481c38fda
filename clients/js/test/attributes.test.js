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
