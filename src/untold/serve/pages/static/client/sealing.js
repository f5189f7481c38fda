/**
 * Sealed bundles: HPKE (RFC 9180, base mode) with X25519, HKDF-SHA256 and AES-128-GCM, of WebCrypto's own primitives. The twin of
 * untold/wire/sealing.py; tests hold it against the vectors of the RFC, and open what it seals by another implementation.
 */
import { subtle } from "./webcrypto.js";
export const OVERHEAD = 48; // bytes of the fresh public key that each bundle begins with, and of the seal
const X25519 = { name: "X25519" };
const [KEY, NONCE] = [16, 12]; // bytes
const text = (value) => new TextEncoder().encode(value);
const VERSION = text("HPKE-v1");
const KEM = join(text("KEM"), Uint8Array.of(0, 0x20));
const SUITE = join(text("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 1));
const NOTHING = new Uint8Array(0);
const PRIME = 2n ** 255n - 19n;
// The u coordinates of all points of Curve25519 and its twist whose order divides 8.
const LOW_ORDER = [
    0n,
    1n,
    PRIME - 1n,
    325606250916557431795983626356110631294008115727848805560023387167927233504n,
    39382357235489614581723060781553021112529911719440698176882885853963445705823n,
];
/** Whether a public key has low order: what is shared with it is 0, whatever the private key. The twin of untold/plan/schema/mix.py. */
export function opensForAnybody(key) {
    const number = BigInt(`0x${(key.match(/../g) ?? []).reverse().join("")}`);
    return LOW_ORDER.includes((number % 2n ** 255n) % PRIME);
}
/** What a bundle is bound to: it opens for this plan, epoch and group alone. */
export function infoOf(planId, epoch, group = NOTHING) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, epoch, true);
    return join(text("untold bundle 1"), fromHex(planId), number, group);
}
/** Bytes that only the holder of the private key opens. Sealing the same again gives other bytes: keep what was sealed. */
export async function seal(plain, key, info, own) {
    const receiver = fromHex(key);
    const fresh = own ?? (await subtle().generateKey(X25519, true, ["deriveBits"]));
    const sent = new Uint8Array(await subtle().exportKey("raw", fresh.publicKey));
    const other = await subtle().importKey("raw", receiver, X25519, false, []);
    const common = new Uint8Array(await subtle().deriveBits({ name: "X25519", public: other }, fresh.privateKey, 256));
    const shared = await expand(KEM, await extract(KEM, NOTHING, "eae_prk", common), "shared_secret", join(sent, receiver), 32);
    const about = join(Uint8Array.of(0), await extract(SUITE, NOTHING, "psk_id_hash", NOTHING), await extract(SUITE, NOTHING, "info_hash", info));
    const secret = await extract(SUITE, shared, "secret", NOTHING);
    const inner = await subtle().importKey("raw", await expand(SUITE, secret, "key", about, KEY), "AES-GCM", false, ["encrypt"]);
    const iv = await expand(SUITE, secret, "base_nonce", about, NONCE);
    return join(sent, new Uint8Array(await subtle().encrypt({ name: "AES-GCM", iv }, inner, plain)));
}
/** LabeledExtract. */
function extract(suite, salt, label, input) {
    return hmac(salt.length > 0 ? salt : new Uint8Array(32), join(VERSION, suite, text(label), input)); // HMAC fills up with zeros
}
/** LabeledExpand, for up to 32 bytes. */
async function expand(suite, key, label, about, size) {
    const labelled = join(Uint8Array.of(size >> 8, size & 255), VERSION, suite, text(label), about);
    return (await hmac(key, join(labelled, Uint8Array.of(1)))).slice(0, size);
}
async function hmac(key, data) {
    const imported = await subtle().importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await subtle().sign("HMAC", imported, data));
}
function join(...parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}
function fromHex(digits) {
    return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
