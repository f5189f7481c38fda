/** Many devices against a running collector: node test/crowd.js URL COUNT. Prints what became of their reports. */

import { BINARY_TYPE, Device, TransientMemory, enrol, toBinary } from "./support.js";

const [url, count] = [process.argv[2], Number(process.argv[3])];
const total = { counted: 0, repeated: 0, refused: 0, waiting: 0, again: 0 };

for (let i = 0; i < count; i++) {
  const memory = new TransientMemory();
  const { user, token } = await enrol(url, memory);
  const device = await Device.connect(url, { user, token, memory, ceiling: 2 });
  const orders = Array.from({ length: i % 4 }, () => ({ amount: 100 * (i % 6), kind: [7, 1, 30][i % 3] }));
  const first = await device.report("users", { age: (i % 12) - 3, income: 0.5 + i, state: ["NY", "WA", "Ünë"][i % 3], os: i % 2 ? "ios" : null });
  await device.report("orders", orders);
  const sent = await device.send();
  total.counted += sent.counted;
  total.repeated += sent.repeated;
  total.refused += sent.refused.length;
  total.waiting += sent.waiting;

  // The same report in the other form is the same report.
  const answer = await fetch(`${url}/reports`, {
    method: "POST",
    headers: { "Content-Type": BINARY_TYPE, Authorization: `Bearer ${token}` },
    body: toBinary(device.plan, [first], device.signed.columns),
  });
  total.again += (await answer.json()).repeated;
}
console.log(JSON.stringify(total));
