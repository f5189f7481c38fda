"""Geometric numbers from words and tables of weights in bulk.

The slow twin is `Geometric.draw`; fed the same words it gives the same numbers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


def draw_parts(words: Words, tables: Words, sizes: Integers, places: Integers) -> tuple[Integers, Integers]:
    """One number per row of words, and the rows whose last digit starts again beyond its table (it counts in full
    here).
    """
    out = np.empty(len(words), dtype=np.int64)
    again = np.zeros(len(words), dtype=np.bool_)
    _draw(words, tables, sizes, places, out, again)
    return out, np.flatnonzero(again)


@njit(
    "void(Array(u8, 2, 'C', readonly=True), u8[:, ::1], i8[::1], i8[::1], i8[::1], b1[::1])",
    nogil=True,
    cache=True,
)
def _draw(words, tables, sizes, places, out, again):  # type: ignore[no-untyped-def]
    digits = len(sizes)
    for i in range(len(out)):
        total = np.int64(0)
        low = np.int64(0)
        for j in range(digits):
            word = words[i, j]
            low, high = np.int64(0), sizes[j] - 1  # the outcome: how many cumulative weights are not above the word
            while low < high:
                middle = (low + high) >> 1
                if tables[j, middle] <= word:
                    low = middle + 1
                else:
                    high = middle
            total += low * places[j]
        out[i] = total
        again[i] = low == sizes[digits - 1] - 1
