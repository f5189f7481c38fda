/** How long to wait before the very same bytes are sent again. */
import { Secure } from "./randomness.js";
const FIRST = 1_000; // ms
const LONGEST = 3_600_000;
const GRAIN = 2 ** 20;
/** The wait before attempt `attempt` + 1: doubles from a second to an hour, drawn uniformly between half of it and all of it. */
export function backoff(attempt) {
    const whole = Math.min(FIRST * 2 ** attempt, LONGEST);
    return (whole / 2) * (1 + new Secure().below(GRAIN) / GRAIN);
}
/** Wait, or stop waiting with an error when the signal says so. */
export function pause(ms, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
        signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
        if (signal?.aborted)
            reject(signal.reason);
    });
}
