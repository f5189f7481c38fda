/** One piece of work at a time under a name: over all tabs where the browser has locks, else within this program. */

const last = new Map<string, Promise<unknown>>();

export async function alone<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  if (locks !== undefined) return locks.request(`tacit ${name}`, work) as Promise<Result>;
  const before = last.get(name);
  const now = (before ?? Promise.resolve()).then(work, work);
  last.set(name, now);
  try {
    return await now;
  } finally {
    if (last.get(name) === now) last.delete(name);
  }
}
