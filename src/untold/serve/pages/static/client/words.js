/** Values as they are printed in messages, the way the Python client prints them. */
import { NANO } from "./exact.js";
/** Nano-epsilon as epsilon, to the last digit. */
export function nanoText(nano) {
    const part = String(nano % NANO).padStart(9, "0");
    return `${nano / NANO}.${part}`.replace(/\.?0+$/, "");
}
/** A double as Python's repr and JSON write it: 1.0, 1e-05, 1e+16. */
export function repr(value) {
    const [mantissa = "", power = "0"] = value.toExponential().split("e");
    const exponent = Number(power);
    if (exponent < -4 || exponent >= 16)
        return `${mantissa}e${padded(exponent)}`;
    const digits = mantissa.replace(/[-.]/g, "").length;
    return exponent < 0 || digits - 1 > exponent ? value.toFixed(Math.max(digits - 1 - exponent, 1)) : `${value}.0`;
}
/** A number without a needless fraction. */
export function plain(value) {
    return Number.isSafeInteger(value) || !Number.isFinite(value) ? String(value) : repr(value);
}
/** Any value. */
export function show(value) {
    if (typeof value === "number")
        return plain(value);
    if (typeof value === "boolean")
        return value ? "True" : "False";
    if (value === null || value === undefined)
        return "None";
    if (typeof value !== "string")
        return String(value);
    return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replaceAll("'", "\\'")}'`;
}
function padded(exponent) {
    return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
