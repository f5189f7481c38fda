"""Iterative proportional fitting. The slow twin is `untold.marginals.maximum_entropy.fit_slowly`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]


def fit_margins(
    table: Floats, places: npt.NDArray[np.int32], targets: Floats, tolerance: float, sweeps: int
) -> tuple[float, int]:
    """Scale `table`, in place, to each margin in turn until all are met within `tolerance`.

    places[m, v] says which entry of `targets` cell v adds to for margin m. Returns the largest deviation of the last
    sweep, and how many sweeps it took.
    """
    deviation, took = _fit(table, places, targets, tolerance, sweeps)
    return float(deviation), int(took)


@njit("UniTuple(f8, 2)(f8[::1], i4[:, ::1], f8[::1], f8, i8)", nogil=True, cache=True)
def _fit(table, places, targets, tolerance, sweeps):  # type: ignore[no-untyped-def]
    sums = np.empty(len(targets))
    deviation = 0.0
    for sweep in range(sweeps):
        deviation = 0.0
        for m in range(places.shape[0]):
            sums[:] = 0.0
            for v in range(len(table)):
                sums[places[m, v]] += table[v]
            for v in range(len(table)):
                place = places[m, v]
                deviation = max(deviation, abs(sums[place] - targets[place]))
                table[v] = table[v] * (targets[place] / sums[place]) if sums[place] > 0.0 else 0.0
        if deviation <= tolerance:
            return deviation, float(sweep + 1)
    return deviation, float(sweeps)
