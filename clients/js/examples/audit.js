/**
 * The JavaScript client as a program that `untold audit` can run: untold audit shop.toml --client "node clients/js/examples/audit.js"
 *
 * Reads the plan and then one person a line, and writes what leaves that person's device (docs/audit.md). With the package
 * installed, import from "untold-client" instead.
 */

import { createInterface } from "node:readline";
import { BudgetExceeded, Client, Plan, TransientMemory, toJson } from "../../../src/untold/serve/pages/static/client/index.js";

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

let plan;
for await (const line of createInterface({ input: process.stdin })) {
  const read = JSON.parse(line);
  if (plan === undefined) {
    plan = await Plan.fromJson(read.plan);
    continue;
  }
  const client = new Client(plan, read.user, { memory: new TransientMemory() });
  const replies = [];
  for (const step of read.steps) replies.push(await reply(client, step));
  console.log(JSON.stringify(replies));
}
