/** Numbers for axes and forecasts. Answers arrive with their texts. */

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const whole = (value) => WHOLE.format(value);
export const about = (value) => (Math.abs(value) >= 1000 ? WHOLE.format(value) : SHORT.format(value));

export const percent = (share) => `${SHORT.format(100 * Number(share.toPrecision(2)))}%`;

/** A number for an axis: 25k, -2.5M, 0. */
export function short(value) {
  for (const [size, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= size) return `${SHORT.format(value / size)}${letter}`;
  }
  return SHORT.format(value);
}

/** Round numbers that span low to high, in about `parts` steps. */
export function ticks(low, high, parts) {
  const rough = (high - low || Math.abs(high) || 1) / Math.max(parts, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((each) => each >= rough * 0.999);
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.max(last - first, 1) + 1 }, (_, i) => (first + i) * step);
}

/** A bound as people read it, rounded up: nobody is promised more than holds. The twin of at_most_text in untold/exact.py. */
export function atMost(value, digits) {
  const near = Number(value.toPrecision(digits));
  if (near >= value) return String(near);
  const step = 10 ** (Number(value.toExponential(digits - 1).split("e")[1]) - digits + 1);
  return String(Number((near + step).toPrecision(digits)));
}

/** A probability as people say it: 1 in 15. */
export const oneIn = (p) => `1 in ${about(1 / p)}`;
