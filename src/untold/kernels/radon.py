"""Sums over the planes <a, cell> = y of a finite vector space, for all directions a at once.

The slow twin adds up the cells that `AGR.supports` names; `planes_by_fourier` in oracles/agr.py is the other fast way.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


def sums_over_planes(cells: npt.NDArray[np.float64], g: int, t: int) -> npt.NDArray[np.float64]:
    """The sums for direction 0, y = 0..g-1, then direction 1, and so on, as AGR numbers its messages.

    A direction whose leading 1 stands at digit m knows nothing of the digits above, so these are summed out first.
    What is left is an array over (y, lower digits), where y starts as digit m; each lower digit i in turn is replaced
    by the direction's digit a_i:

        X'[y, ..., a_i, ...] = sum over c of X[y - a_i c, ..., c, ...]
    """
    return np.asarray(_planes(np.ascontiguousarray(cells, dtype=np.float64), g, t))


@njit("f8[::1](f8[::1], i8, i8, i8)", nogil=True, cache=True)
def _replace_digits(cells, g, digits, stride):  # type: ignore[no-untyped-def]
    size = len(cells) // g
    now = cells.copy()
    then = np.empty_like(now)
    for _ in range(digits):
        for y in range(g):
            for high in range(0, size, stride * g):
                for a in range(g):
                    into = y * size + high + a * stride
                    then[into : into + stride] = now[y * size + high : y * size + high + stride]
                    shift = y
                    for c in range(1, g):
                        shift -= a
                        if shift < 0:
                            shift += g
                        source = shift * size + high + c * stride
                        for low in range(stride):
                            then[into + low] += now[source + low]
        now, then = then, now
        stride *= g
    return now


@njit("f8[::1](f8[::1], i8, i8)", nogil=True, cache=True)
def _planes(cells, g, t):  # type: ignore[no-untyped-def]
    out = np.empty((g**t - 1) // (g - 1) * g)
    work = cells
    for m in range(t - 1, -1, -1):
        low, high, size = g ** (m // 2), g ** (m - m // 2), g**m
        planes = _replace_digits(work, g, m - m // 2, low)  # digits that are far apart in memory
        turned = np.empty_like(planes)
        for y in range(g):
            for h in range(high):
                for n in range(low):
                    turned[y * size + n * high + h] = planes[y * size + h * low + n]
        planes = _replace_digits(turned, g, m // 2, high)  # then, turned over, those that were near
        first = (size - 1) // (g - 1) * g
        for h in range(high):
            for n in range(low):
                for y in range(g):
                    out[first + (h * low + n) * g + y] = planes[y * size + n * high + h]
        summed = work[:size].copy()  # over the leading digit
        for y in range(1, g):
            for n in range(size):
                summed[n] += work[y * size + n]
        work = summed
    return out
