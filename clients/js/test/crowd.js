/** Many devices against a running collector: node test/crowd.js URL COUNT. Prints what became of their reports. */

import { BINARY_TYPE, Device, TransientMemory, enrol, toBinary } from "./support.js";

const [url, count] = [process.argv[2], Number(process.argv[3])];
const total = { counted: 0, repeated: 0, refused: 0, waiting: 0, again: 0 };

/** What person i has in the services of tests/vectors/plans.py. */
const ROWS = {
  users: (i) => ({ age: (i % 12) - 3, income: 0.5 + i, state: ["NY", "WA", "Ünë"][i % 3], os: i % 2 ? "ios" : null }),
  orders: (i) => Array.from({ length: i % 4 }, () => ({ amount: 100 * (i % 6), kind: [7, 1, 30][i % 3] })),
  products: (i) => Array.from({ length: i % 3 }, () => ({ product: ["tea", "salt"][i % 2], price: i % 5 })),
};

/** The same report in the other form is the same report: 1 if the collector thinks so. */
async function again(device, report, token) {
  const headers = { "Content-Type": BINARY_TYPE, Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/reports`, { method: "POST", headers, body: toBinary(device.plan, [report], device.signed.columns) });
  return (await answer.json()).repeated;
}

for (let i = 0; i < count; i++) {
  const memory = new TransientMemory();
  const { user, token } = await enrol(url, memory);
  const device = await Device.connect(url, { user, token, memory, ceiling: 4 });
  const reports = [];
  for (const { name } of device.plan.services) reports.push(await device.report(name, ROWS[name](i)));
  const sent = await device.send();
  for (const each of ["counted", "repeated", "waiting"]) total[each] += sent[each];
  total.refused += sent.refused.length;
  for (const report of reports) total.again += await again(device, report, token);
}
console.log(JSON.stringify(total));
