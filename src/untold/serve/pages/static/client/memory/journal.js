/**
 * A memory as a journal: one line for each change, only ever appended to.
 *
 * A line names the line that it follows. It counts if that is the last one that counts; else somebody else came first, and it is as if it
 * had never been written. So no lock is needed, and no process is asked whether it lives: whoever reads the same bytes agrees.
 */
import { StoreError } from "../errors.js";
const LINE = /^([0-9a-f]{64}) (\d+) (.*)$/s;
const BEGUN = /^[0-9a-f]{0,64}$|^[0-9a-f]{64} \d*$/; // of a line that ends before its body
/** A line that follows another one; `name` is its SHA-256. It begins on a line of its own, whatever a writer that died left before it. */
export function lineOf(after, nonce, changes, sha256) {
    const body = JSON.stringify({ after, nonce, changes });
    const name = sha256(body);
    return { name, text: `\n${name} ${new TextEncoder().encode(body).length} ${body}\n` };
}
/** What a journal says. A line that was cut short was shown to nobody; one that was changed means that the memory is lost. */
export function readJournal(text, place, sha256) {
    const pairs = new Map();
    const counted = new Set([""]);
    let last = "";
    for (const line of text.split("\n").filter((each) => each !== "")) {
        const found = LINE.exec(line);
        if (found === null && BEGUN.test(line))
            continue;
        if (found === null)
            throw damaged(place);
        const [, name, size, body] = found;
        if (sha256(body) !== name) {
            if (new TextEncoder().encode(body).length < Number(size))
                continue;
            throw damaged(place);
        }
        const { after, changes } = JSON.parse(body);
        if (!counted.has(after))
            throw damaged(place);
        if (after !== last)
            continue; // somebody else came first
        for (const [key, value] of changes) {
            if (value === null)
                pairs.delete(key);
            else
                pairs.set(key, value);
        }
        counted.add(name);
        last = name;
    }
    return { pairs, last, counted };
}
function damaged(place) {
    return new StoreError(`${place} is damaged. It held what this device has told and what that cost; both are lost. Nothing was reported. Do not start anew and do ` +
        "not restore an older copy: either forgets what was spent since, and the same values would be drawn again. Report nothing more for these " +
        "people, or begin a new memory with spentBefore: <the lifetime>.");
}
