/** The fixed words and numbers of docs/wire.md. The twin of untold/wire/contract.py; a test compares both through tests/vectors/contract.json. */

export const JSON_TYPE = "application/json";
export const BINARY_TYPE = "application/vnd.untold.reports";

export const LONGEST_KEY = 255; // bytes of a user key
export const LONGEST_TEXT = 1000; // bytes of a public text
export const LAST_EPOCH = 2 ** 31 - 1;
export const MOST_REPORTS = 10_000; // in a body
export const MOST_BYTES = 4 * 2 ** 20; // of a body

/** Codes after which the collector will never take a report. After all others it is kept. */
export const FORGET: readonly string[] = [
  "conflict",
  "epoch-closed",
  "bad-service",
  "bad-epoch",
  "bad-user",
  "bad-slots",
  "bad-message",
  "bad-public",
  "insecure",
  "other-plan",
  "bad-json",
  "bad-binary",
  "bad-gzip",
  "bad-type",
  "too-large",
  "other-user",
];

/** Statuses after which a client tries again, beside all from 500. */
export const LATER: readonly number[] = [408, 425, 429];

/** Whether a status means that the same bytes may be taken later, whatever the answer says. */
export function tryLater(status: number): boolean {
  return status >= 500 || LATER.includes(status);
}
