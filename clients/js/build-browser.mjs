/** Writes dist/webcrypto.browser.js, which bundlers take for pages ("browser" in package.json): the same without the module
 * that only Node has, and without the top-level await, which older targets of bundlers refuse. */

import { readFileSync, writeFileSync } from "node:fs";

const EITHER = 'globalThis.crypto ?? (await import(/* @vite-ignore */ "node:crypto")).webcrypto';
const text = readFileSync("dist/webcrypto.js", "utf8");
if (!text.includes(EITHER)) throw new Error("dist/webcrypto.js no longer has the text that build-browser.mjs replaces.");
writeFileSync("dist/webcrypto.browser.js", text.replace(EITHER, "globalThis.crypto"));
