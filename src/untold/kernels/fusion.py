"""Passes over people: binning, weighted means, likelihood steps on intervals. Slow twins in `untold.fusion.slow`."""

from __future__ import annotations

import numpy as np
from numba import njit

COLUMNS = "Array(f8, 2, 'C', readonly=True)"
VALUES = "Array(f8, 1, 'C', readonly=True)"
VECTOR = "Array(f8, 1, 'C', readonly=True)"
TABLE = "Array(f8, 2, 'C', readonly=True)"
LOOKUP = "Array(u2, 1, 'C', readonly=True)"


@njit(f"void({VALUES}, f8, f8, {LOOKUP}, u4, u4, u4[::1])", nogil=True, cache=True)
def bin_values(values, a, b, lookup, absent, rows, codes):  # type: ignore[no-untyped-def]
    """codes <- codes * rows + bin, where the bin is lookup[round(a + b * value)], `absent` for NaN."""
    last = len(lookup) - 1
    for i in range(len(values)):
        x = values[i]
        if x == x:
            index = np.int64(np.floor(a + b * x + 0.5))
            codes[i] = codes[i] * rows + lookup[min(max(index, 0), last)]
        else:
            codes[i] = codes[i] * rows + absent


@njit(f"void({VALUES}, f8, f8, f8, f8, f8[::1], f8[::1], f8[::1])", nogil=True, cache=True)
def add_weighted(values, a, b, weight, noise, top, bottom, spread):  # type: ignore[no-untyped-def]
    """Where a value is present: top += w (a + b x), bottom += w, spread += w^2 * noise."""
    for i in range(len(values)):
        x = values[i]
        if x == x:
            top[i] += weight * (a + b * x)
            bottom[i] += weight
            spread[i] += weight * weight * noise


@njit(f"void({VALUES}, f8, f8, {VECTOR}, f8[::1], f8[::1])", nogil=True, cache=True)
def add_by_person(values, a, b, weights, top, bottom):  # type: ignore[no-untyped-def]
    """The same, with a weight for each person."""
    for i in range(len(values)):
        x = values[i]
        if x == x:
            top[i] += weights[i] * (a + b * x)
            bottom[i] += weights[i]


@njit("Tuple((f8, f8, f8))(f8[::1], f8[::1], f8[::1])", nogil=True, cache=True)
def ratio_moments(top, bottom, spread):  # type: ignore[no-untyped-def]
    """Sums of z = top / bottom, of z^2, and of spread / bottom^2."""
    one, two, three = 0.0, 0.0, 0.0
    for i in range(len(top)):
        z = top[i] / bottom[i]
        one += z
        two += z * z
        three += spread[i] / (bottom[i] * bottom[i])
    return one, two, three


@njit(
    f"void(u2[:, ::1], {TABLE}, Array(i8, 1, 'C', readonly=True), {TABLE}, f8[:, ::1])",
    nogil=True,
    cache=True,
    fastmath={"reassoc", "contract"},
)
def posterior_weights(bins, likelihood, first, variance, out):  # type: ignore[no-untyped-def]
    """1 / E[variance_j | bins of the person], uniform prior; a bin equal to the number of a service's bins is absence.

    Sums may be reordered (the only kernel where they may), which makes them four times as fast.
    """
    services, people = bins.shape
    buckets = variance.shape[1]
    posterior = np.empty(buckets)
    for i in range(people):
        posterior[:] = 1.0
        for j in range(services):
            row = first[j] + bins[j, i]
            if row < first[j + 1]:
                for k in range(buckets):
                    posterior[k] *= likelihood[row, k]
        total = 0.0
        for k in range(buckets):
            total += posterior[k]
        for j in range(services):
            expected = 0.0
            for k in range(buckets):
                expected += posterior[k] * variance[j, k]
            out[j, i] = total / expected
