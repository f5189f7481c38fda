/** Reports as they travel: strict JSON, and the binary form. The contract is docs/wire.md. */

import type { Report } from "./client.js";
import { LONGEST_KEY, LONGEST_TEXT } from "./contract.js";
import type { Slot } from "./encoder.js";
import { BadRecord } from "./errors.js";
import type { Plan, Service } from "./plan.js";

const VERSION = 1;
const HEADER = 48;
const LARGEST = 2n ** 63n;

/** How a collector stores user keys and public columns; it says so beside the plan. */
export type ColumnType = "text" | "integer" | "number" | "boolean";
export interface Columns {
  readonly userKey: "text" | "integer";
  readonly public: ReadonlyMap<string, ReadonlyMap<string, ColumnType>>;
}

/** A body with these reports, all of one plan. */
export function toJson(plan: Plan, reports: readonly Report[]): string {
  const listed = reports.map((report) => {
    const service = plan.service(report.service);
    const { seedBits } = service.design;
    const slots = report.slots.map((slot) =>
      slot.map(({ index, extra }) => (seedBits ? [index, ...[0, 1].map((i) => String(extra[i] ?? 0n))] : index)),
    );
    const values = [...report.public].filter(([, value]) => value !== null && value !== undefined);
    const shown = Object.fromEntries(values.map(([name, value]) => [name, typeof value === "bigint" ? plainInteger(value) : value]));
    return { service: report.service, user: String(report.user), epoch: report.epoch, slots, ...(values.length ? { public: shown } : {}) };
  });
  return JSON.stringify({ plan: plan.id, ...(reports.some((each) => each.insecure) ? { insecure: true } : {}), reports: listed });
}

/** A body with these reports, all of one plan, service and epoch. */
export function toBinary(plan: Plan, reports: readonly Report[], columns: Columns): Uint8Array<ArrayBuffer> {
  const first = reports[0];
  if (first === undefined || reports.some((each) => each.service !== first.service || each.epoch !== first.epoch)) {
    throw new BadRecord("a binary body holds one or more reports of one service and epoch.");
  }
  const service = plan.service(first.service);
  const bytes = new Bytes(HEADER);
  bytes.raw(new TextEncoder().encode("UNTR"));
  bytes.u8(VERSION);
  bytes.u8(Number(reports.some((each) => each.insecure)));
  bytes.u16(service.number);
  bytes.u32(first.epoch);
  bytes.u32(reports.length);
  bytes.raw(Uint8Array.from(plan.id.match(/../g)!, (pair) => parseInt(pair, 16)));
  for (const report of reports) {
    const body = record(service, report, columns);
    bytes.u32(body.length);
    bytes.raw(body);
  }
  return bytes.all();
}

/** What identifies a report's content: its messages, its user, its public columns. */
function record(service: Service, report: Report, columns: Columns): Uint8Array {
  const bytes = new Bytes(64);
  bytes.messages(service, report.slots);
  const user = columns.userKey === "integer" ? integerBytes(BigInt(report.user)) : new TextEncoder().encode(String(report.user));
  if (user.length < 1 || user.length > LONGEST_KEY) throw new BadRecord(`a user key has 1 to ${LONGEST_KEY} bytes.`);
  bytes.u8(user.length);
  bytes.raw(user);
  for (const [name, value] of report.public) {
    bytes.u8(Number(value !== null && value !== undefined));
    if (value !== null && value !== undefined) bytes.value(name, value, columns.public.get(service.name)?.get(name));
  }
  return bytes.all();
}

/** The messages of several services, and nothing else: what a bundle has inside. */
export function messageBytes(parts: readonly (readonly [Service, readonly Slot[]])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Bytes(64);
  for (const [service, slots] of parts) bytes.messages(service, slots);
  return bytes.all();
}

/** Public texts, or that there are none. */
export function groupBytes(group: readonly (string | null)[]): Uint8Array<ArrayBuffer> {
  const bytes = new Bytes(64);
  for (const value of group) {
    bytes.u8(Number(value !== null));
    if (value !== null) bytes.value("mix.by", value, "text");
  }
  return bytes.all();
}

function integerBytes(value: bigint): Uint8Array {
  if (value < -LARGEST || value >= LARGEST) throw new BadRecord("an integer beyond 64 bits.");
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}

function plainInteger(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** Little-endian bytes that grow. */
class Bytes {
  private view: DataView<ArrayBuffer>;
  private end = 0;

  constructor(size: number) {
    this.view = new DataView(new ArrayBuffer(size));
  }

  u8(value: number): void {
    this.put(1, (view, at) => view.setUint8(at, value));
  }

  u16(value: number): void {
    this.put(2, (view, at) => view.setUint16(at, value, true));
  }

  u32(value: number): void {
    this.put(4, (view, at) => view.setUint32(at, value, true));
  }

  seed(value: bigint, bits: number): void {
    if (bits === 32) this.u32(Number(value));
    else this.put(8, (view, at) => view.setBigUint64(at, value, true));
  }

  messages({ design: { seedBits } }: Service, slots: readonly Slot[]): void {
    for (const { index, extra } of slots.flat()) {
      this.u32(index);
      for (const i of seedBits ? [0, 1] : []) this.seed(extra[i] ?? 0n, seedBits);
    }
  }

  raw(bytes: Uint8Array): void {
    this.put(bytes.length, (view, at) => new Uint8Array(view.buffer).set(bytes, at));
  }

  value(name: string, value: unknown, type: ColumnType | undefined): void {
    if (type === "text" && typeof value === "string") {
      const text = new TextEncoder().encode(value);
      if (text.length > LONGEST_TEXT) throw new BadRecord(`public column '${name}' has more than ${LONGEST_TEXT} bytes.`);
      this.u16(text.length);
      this.raw(text);
    } else if (type === "boolean" && typeof value === "boolean") this.u8(Number(value));
    else if (type === "integer" && (typeof value === "bigint" || Number.isSafeInteger(value))) this.raw(integerBytes(BigInt(value as number)));
    else if (type === "number" && Number.isFinite(value)) this.put(8, (view, at) => view.setFloat64(at, value as number, true));
    else throw new BadRecord(`public column '${name}' of this collector is ${type ?? "unknown"}, not ${typeof value}.`);
  }

  all(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.view.buffer.slice(0, this.end));
  }

  private put(size: number, write: (view: DataView<ArrayBuffer>, at: number) => void): void {
    const start = this.end;
    this.end += size;
    if (this.end > this.view.byteLength) {
      const larger = new Uint8Array(2 * this.end);
      larger.set(new Uint8Array(this.view.buffer));
      this.view = new DataView(larger.buffer);
    }
    write(this.view, start);
  }
}
