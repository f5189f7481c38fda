/** A report as a memory keeps it: exactly what leaves, so that it leaves again byte for byte. */
/** Seeds as strings. */
export function drawnText({ slots, insecure }) {
    return JSON.stringify({ slots: slots.map((slot) => slot.map(({ index, extra }) => [index, extra.map(String)])), insecure });
}
export function readDrawn(text) {
    const { slots, insecure } = JSON.parse(text);
    return { slots: slots.map((slot) => slot.map(([index, extra]) => ({ index, extra: extra.map(BigInt) }))), insecure };
}
/** Public values; integers of any size keep their type. */
export function publicText(shown) {
    return JSON.stringify(shown.map(([name, value]) => [name, typeof value === "bigint" ? { integer: String(value) } : value]));
}
export function readPublic(text) {
    const pairs = JSON.parse(text);
    return new Map(pairs.map(([name, value]) => [name, typeof value === "object" && value !== null ? BigInt(value.integer) : value]));
}
