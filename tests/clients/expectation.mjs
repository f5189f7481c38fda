/** The exact distribution of what a device sends, for each of some records: [output, numerator, denominator]. From standard input: a plan and the records. */

import { readFileSync } from "node:fs";
import { Exhaustive } from "../../clients/js/test/exhaustive.js";
import { Plan } from "../../clients/js/test/support.js";
import { encode, fitted, placesOf } from "../../src/untold/serve/pages/static/client/encoder.js";

const [text, records] = JSON.parse(readFileSync(0, "utf8"));
const service = (await Plan.fromJson(text)).service("people");
const found = records.map((rows) => {
  const places = fitted(service, rows).map((row) => placesOf(service, row));
  return [...new Exhaustive().distribution((draw) => encode(service, places, draw))].map(([output, chance]) => [output, ...chance.map(String)]);
});
console.log(JSON.stringify(found));
