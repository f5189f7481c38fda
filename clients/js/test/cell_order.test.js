/** Where cells are put before they are hashed: as in Python, and no two of them at one place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOfCell } from "../../../src/untold/serve/pages/static/client/oracles/cell_order.js";
import { vectors } from "./support.js";

test("places are those of Python", () => {
  for (const { sides, digits, cells, places } of vectors("cell_order")) {
    assert.deepEqual(cells.map((cell) => placeOfCell(cell, sides, digits)), places, `${sides}^${digits}`);
  }
});

test("no two cells share a place", () => {
  for (const [sides, digits] of [[2, 9], [3, 4], [7, 3], [101, 2], [13, 1]]) {
    const places = Array.from({ length: sides ** digits }, (_, cell) => placeOfCell(cell, sides, digits));
    assert.deepEqual([...places].sort((a, b) => a - b), places.map((_, i) => i));
  }
});
