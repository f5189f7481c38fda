/** What could be meant by the word before the caret. Pure, so that it can be tested without a page. */

const MOST = 8;
const WORD = /'?[A-Za-z_][\w]*$|'$/;
const ATTRIBUTES = new Set(["ordinal", "categorical", "public", "each", "date", "timestamp"]);
const FIRST = {
  service: ["service"],
  value: ["value"],
  any: ["ordinal", "categorical", "public", "function", "key", "word", "service"],
};

/** {from, items}: the start of the word before `caret`, and names for it, the likeliest first. */
export function suggest(sql, caret, names, asked = false) {
  const before = sql.slice(0, caret);
  const inText = (before.replace(/''/g, "").match(/'/g)?.length ?? 0) % 2 === 1;
  const typed = before.match(WORD)?.[0] ?? "";
  const from = caret - typed.length;
  const wanted = contextOf(before.slice(0, from));
  if (inText && wanted.kind !== "value") return { from, items: [] };
  if (!typed && !asked && wanted.kind !== "value") return { from, items: [] };
  const prefix = typed.toLowerCase();
  const services = servicesOf(sql, names);
  const fitting = names.filter((each) => fits(each, prefix, wanted) && isWithin(each, services) && each.name.toLowerCase() !== prefix);
  const order = FIRST[wanted.kind];
  const rank = (each) => (order.indexOf(each.kind) + 1 || 99) + (each.name.toLowerCase().startsWith(prefix) ? 0 : 50);
  return { from, items: [...fitting].sort((a, b) => rank(a) - rank(b)).slice(0, MOST) };
}

/** The services that stand after FROM and JOIN, wherever the caret is. */
function servicesOf(sql, names) {
  const known = new Set(names.filter((each) => each.kind === "service").map((each) => each.name.toLowerCase()));
  const named = [...sql.matchAll(/\b(?:from|join)\s+"?([A-Za-z_]\w*)/gi)].map((match) => match[1].toLowerCase());
  return new Set(named.filter((name) => known.has(name)));
}

/** Attributes of other services than those of FROM are not meant; before there is a FROM, any may be. */
function isWithin(each, services) {
  return !ATTRIBUTES.has(each.kind) || services.size === 0 || services.has(each.of.toLowerCase());
}

/** What the text before a word asks for: a service after FROM, a value after `attribute =`, else anything. */
function contextOf(before) {
  const value = before.match(/([A-Za-z_]\w*)\s*(?:=|<>|!=|\bin\s*\((?:[^()]*,)?)\s*$/i);
  if (value) return { kind: "value", of: value[1].toLowerCase() };
  return { kind: /\b(?:from|join)\s+$/i.test(before) ? "service" : "any" };
}

function fits(each, prefix, wanted) {
  const name = each.name.toLowerCase();
  if (wanted.kind === "value") return each.kind === "value" && each.of.toLowerCase() === wanted.of && name.startsWith(prefix);
  if (wanted.kind === "service") return each.kind === "service" && name.startsWith(prefix);
  if (each.kind === "value") return false;
  return name.startsWith(prefix) || (prefix.length > 2 && name.includes(prefix));
}
