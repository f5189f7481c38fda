/** One piece of work at a time under a name: over all tabs where the browser has locks, else within this program. */
const last = new Map();
export async function alone(name, work) {
    const locks = globalThis.navigator?.locks;
    if (locks !== undefined)
        return locks.request(`tacit ${name}`, work);
    const before = last.get(name);
    const now = (before ?? Promise.resolve()).then(work, work);
    last.set(name, now);
    try {
        return await now;
    }
    finally {
        if (last.get(name) === now)
            last.delete(name);
    }
}
