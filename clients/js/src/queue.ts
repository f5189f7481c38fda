/** Reports that still have to be sent, in the memory: exactly the bytes that will be sent, however often. */

import type { Report } from "./client.js";
import type { Items } from "./memory/memory.js";

export interface Queued {
  readonly key: string;
  readonly body: string;
}

/** Queue the body of a report. The same report again takes the same place. */
export function enqueue(items: Items, collector: string, report: Report, body: string): void {
  enqueueAs(items, collector, report.user, [report.plan, report.service, report.epoch], body);
}

/** Queue a body in a place of its own. */
export function enqueueAs(items: Items, to: string, user: string | number, place: readonly unknown[], body: string): void {
  items.set(prefix(to, user) + JSON.stringify(place), body);
}

/** Everything that waits for a collector, oldest first. */
export function queued(items: Items, collector: string, user: string | number): Queued[] {
  const start = prefix(collector, user);
  return items.keys().filter((key) => key.startsWith(start)).map((key) => ({ key, body: items.get(key)! }));
}

/** Take a body out, unless another one took its place meanwhile. */
export function dequeue(items: Items, { key, body }: Queued): void {
  if (items.get(key) === body) items.delete(key);
}

function prefix(collector: string, user: string | number): string {
  return `${JSON.stringify(String(user))}/queue/${collector}/`;
}
