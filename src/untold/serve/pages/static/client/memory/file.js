/** A memory in a JSON file, for Node. On disk before a report is shown: write aside, fsync, rename, fsync the folder. */
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { StoreError } from "../errors.js";
import { inTurn } from "./alone.js";
import { StoredMemory } from "./memory.js";
import { fromText, toText } from "./text.js";
const PATIENCE = 10_000; // ms that another process may hold the file
const PAUSE = 20;
const PRIVATE = 0o600; // for its owner alone: it tells what was reported to whoever can guess values against it
export class FileMemory extends StoredMemory {
    path;
    constructor(path) {
        super();
        this.path = resolve(path);
    }
    /** Other processes wait, and see what was written; the lock of a process that was killed is taken over. */
    held(work) {
        return inTurn(this.path, async () => {
            const release = await this.take(Date.now() + PATIENCE);
            try {
                return await work();
            }
            finally {
                await release();
            }
        });
    }
    async read() {
        try {
            return fromText(await readFile(this.path, "utf8"), this.path);
        }
        catch (error) {
            if (error.code === "ENOENT")
                return new Map();
            throw error;
        }
    }
    async write(all) {
        const aside = this.beside("tmp");
        await synced(aside, "w", (file) => file.writeFile(toText(all)));
        await rename(aside, this.path);
        await synced(dirname(this.path), "r", async () => { });
    }
    async take(deadline) {
        const lock = this.beside("owner");
        await mkdir(dirname(this.path), { recursive: true });
        while (!(await claimed(lock))) {
            if (await isDead(lock))
                await this.takeOver(lock);
            if (Date.now() > deadline)
                throw new StoreError(`${this.path} is in use by another process. Wait for it, or remove ${lock}* if it is gone.`);
            await new Promise((wake) => setTimeout(wake, PAUSE));
        }
        return () => rm(lock, { force: true });
    }
    /** Remove the lock of a process that is gone; one process at a time, lest the lock of a living one be removed. */
    async takeOver(lock) {
        const turn = `${lock}.turn`;
        if (!(await claimed(turn)))
            return;
        try {
            if (await isDead(lock))
                await rm(lock, { force: true });
        }
        finally {
            await rm(turn, { force: true });
        }
    }
    beside(ending) {
        return join(dirname(this.path), `.${basename(this.path)}.${ending}`);
    }
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
/** Whether this process is the one that made the file. */
async function claimed(path) {
    try {
        await synced(path, "wx", (file) => file.writeFile(String(process.pid)));
        return true;
    }
    catch (error) {
        if (error.code === "EEXIST")
            return false;
        throw error;
    }
}
/** Whether the process that made the file is gone. */
async function isDead(path) {
    const owner = Number(await readFile(path, "utf8").catch(() => "0"));
    if (!(owner > 0))
        return false; // being written, or just removed
    try {
        return !process.kill(owner, 0);
    }
    catch (error) {
        return error.code === "ESRCH";
    }
}
