/** Many devices of a mixed plan: node test/mixed_crowd.js COLLECTOR RELAY COUNT. Each sends twice; prints what became of their bundles. */

import { MixedDevice, TransientMemory, enrol } from "./support.js";

const [url, relay, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const total = { counted: 0, repeated: 0, refused: 0, waiting: 0 };

for (let i = 0; i < count; i++) {
  const memory = new TransientMemory();
  const { user, token } = await enrol(relay, memory);
  const device = await MixedDevice.connect(url, relay, { user, token, memory, ceiling: 4 });
  const [epoch] = await device.openEpochs();
  for (let again = 0; again < 2; again++) {
    await device.report({ people: { age: (i % 8) + 1, os: i % 2 ? "ios" : "android" }, orders: i % 3 ? [{ kind: "a" }] : [] }, epoch);
    const sent = await device.send();
    for (const each of ["counted", "repeated", "waiting"]) total[each] += sent[each];
    total.refused += sent.refused.length;
  }
}
console.log(JSON.stringify(total));
