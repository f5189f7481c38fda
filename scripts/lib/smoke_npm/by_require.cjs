// One report of a new visitor, by require. Called with the collector's address.
const { Device, TransientMemory, enrol } = require("untold-client");
const { FileMemory } = require("untold-client/node");

(async () => {
  const url = process.argv[2], memory = new TransientMemory();
  const { user, token } = await enrol(url, memory);
  const device = await Device.connect(url, { user, token, memory, ceiling: 10 });
  await device.report("users", { age: 47, income: 61000, state: "CA", os: "web" });
  const { counted, waiting } = await device.send();
  if (counted !== 1 || waiting !== 0 || !FileMemory) throw new Error(`counted ${counted}, waiting ${waiting}`);
  console.log("npm package: a report by require was counted");
})();
