/** WebCrypto of the browser, or of Node (18 does not put it among the globals). */
export const webcrypto = globalThis.crypto ?? (await import(/* @vite-ignore */ "node:crypto")).webcrypto;
/** Hashing and signatures; browsers offer them to pages from https:// and from localhost only. */
export function subtle() {
    if (!webcrypto.subtle)
        throw new Error("untold-client needs WebCrypto, which browsers give to pages from https:// or localhost only.");
    return webcrypto.subtle;
}
/** SHA-256 of a text in UTF-8, in hex. */
export async function sha256(text) {
    const hash = await subtle().digest("SHA-256", new TextEncoder().encode(text));
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
