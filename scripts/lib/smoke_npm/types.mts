// Compiled, never run: the types that `import` finds.
import { type Memory, Plan, Client } from "untold-client";
import { FileMemory } from "untold-client/node";

const memory: Memory = new FileMemory("memory.json");
export const client = async (text: string): Promise<Client> => new Client(await Plan.fromJson(text), "u-17", { memory, ceiling: 2 });
// @ts-expect-error: a ceiling is a number
export const wrong = async (text: string): Promise<Client> => new Client(await Plan.fromJson(text), "u-17", { memory, ceiling: "2" });
