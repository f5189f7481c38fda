/** Keys that follow one another: each has named the hash of its successor before that one was known. The twin of untold/wire/chain.py. */

import { UntrustedPlan } from "./errors.js";
import { subtle } from "./webcrypto.js";

/** What a key says of its successor. */
export interface Link {
  readonly key: string; // raw public key, hex
  readonly next: string; // SHA-256 of the raw public key that may follow it, hex
  readonly signature: string; // hex
}

/** The key that is trusted now, and the hash of its successor if one is known. */
export interface Reached {
  readonly key: string;
  readonly next: string | undefined;
}

const WORD = new TextEncoder().encode("untold successor 1");
const LONGEST = 256; // links

/** Where who trusts a key comes to by the links of a collector. Without a link of that key it stays what it was. */
export async function reach(chain: readonly Link[], trusted: string, named: string | undefined, signer: string): Promise<Reached> {
  const keys = chain.map(({ key }) => key.toLowerCase());
  const at = keys.indexOf(trusted.toLowerCase());
  if (at < 0) return { key: trusted, next: named };
  if (new Set(keys).size < keys.length || keys.length > LONGEST || keys.at(-1) !== signer.toLowerCase()) {
    throw broken("it does not end with the key that signed the plan");
  }
  if (named !== undefined && chain[at]!.next.toLowerCase() !== named.toLowerCase()) {
    throw broken("the key that this device trusts has named two successors. One of them is a thief's");
  }
  for (let i = at; i < chain.length; i++) {
    const link = chain[i]!;
    const follows = i + 1 === chain.length || (await hashOf(keys[i + 1]!)) === link.next.toLowerCase();
    if (!follows || !(await holds(link))) throw broken(`key ${link.key.slice(0, 12)}... has not named the one after it`);
  }
  return { key: keys.at(-1)!, next: chain.at(-1)!.next.toLowerCase() };
}

function broken(why: string): UntrustedPlan {
  return new UntrustedPlan(`the collector's chain of keys does not hold: ${why}. Nothing was reported.\nHint: tell the operator of the collector.`);
}

async function holds({ key, next, signature }: Link): Promise<boolean> {
  const [raw, hashed, proof] = [fromHex(key, 32), fromHex(next, 32), fromHex(signature, 64)];
  return raw !== null && hashed !== null && proof !== null && verify(raw, proof, Uint8Array.of(...WORD, ...raw, ...hashed));
}

async function hashOf(key: string): Promise<string> {
  const raw = fromHex(key, 32);
  if (raw === null) return "";
  return Array.from(new Uint8Array(await subtle().digest("SHA-256", raw)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether an Ed25519 key has signed these bytes. */
export async function verify(key: Uint8Array<ArrayBuffer>, proof: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const known = await subtle().importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  return subtle().verify({ name: "Ed25519" }, known, proof, data);
}

/** So many bytes in hex; null for another text. */
export function fromHex(text: string, bytes: number): Uint8Array<ArrayBuffer> | null {
  if (text.length !== 2 * bytes || !/^[0-9a-f]*$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g)!, (pair) => parseInt(pair, 16));
}
