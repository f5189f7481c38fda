/** Builds dist/cjs for require(): the same sources, but for the one top-level await, which CommonJS does not have. */

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const AWAITED = '(await import(/* @vite-ignore */ "node:crypto"))';
const [sources, out, file] = ["src-cjs", "dist/cjs", "src-cjs/webcrypto.ts"];

rmSync(sources, { recursive: true, force: true });
cpSync("src", sources, { recursive: true });
const text = readFileSync(file, "utf8");
if (!text.includes(AWAITED)) throw new Error(`${file} no longer has the top-level await that build-cjs.mjs replaces.`);
// Not by its plain name: bundlers for phones would look for a module that only Node has.
const REQUIRED = '(require(["node", "crypto"].join(":")) as typeof import("node:crypto"))';
writeFileSync(file, text.replace(AWAITED, REQUIRED));
try {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.cjs.json", "--outDir", out], { stdio: "inherit" });
} finally {
  rmSync(sources, { recursive: true, force: true });
}
writeFileSync(`${out}/package.json`, '{ "type": "commonjs" }\n');
