/** Texts of which not all are listed: one form for each, their letters as bits, and the cells of views. The twin of untold/plan/schema/text. */

import type { Coded, Position } from "./attributes.js";
import type { Fields } from "./fields.js";
import { ALPHABET, ASSIGNED, FOLD, FOLD_MANY, LENGTHS } from "./text_tables.js";
import { show } from "./words.js";

const SHOWN = 8; // values that fit into a sentence
const KINDS_OF_LETTERS = ["words", "codes"] as const;
const KEY = /^[0-9a-f]{32}$/;
const UNKNOWN = "\ufffd";
const [END, ESC, SYMBOLS] = [ALPHABET.length, ALPHABET.length + 1, ALPHABET.length + 2];
const utf8 = new TextEncoder();

type LettersName = (typeof KINDS_OF_LETTERS)[number];

/** Any text, in one form: one of `values`, or what the rest is called. Where texts are looked for, its bytes go with the code. */
export class Text implements Coded {
  readonly kind = "text";
  readonly role = "sensitive";
  readonly rounds = false;
  readonly total = true;
  private readonly codes: ReadonlyMap<string, number>;

  constructor(
    readonly name: string,
    readonly values: readonly string[],
    readonly other: string,
    readonly bytes: number,
    readonly fold: boolean,
    readonly letters: LettersName | null, // null: no texts are looked for
  ) {
    this.codes = new Map(values.map((value, code) => [value, code]));
  }

  get size(): number {
    return this.values.length + 1;
  }

  /** The value of every code. */
  get places(): readonly string[] {
    return [...this.values, this.other];
  }

  position(value: unknown): Position {
    const form = normal(value, this.bytes, this.fold);
    const code = this.codes.get(form) ?? this.values.length;
    return this.letters === null ? [code, 0] : [code, 0, utf8.encode(form)];
  }

  describe(): string {
    if (this.values.length === 0) return "any text";
    const shown = [...this.values.slice(0, SHOWN), ...(this.values.length > SHOWN ? [] : [this.other])].map(show);
    return `any text; kept apart are ${shown.join(", ")}${this.values.length > SHOWN ? `, ... (${this.size} values)` : ""}`;
  }
}

/** The attribute that a plan declares. */
export function readText(name: string, declared: Fields, most: number): Text {
  const values = declared.has("values") ? declared.list("values") : [];
  const [bytes, fold, other] = [declared.whole("bytes", 4, 64), declared.flag("fold"), declared.text("other")];
  const sound = values.every((each): each is string => typeof each === "string" && each !== "" && each !== other && normal(each, bytes, fold) === each);
  if (!sound || values.length >= most || new Set(values).size !== values.length) return declared.fail("'values' must be different texts, each in its one form");
  const share = declared.has("discover") ? declared.value("discover") : false;
  const looks = share === true || (typeof share === "number" && share > 0 && share < 1);
  if (!looks && share !== false) declared.fail("'discover' must be true or a share of the people");
  return new Text(name, values as string[], other, bytes, fold, looks ? declared.choice("letters", KINDS_OF_LETTERS) : null);
}

/** The text that counts for a value: at most `size` bytes. What is no text is the empty one. */
export function normal(value: unknown, size: number, fold: boolean): string {
  if (typeof value !== "string") return "";
  let text = "";
  for (const letter of value) text += isKnown(letter.codePointAt(0)!) ? letter : UNKNOWN;
  text = text.normalize("NFC");
  if (fold) {
    let folded = "";
    for (const letter of text) folded += foldings().get(letter) ?? letter;
    text = folded.normalize("NFC");
  }
  let plain = "";
  for (const letter of text) {
    const blank = isBlank(letter.codePointAt(0)!);
    if (!blank || (plain !== "" && !plain.endsWith(" "))) plain += blank ? " " : letter;
  }
  let [cut, used] = ["", 0];
  for (const letter of plain) {
    used += utf8.encode(letter).length;
    if (used > size) break;
    cut += letter;
  }
  return cut.endsWith(" ") ? cut.slice(0, -1) : cut;
}

/** Spaces of all kinds, and characters that only steer. */
function isBlank(code: number): boolean {
  return (
    code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code === 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000
  );
}

let assigned: number[] | null = null; // where stretches of known characters begin and, in turn, end
let folded: Map<string, string> | null = null;

function isKnown(code: number): boolean {
  if (assigned === null) {
    let at = 0;
    assigned = ASSIGNED.split(" ").map((word) => (at += parseInt(word, 36)));
  }
  let [low, high] = [0, assigned.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (assigned[middle]! <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

function foldings(): ReadonlyMap<string, string> {
  if (folded === null) {
    folded = new Map();
    let at = 0;
    for (const run of FOLD.split(" ")) {
      const [first, many, step, added] = run.split(",").map((word) => parseInt(word, 36)) as [number, number, number, number];
      at += first;
      for (let i = 0; i < many; i++) folded.set(String.fromCodePoint(at + i * step), String.fromCodePoint(at + i * step + added));
    }
    for (const entry of FOLD_MANY.split(" ")) {
      const [code, ...codes] = entry.split(".").map((word) => parseInt(word, 36));
      folded.set(String.fromCodePoint(code!), String.fromCodePoint(...codes));
    }
  }
  return folded;
}

interface Letters {
  readonly lengths: readonly (readonly number[])[]; // bits of every symbol, after each case
  readonly words: readonly (readonly number[])[]; // code words
}

const known = new Map<LettersName, Letters>();

function lettersOf(name: LettersName): Letters {
  const before = known.get(name);
  if (before !== undefined) return before;
  const lengths = name === "codes" ? [new Array<number>(SYMBOLS).fill(6)] : LENGTHS.map((row) => Array.from(row, (digit) => parseInt(digit, 36)));
  const made = { lengths, words: lengths.map(canonical) };
  known.set(name, made);
  return made;
}

/** Shorter code words first, and of one length in the order of symbols. */
function canonical(lengths: readonly number[]): number[] {
  const order = lengths.map((length, symbol) => [length, symbol] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const found = new Array<number>(lengths.length).fill(0);
  let [word, before] = [0, 0];
  for (const [length, symbol] of order) {
    word <<= length - before;
    [found[symbol], before] = [word, length];
    word += 1;
  }
  return found;
}

/** What stands before a letter: a beginning or a blank, a letter, a digit, anything else. */
function caseOf(byte: number): number {
  if (byte === 0x20) return 0;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x60;
  return byte >= 0x30 && byte <= 0x39 ? 27 : 28;
}

/** The first `size` bits of the code of a text, zeros behind it, in bytes whose first bit is the highest. */
export function prefixOf(text: Uint8Array, size: number, name: LettersName): Uint8Array {
  const { lengths, words } = lettersOf(name);
  const out = new Uint8Array(Math.ceil(size / 8));
  let [at, context] = [0, 0];
  const put = (word: number, length: number): void => {
    for (let i = length - 1; i >= 0; i--, at++) if (at < size && (word >> i) & 1) out[at >> 3]! |= 128 >> (at & 7);
  };
  for (const byte of text) {
    const place = ALPHABET.indexOf(String.fromCharCode(byte));
    const symbol = byte < 128 && place >= 0 ? place : ESC;
    put(words[context]![symbol]!, lengths[context]![symbol]!);
    if (symbol === ESC) put(byte, 8);
    context = lengths.length > 1 ? caseOf(byte) : 0;
  }
  put(words[context]![END]!, lengths[context]![END]!);
  return out;
}

/** How a view sees a text: by its first `bits`, or as a whole (0). */
export interface TextColumn {
  readonly kind: "text";
  readonly attribute: number;
  readonly size: number;
  readonly bits: number;
  readonly cells: number;
  readonly key: Uint8Array;
}

export function readTextColumn(frozen: Fields, attribute: number, size: number): TextColumn {
  const key = frozen.text("key");
  if (!KEY.test(key)) frozen.fail("'key' must be 32 digits of hex");
  const bytes = Uint8Array.from({ length: 16 }, (_, i) => parseInt(key.slice(2 * i, 2 * i + 2), 16));
  return { kind: "text", attribute, size, bits: frozen.whole("bits", 0, 1024), cells: frozen.whole("cells", 1, 2 ** 32), key: bytes };
}

/** The cell of a text in a view. */
export function cellOfText(column: TextColumn, text: Uint8Array, letters: LettersName): number {
  if (column.bits === 0) return hashed(text, column);
  const prefix = prefixOf(text, column.bits, letters);
  if (column.bits > 32 || 2 ** column.bits > column.cells) return hashed(prefix, column);
  const number = prefix.reduce((sum, byte) => sum * 256 + byte, 0);
  return Math.floor(number / 2 ** (8 * prefix.length - column.bits));
}

function hashed(data: Uint8Array, { cells, key }: TextColumn): number {
  return Number((siphash(data, key) * BigInt(cells)) >> 64n);
}

/** SipHash-2-4 [Aumasson and Bernstein]. The key is public. */
export function siphash(data: Uint8Array, key: Uint8Array): bigint {
  const word = (bytes: Uint8Array, start: number): bigint => {
    let value = 0n;
    for (let i = 7; i >= 0; i--) value = (value << 8n) | BigInt(bytes[start + i] ?? 0);
    return value;
  };
  const cut = (value: bigint): bigint => BigInt.asUintN(64, value);
  const turn = (value: bigint, bits: bigint): bigint => cut(value << bits) | (value >> (64n - bits));
  const [k0, k1] = [word(key, 0), word(key, 8)];
  let [v0, v1, v2, v3] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn, k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const round = (): void => {
    v0 = cut(v0 + v1);
    v1 = turn(v1, 13n) ^ v0;
    v0 = turn(v0, 32n);
    v2 = cut(v2 + v3);
    v3 = turn(v3, 16n) ^ v2;
    v0 = cut(v0 + v3);
    v3 = turn(v3, 21n) ^ v0;
    v2 = cut(v2 + v1);
    v1 = turn(v1, 17n) ^ v2;
    v2 = turn(v2, 32n);
  };
  const padded = new Uint8Array(8 * (Math.floor(data.length / 8) + 1));
  padded.set(data);
  padded[padded.length - 1] = data.length & 255;
  for (let start = 0; start < padded.length; start += 8) {
    const own = word(padded, start);
    v3 ^= own;
    round();
    round();
    v0 ^= own;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return v0 ^ v1 ^ v2 ^ v3;
}
