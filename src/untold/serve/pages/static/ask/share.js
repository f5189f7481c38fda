/** A question to take along: as a link to this page, as Python, as a command for a shell. */

import { find } from "../shared/dom.js";

const FIELDS = ["confidence", "epochs", "plausible", "sample", "simultaneous"]; // of a request, beside its SQL
const USUAL = 0.95;

/** The part after # that carries a question. It is read by this page alone, and never sent to a server. */
export function fragmentOf(asked) {
  const parts = new URLSearchParams({ q: asked.sql });
  if (asked.confidence !== USUAL) parts.set("confidence", asked.confidence);
  for (const name of ["plausible", "sample"]) if (asked[name]) parts.set(name, "1");
  if (asked.simultaneous !== undefined) parts.set("simultaneous", asked.simultaneous ? "1" : "0");
  if (asked.epochs) parts.set("epochs", asked.epochs.join(","));
  return `#${parts}`;
}

/** What a fragment asks: {sql, confidence, epochs, plausible, sample, simultaneous} as texts; null if it carries no question. */
export function questionOf(fragment) {
  const parts = new URLSearchParams(fragment.slice(1));
  return parts.has("q") ? { sql: parts.get("q"), ...Object.fromEntries(FIELDS.map((name) => [name, parts.get(name) ?? ""])) } : null;
}

export const linkOf = (asked) => `${location.origin}${location.pathname}${fragmentOf(asked)}`;

/** The same by the Python library, from the collector's folder. */
export function pythonOf(asked) {
  const plain = !asked.sql.includes("\\") && !asked.sql.includes('"""') && !asked.sql.endsWith('"');
  const sql = plain ? `"""${asked.sql}"""` : JSON.stringify(asked.sql);
  const epochs = asked.epochs ? `, epochs=[${asked.epochs.join(", ")}]` : "";
  const said = ["plausible", "sample", "simultaneous"].filter((name) => asked[name] !== undefined);
  const switches = said.map((name) => `, ${name}=${asked[name] ? "True" : "False"}`).join("");
  const confidence = asked.confidence === USUAL ? "" : `, confidence=${asked.confidence}`;
  return `import untold\n\ncon = untold.connect("reports/"${epochs})  # the folder of the collector\nanswer = con.sql(${sql}${confidence}${switches})\nanswer.show()\n`;
}

/** The same from a shell; $TOKEN is the analyst's. */
export function curlOf(asked) {
  const body = JSON.stringify(asked).replaceAll("'", "'\\''");
  return `curl --silent '${location.origin}/query' --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' --data '${body}'\n`;
}

/** Put a text on the clipboard. Pages that came without https may only do it the old way. */
export async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return undefined;
}

/** Buttons that copy what `current()` asks. */
export function offerCopies(current) {
  for (const [id, made] of [["copy-link", linkOf], ["copy-python", pythonOf], ["copy-curl", curlOf]]) {
    find(id).addEventListener("click", async () => {
      await copy(made(current()));
      find("spoken").textContent = "Copied";
      const button = find(id), label = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), 1200);
    });
  }
}
