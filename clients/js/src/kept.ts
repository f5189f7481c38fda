/** A report as a memory keeps it: exactly what leaves, so that it leaves again byte for byte. */

import type { Slot } from "./encoder.js";

export interface Drawn {
  readonly slots: readonly Slot[];
  readonly insecure: boolean; // made with repeatable draws
}

/** Seeds as strings. */
export function drawnText({ slots, insecure }: Drawn): string {
  return JSON.stringify({ slots: slots.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)])), insecure });
}

export function readDrawn(text: string): Drawn {
  const { slots, insecure } = JSON.parse(text) as { slots: [number, string[]][][]; insecure: boolean };
  return { slots: slots.map((slot) => slot.map(([index, extra]) => ({ index, extra: extra.map(BigInt) }))), insecure };
}

/** Public values; integers of any size keep their type. */
export function publicText(shown: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(shown.map(([name, value]) => [name, typeof value === "bigint" ? { integer: String(value) } : value]));
}

export function readPublic(text: string): Map<string, unknown> {
  const pairs = JSON.parse(text) as [string, unknown][];
  return new Map(pairs.map(([name, value]) => [name, typeof value === "object" && value !== null ? BigInt((value as { integer: string }).integer) : value]));
}
