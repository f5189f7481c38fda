/** A memory as one text: the form in localStorage and in files. */
import { StoreError } from "../errors.js";
export function toText(all) {
    return JSON.stringify([...all]);
}
export function fromText(text, place) {
    if (text === null)
        return new Map();
    try {
        const pairs = JSON.parse(text);
        if (Array.isArray(pairs) && pairs.every((each) => Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === "string"))) {
            return new Map(pairs);
        }
    }
    catch {
        // told below
    }
    throw new StoreError(`${place} is not a memory of untold. It holds what this device has already told; restore it from a copy rather than start anew, or ` +
        "reports may cost more than was promised.");
}
