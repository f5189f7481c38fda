"""Perturbation by GRR and AGR in bulk: GRR is AGR with one direction and one digit.

The slow twins are `GRR.encode` and `AGR.encode`; fed the same words they give the same messages.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.oracles.base import Cells
from tacit.randomness import BulkRandomness

SHIFT = 42  # n // g = n * ceil(2^42 / g) >> 42 for n * g < 2^42


def encode_linear(
    cells: Cells, rng: BulkRandomness, copies: int, sides: int, digits: int, heavy: int, light: int
) -> npt.NDArray[np.uint32]:
    """One message per cell.

    A word beyond the last full stretch (less than once in 2^40) makes the whole array draw again.
    """
    numbers = np.ascontiguousarray(cells, dtype=np.uint32)
    out = np.empty(len(numbers), dtype=np.uint32)
    while not _encode(numbers, rng.words((len(numbers),)), out, copies, sides, digits, heavy, light):
        pass
    return out


@njit("b1(u4[::1], Array(u8, 1, 'C', readonly=True), u4[::1], u8, u8, u8, u8, u8)", nogil=True, cache=True)
def _encode(cells, words, out, copies, sides, digits, heavy, light):  # type: ignore[no-untyped-def]
    stretch = heavy + light * (sides - np.uint64(1))
    usable = copies * stretch
    reciprocal = (np.uint64(1 << SHIFT) + sides - np.uint64(1)) // sides
    accepted = True
    for i in range(len(cells)):
        word = words[i]
        accepted &= word < usable
        copy = word // stretch
        rest = word - copy * stretch
        offset = np.uint64(0)
        if rest >= heavy:
            offset = np.uint64(1) + (rest - heavy) // light
        power, first = np.uint64(1), np.uint64(0)
        for _ in range(digits - np.uint64(1)):
            if first + power <= copy:
                first += power
                power *= sides
        vector, cell, total = power + copy - first, np.uint64(cells[i]), np.uint64(0)
        for _ in range(digits):
            above, higher = (vector * reciprocal) >> np.uint64(SHIFT), (cell * reciprocal) >> np.uint64(SHIFT)
            total += (vector - above * sides) * (cell - higher * sides)
            vector, cell = above, higher
        out[i] = np.uint32(copy * sides + (total + offset) % sides)
    return accepted
