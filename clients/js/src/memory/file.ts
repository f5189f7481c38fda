/** A memory in a file, for Node: a journal on disk before a report is shown. Processes and containers that share it need no lock. */

import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, unlink } from "node:fs/promises";
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pause } from "../backoff.js";
import { StoreError } from "../errors.js";
import { inTurn } from "./alone.js";
import { type Journal, headingOf, lineOf, readJournal } from "./journal.js";
import { StoredMemory } from "./memory.js";

const PRIVATE = 0o600; // for its owner alone: it tells what was reported
const OTHERS = 0o077;
const LOOKS = 5; // at a heading, which another process may be writing just now
const BETWEEN = 20; // milliseconds

export class FileMemory extends StoredMemory {
  readonly path: string;
  private seen = ""; // the last line that counted when it was read

  constructor(path: string) {
    super();
    this.path = real(resolve(path));
  }

  protected held<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(this.path, work);
  }

  protected async read(): Promise<Map<string, string>> {
    const journal = await this.journal();
    this.seen = journal?.last ?? "";
    if (journal === null) return new Map();
    await this.state(journal); // what is shown from here on may be a line of a process that died before it had stated it
    return journal.pairs;
  }

  /** Append in one write, fsync, and look whether the line counts: then it does for everybody, for ever. */
  protected async write(all: Map<string, string>, changed: ReadonlySet<string>): Promise<boolean> {
    const changes = [...changed].map((key) => [key, all.get(key) ?? null] as const);
    const { name, text } = lineOf(this.seen, randomBytes(8).toString("hex"), changes, sha256);
    await this.begin();
    await synced(this.path, "a", (file) => this.whole(file, text, null));
    const journal = await this.journal();
    if (!journal?.counted.has(name)) return false;
    await this.state(journal);
    return true;
  }

  /** The file with its heading, there at once or not at all: an empty one is one that was emptied. */
  private async begin(): Promise<void> {
    if ((await this.journal()) !== null) return;
    await mkdir(dirname(this.path), { recursive: true });
    const aside = `${this.path}.${randomBytes(8).toString("hex")}`;
    try {
      await synced(aside, "wx", (file) => this.whole(file, headingOf(0, sha256), null));
      await link(aside, this.path).catch(ignore("EEXIST")); // another process came first
    } finally {
      await unlink(aside).catch(ignore("ENOENT"));
    }
    await synced(dirname(this.path), "r", async () => {});
  }

  /** Let the heading say how far the journal reaches. Whoever states less than another has, sees the other's line and states again. */
  private async state(journal: Journal): Promise<void> {
    for (let now: Journal | null = journal; now !== null && now.stated < now.end; now = await this.journal()) {
      const heading = headingOf(now.end, sha256);
      await synced(this.path, "r+", (file) => this.whole(file, heading, 0));
    }
  }

  private async whole(file: FileHandle, text: string, position: number | null): Promise<void> {
    const bytes = Buffer.from(text);
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, position);
    if (bytesWritten !== bytes.length) throw new StoreError(`${this.path} cannot be written. Nothing was reported.`);
  }

  private async journal(): Promise<Journal | null> {
    for (let look = 1; ; look++) {
      const bytes = await readPrivate(this.path);
      if (bytes === null) return null;
      try {
        return readJournal(bytes, this.path, sha256);
      } catch (error) {
        if (look === LOOKS) throw error;
        await pause(BETWEEN, undefined);
      }
    }
  }
}

/** Where a path leads, whatever links there are on the way and whether the file is there yet: a link must not begin a second ledger. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    if (dirname(path) === path) return path;
  }
  try {
    return real(resolve(dirname(path), readlinkSync(path)));
  } catch {
    return join(real(dirname(path)), basename(path));
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function ignore(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}

/** What is in a file, which is for its owner alone from now on; null if there is none. */
async function readPrivate(path: string): Promise<Buffer | null> {
  const file = await open(path, "r").catch(ignore("ENOENT"));
  if (!file) return null;
  try {
    if ((await file.stat()).mode & OTHERS) await file.chmod(PRIVATE);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Open, work, fsync, close. */
async function synced(path: string, flags: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, PRIVATE);
  try {
    await work(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
