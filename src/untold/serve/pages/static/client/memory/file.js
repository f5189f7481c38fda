/** A memory in a file, for Node: a journal on disk before a report is shown. Processes and containers that share it need no lock. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StoreError } from "../errors.js";
import { inTurn } from "./alone.js";
import { lineOf, readJournal } from "./journal.js";
import { StoredMemory } from "./memory.js";
const PRIVATE = 0o600; // for its owner alone: it tells what was reported
export class FileMemory extends StoredMemory {
    path;
    seen = ""; // the last line that counted when it was read
    constructor(path) {
        super();
        this.path = resolve(path);
    }
    held(work) {
        return inTurn(this.path, work);
    }
    async read() {
        const { pairs, last } = await this.journal();
        this.seen = last;
        return pairs;
    }
    /** Append in one write, fsync, and look whether the line counts: then it does for everybody, for ever. */
    async write(all, changed) {
        const changes = [...changed].map((key) => [key, all.get(key) ?? null]);
        const { name, text } = lineOf(this.seen, randomBytes(8).toString("hex"), changes, sha256);
        await mkdir(dirname(this.path), { recursive: true });
        await synced(this.path, "a", async (file) => {
            const bytes = Buffer.from(text);
            const { bytesWritten } = await file.write(bytes);
            if (bytesWritten !== bytes.length)
                throw new StoreError(`${this.path} cannot be written. Nothing was reported.`);
        });
        await synced(dirname(this.path), "r", async () => { });
        return (await this.journal()).counted.has(name);
    }
    async journal() {
        const text = await readFile(this.path, "utf8").catch((error) => {
            if (error.code === "ENOENT")
                return "";
            throw error;
        });
        return readJournal(text, this.path, sha256);
    }
}
function sha256(text) {
    return createHash("sha256").update(text).digest("hex");
}
/** Open, work, fsync, close. */
async function synced(path, flags, work) {
    const file = await open(path, flags, PRIVATE);
    try {
        await work(file);
        await file.sync();
    }
    finally {
        await file.close();
    }
}
