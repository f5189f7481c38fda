/**
 * A memory as a journal: a heading, then one line for each change, only ever appended to.
 *
 * A line names the line that it follows. It counts if that is the last one that counts; else somebody else came first, and it is as if it
 * had never been written. So no lock is needed, and no process is asked whether it lives: whoever reads the same bytes agrees.
 *
 * The heading says how far the journal was whole when a report was last shown. A shorter one has lost something that was shown.
 */

import { StoreError } from "../errors.js";

const HEADING = /^untold journal (\d{16}) ([0-9a-f]{64})$/;
const LINE = /^([0-9a-f]{64}) (\d+) (.*)$/s;
const BEGUN = /^[0-9a-f]{0,64}$|^[0-9a-f]{64} \d*$/; // of a line that ends before its body
const NEWLINE = 10;

export interface Journal {
  readonly pairs: Map<string, string>;
  readonly last: string; // the name of the last line that counts
  readonly counted: ReadonlySet<string>;
  readonly end: number; // of that line, in bytes
  readonly stated: number; // the end that the heading says
}

type Change = readonly [string, string | null];
type Hash = (text: string) => string;

/** The first line, always of the same length. */
export function headingOf(end: number, sha256: Hash): string {
  const stated = `untold journal ${String(end).padStart(16, "0")}`;
  return `${stated} ${sha256(stated)}\n`;
}

/** A line that follows another one; `name` is its SHA-256. It begins on a line of its own, whatever a writer that died left before it. */
export function lineOf(after: string, nonce: string, changes: readonly Change[], sha256: Hash): { name: string; text: string } {
  const body = JSON.stringify({ after, nonce, changes });
  const name = sha256(body);
  return { name, text: `\n${name} ${new TextEncoder().encode(body).length} ${body}\n` };
}

/**
 * What a journal says. A line that was cut short was shown to nobody, if it lies beyond the end that the heading states; one that was
 * changed, and a journal that ends before, mean that the memory is lost.
 */
export function readJournal(bytes: Uint8Array, place: string, sha256: Hash): Journal {
  const pairs = new Map<string, string>();
  const counted = new Set<string>([""]);
  const [heading, ...lines] = linesOf(bytes);
  const found = HEADING.exec(heading!.text);
  if (found === null || headingOf(Number(found[1]), sha256) !== `${heading!.text}\n`) throw damaged(place);
  const stated = Number(found[1]);
  let [last, end] = ["", heading!.end];
  for (const line of lines) {
    const parts = LINE.exec(line.text);
    if (parts === null && BEGUN.test(line.text)) continue;
    if (parts === null) throw damaged(place);
    const [, name, size, body] = parts as unknown as [string, string, string, string];
    if (sha256(body) !== name) {
      if (new TextEncoder().encode(body).length < Number(size)) continue;
      throw damaged(place);
    }
    const { after, changes } = JSON.parse(body) as { after: string; changes: Change[] };
    if (!counted.has(after)) throw damaged(place);
    if (after !== last) continue; // somebody else came first
    for (const [key, value] of changes) {
      if (value === null) pairs.delete(key);
      else pairs.set(key, value);
    }
    counted.add(name);
    [last, end] = [name, line.end];
  }
  if (end < stated) throw damaged(place);
  return { pairs, last, counted, end, stated };
}

/** Text and end of each line, in bytes: what was cut within a character is as long as it is. */
function linesOf(bytes: Uint8Array): { text: string; end: number }[] {
  const [lines, decoder] = [[] as { text: string; end: number }[], new TextDecoder()];
  for (let start = 0; start <= bytes.length; ) {
    const at = bytes.indexOf(NEWLINE, start);
    const stop = at === -1 ? bytes.length : at;
    lines.push({ text: decoder.decode(bytes.subarray(start, stop)), end: Math.min(stop + 1, bytes.length) });
    start = stop + 1;
  }
  return lines;
}

/** What to say of a memory that is not whole. */
export function damaged(place: string): StoreError {
  return new StoreError(
    `${place} is damaged. It held what this device has told and what that cost; both are lost. Nothing was reported. Do not start anew and do ` +
      "not restore an older copy: either forgets what was spent since, and the same values would be drawn again. Report nothing more for these " +
      "people, or begin a new memory with spentBefore: <the lifetime>.",
  );
}
