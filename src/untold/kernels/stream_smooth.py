"""Smooth sensitivity of an order statistic, computed by its definition and stopped as early as possible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Integers = npt.NDArray[np.int64]


def smooth_sensitivity_of_rank(ordered: Integers, rank: int, upper: int, decay: float) -> float:
    """max over k of e^(-decay k) max over t of V(rank + t) - V(rank + t - k - 1), rank counted from 1.

    V is `ordered`, 0 before it and `upper` after it.
    """
    return float(_largest(ordered, rank, upper, decay))


@njit("f8(i8[::1], i8, i8, f8)", nogil=True, cache=True)
def _largest(ordered, rank, upper, decay):  # type: ignore[no-untyped-def]
    count, best = len(ordered), 0.0
    for k in range(count + 2):
        weight = np.exp(-decay * k)
        if weight * upper <= best:
            break
        widest = 0
        for t in range(k + 2):
            high, low = rank + t, rank + t - k - 1
            top = ordered[high - 1] if high <= count else upper
            bottom = ordered[low - 1] if low >= 1 else 0
            widest = max(widest, top - bottom)
        best = max(best, weight * widest)
    return best
