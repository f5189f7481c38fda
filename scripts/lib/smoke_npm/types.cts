// Compiled, never run: the types that `require` finds.
import untold = require("untold-client");
import files = require("untold-client/node");

const memory: untold.Memory = new files.FileMemory("memory.json");
export const client = async (text: string): Promise<untold.Client> => new untold.Client(await untold.Plan.fromJson(text), "u-17", { memory });
