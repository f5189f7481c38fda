/**
 * The JavaScript client as a program that `untold audit` and `untold conformance` can run: untold audit shop.toml --client "node clients/js/examples/audit.js"
 *
 * Reads the plan and then one person a line, and writes what leaves that person's device (docs/audit.md). With the package
 * installed, import from "untold-client" instead.
 */

import { createInterface } from "node:readline";
import { BudgetExceeded, Client, Plan, Randomness, TransientMemory, toJson } from "../../../src/untold/serve/pages/static/client/index.js";

/** Given words in order, for `untold conformance`. What is drawn so is marked insecure. */
class Given extends Randomness {
  constructor(words) {
    super();
    this.left = words.map(BigInt);
  }

  word() {
    const word = this.left.shift();
    return Uint16Array.from([0n, 16n, 32n, 48n], (shift) => Number((word >> shift) & 0xffffn));
  }
}

/** The report of a step as in docs/wire.md, or null if the device is silent. */
async function reply(client, { service, rows, epoch }) {
  try {
    const report = await client.report(service, rows, epoch);
    return report === null ? null : JSON.parse(toJson(client.plan, [report])).reports[0];
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

let plan, refused;
for await (const line of createInterface({ input: process.stdin })) {
  const read = JSON.parse(line);
  if (read.plan !== undefined) {
    plan = await Plan.fromJson(read.plan).catch((error) => void (refused = error.message));
    continue;
  }
  if (refused !== undefined) {
    console.log(JSON.stringify({ refused }));
    continue;
  }
  const client = new Client(plan, read.user, { memory: new TransientMemory(), ...(read.words ? { rng: new Given(read.words) } : {}) });
  const replies = [];
  for (const step of read.steps) replies.push(await reply(client, step));
  console.log(JSON.stringify(replies));
}
