/** What needs Node's file system. */
export { FileMemory } from "./memory/file.js";
