"""Hadamard response in bulk, and the fast Walsh-Hadamard transform.

The slow twins are `Hadamard.encode` and `Hadamard.supports`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.arrays import Cells, Floats
from untold.randomness import BulkRandomness


def encode_hadamard(cells: Cells, rng: BulkRandomness, rows: int, heavy: int, light: int) -> npt.NDArray[np.uint32]:
    """One row per cell.

    A word beyond the last full stretch (less than once in 2^40) makes the whole array draw again.
    """
    numbers = np.ascontiguousarray(cells, dtype=np.uint32)
    out = np.empty(len(numbers), dtype=np.uint32)
    while not _encode(numbers, rng.words((len(numbers),)), out, rows, heavy, light):
        pass
    return out


def walsh_hadamard(values: Floats) -> Floats:
    """sum_y values[y] (-1)^popcount(x & y) for every x.

    The length is a power of two. Exact for integers whose absolute values sum to less than 2^53.
    """
    out = np.array(values, dtype=np.float64)
    _transform(out)
    return out


@njit("b1(u4[::1], Array(u8, 1, 'C', readonly=True), u4[::1], u8, u8, u8)", nogil=True, cache=True)
def _encode(cells, words, out, rows, heavy, light):  # type: ignore[no-untyped-def]
    stretch = heavy + light
    usable = rows * stretch
    accepted = True
    for i in range(len(cells)):
        word = words[i]
        accepted &= word < usable
        row = word // stretch
        sign = np.uint64(word - row * stretch >= heavy)
        column = np.uint64(cells[i]) + np.uint64(1)
        parity = row & column
        for shift in (32, 16, 8, 4, 2, 1):
            parity ^= parity >> np.uint64(shift)
        wrong = (parity ^ sign) & np.uint64(1)
        lowest = column & (~column + np.uint64(1))
        out[i] = np.uint32(row ^ (lowest * wrong))
    return accepted


@njit("void(f8[::1])", nogil=True, cache=True)
def _transform(values):  # type: ignore[no-untyped-def]
    half = 1
    while half < len(values):
        for start in range(0, len(values), 2 * half):
            for i in range(start, start + half):
                left, right = values[i], values[i + half]
                values[i], values[i + half] = left + right, left - right
        half *= 2
