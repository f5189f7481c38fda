// Walks the installed package as a bundler for browsers does: no module of Node, no top-level await.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const home = "node_modules/untold-client", about = JSON.parse(readFileSync(`${home}/package.json`, "utf8"));
const replaced = new Map(Object.entries(about.browser ?? {}).map((pair) => pair.map(normalize)));
const seen = new Set(), open = [normalize(about.exports["."].default.default)];
while (open.length > 0) {
  const file = replaced.get(open[0]) ?? open[0];
  open.shift();
  if (seen.has(file)) continue;
  seen.add(file);
  const text = readFileSync(join(home, file), "utf8");
  for (const [, name] of text.matchAll(/(?:from|import)\s*\(?\s*(?:\/\*.*?\*\/)?\s*"([^"]+)"/g)) {
    if (!name.startsWith(".")) throw new Error(`${file} imports ${name}, which browsers do not have`);
    open.push(normalize(join(dirname(file), name)));
  }
  if (/^\S[^>{]*\bawait /m.test(text)) throw new Error(`${file} awaits at its top level`);
}
console.log(`npm package: ${seen.size} modules can be bundled for browsers`);
