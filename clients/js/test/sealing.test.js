/** HPKE against RFC 9180, appendix A.1.1. The RFC's text has data beside it, which ours has not: they change the last 16 bytes alone. */

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import { infoOf, seal } from "../../../src/untold/serve/pages/static/client/sealing.js";

const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
const hexOf = (data) => Buffer.from(data).toString("hex");
const RFC = {
  info: "4f6465206f6e2061204772656369616e2055726e",
  secret: "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
  sent: "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
  receiver: "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
  plain: "4265617574792069732074727574682c20747275746820626561757479",
  sealed: "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
};

/** The pair of keys of which the RFC says both. */
async function pairOf(secret, sent) {
  const jwk = { kty: "OKP", crv: "X25519", d: Buffer.from(secret, "hex").toString("base64url"), x: Buffer.from(sent, "hex").toString("base64url") };
  const privateKey = await webcrypto.subtle.importKey("jwk", jwk, { name: "X25519" }, false, ["deriveBits"]);
  return { privateKey, publicKey: await webcrypto.subtle.importKey("raw", bytes(sent), { name: "X25519" }, true, []) };
}

test("the RFC's vector", async () => {
  const sealed = hexOf(await seal(bytes(RFC.plain), RFC.receiver, bytes(RFC.info), await pairOf(RFC.secret, RFC.sent)));
  assert.equal(sealed.slice(0, -32), RFC.sent + RFC.sealed.slice(0, -32));
  assert.equal(sealed.length, RFC.sent.length + RFC.sealed.length);
});

test("the same twice is other bytes, of the same length", async () => {
  const made = await Promise.all([1, 2].map(() => seal(bytes(RFC.plain), RFC.receiver, infoOf("ab".repeat(32), 7))));
  assert.notEqual(hexOf(made[0]).slice(0, 64), hexOf(made[1]).slice(0, 64));
  assert.deepEqual(made.map((each) => each.length), [RFC.plain.length / 2 + 48, RFC.plain.length / 2 + 48]);
});

test("what a bundle is bound to", () => {
  assert.equal(hexOf(infoOf("ab".repeat(32), 258, bytes("00"))), hexOf(Buffer.from("untold bundle 1")) + "ab".repeat(32) + "02010000" + "00");
});

test("keys with which nothing would be secret are refused", async () => {
  await assert.rejects(seal(bytes(RFC.plain), "00".repeat(32), bytes(RFC.info)));
});
