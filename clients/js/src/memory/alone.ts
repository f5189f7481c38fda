/** One piece of work at a time. */

/** What came last for each key, the same for all copies of this module that a program has loaded (by import and by require). */
const shared = globalThis as { [key: symbol]: Map<unknown, Promise<unknown>> | undefined };
const last = (shared[Symbol.for("untold-client: in turn")] ??= new Map<unknown, Promise<unknown>>());

/** Among all that use this key within this program. */
export async function inTurn<Result>(key: unknown, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(key);
  const now = (before ?? Promise.resolve()).then(work, work);
  last.set(key, now);
  try {
    return await now;
  } finally {
    if (last.get(key) === now) last.delete(key);
  }
}

/** Among all tabs of an origin that use this name, where the browser has locks; else within this program. */
export function alone<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  return locks === undefined ? inTurn(name, work) : (locks.request(`untold ${name}`, work) as Promise<Result>);
}
