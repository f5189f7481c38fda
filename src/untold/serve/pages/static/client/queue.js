/** Reports that still have to be sent, in the memory: exactly the bytes that will be sent, however often. */
/** Queue the body of a report. The same report again takes the same place. */
export function enqueue(items, collector, report, body) {
    enqueueAs(items, collector, report.user, [report.plan, report.service, report.epoch], body);
}
/** Queue a body in a place of its own. */
export function enqueueAs(items, to, user, place, body) {
    items.set(prefix(to, user) + JSON.stringify(place), body);
}
/** Everything that waits for a collector, oldest first. */
export function queued(items, collector, user) {
    const start = prefix(collector, user);
    return items.keys().filter((key) => key.startsWith(start)).map((key) => ({ key, body: items.get(key) }));
}
/** Take a body out, unless another one took its place meanwhile. */
export function dequeue(items, { key, body }) {
    if (items.get(key) === body)
        items.delete(key);
}
function prefix(collector, user) {
    return `${JSON.stringify(String(user))}/queue/${collector}/`;
}
