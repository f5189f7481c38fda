// One report of a new visitor, by import. Called with the collector's address.
import { Device, TransientMemory, enrol } from "untold-client";
import { FileMemory } from "untold-client/node";

const url = process.argv[2], memory = new FileMemory("memory.json");
const { user, token } = await enrol(url, memory);
const device = await Device.connect(url, { user, token, memory, ceiling: 10 });
await device.report("users", { age: 31, income: 52000, state: "NY", os: "ios" });
const { counted, waiting } = await device.send();
if (counted !== 1 || waiting !== 0 || !TransientMemory) throw new Error(`counted ${counted}, waiting ${waiting}`);
console.log("npm package: a report by import was counted");
