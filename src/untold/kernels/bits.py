"""Messages that are sets of cells, in bulk: OUE, SUE and subset selection, and how many messages hold each cell.

The slow twins are `UnaryOracle.encode`, `SubsetSelection.encode` and `BitOracle.supports`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.arrays import Cells
from untold.randomness import BulkRandomness

WORDS_AT_ONCE = 1 << 17  # a megabyte of draws stays in the cache


def encode_unary(cells: Cells, rng: BulkRandomness, size: int, truth: int, other: int) -> npt.NDArray[np.uint8]:
    """One row of bits per cell; a word for every bit."""
    numbers = np.ascontiguousarray(cells, dtype=np.uint32)
    out = np.zeros((len(numbers), -(-size // 8)), dtype=np.uint8)
    step = max(1, WORDS_AT_ONCE // size)
    for i in range(0, len(numbers), step):
        part = numbers[i : i + step]
        _unary(part, rng.words((len(part), size)), out[i : i + step], truth, other)
    return out


def encode_subset(cells: Cells, rng: BulkRandomness, size: int, chosen: int, truth: int) -> npt.NDArray[np.uint8]:
    """One row of `chosen` bits per cell.

    A word beyond the last full stretch of a uniform draw (about once in 2^64 / size) makes its batch draw again.
    """
    numbers = np.ascontiguousarray(cells, dtype=np.uint32)
    out = np.zeros((len(numbers), -(-size // 8)), dtype=np.uint8)
    draws = 1 + min(chosen, max(1, size - 1))
    step = max(1, WORDS_AT_ONCE // draws)
    for i in range(0, len(numbers), step):
        part = numbers[i : i + step]
        while not _subset(part, rng.words((len(part), draws)), out[i : i + step], size, chosen, truth & (2**64 - 1)):
            pass
    return out


def count_bits(bits: npt.NDArray[np.uint8], size: int) -> npt.NDArray[np.int64]:
    """For each of the first `size` bits, in how many rows it is set."""
    rows = np.ascontiguousarray(bits, dtype=np.uint8)
    counts = np.zeros(8 * rows.shape[1], dtype=np.int64)
    _count(rows, counts)
    return counts[:size]


@njit("void(u4[::1], Array(u8, 2, 'C', readonly=True), u1[:, ::1], u8, u8)", nogil=True, cache=True)
def _unary(cells, words, out, truth, other):  # type: ignore[no-untyped-def]
    for i in range(len(cells)):
        for c in range(words.shape[1]):
            limit = truth if np.uint32(c) == cells[i] else other
            out[i, c >> 3] |= np.uint8(words[i, c] < limit) << np.uint8(c & 7)


@njit("b1(u4[::1], Array(u8, 2, 'C', readonly=True), u1[:, ::1], u8, u8, u8)", nogil=True, cache=True)
def _subset(cells, words, out, size, chosen, truth):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    if size == one:  # a lone cell: nothing to hide, nothing to reject
        out[:, 0] = 1
        return True
    others = size - one
    stretches = np.empty(chosen, dtype=np.uint64)
    for i in range(chosen):
        stretches[i] = ~np.uint64(0) // (others - np.uint64(i))
    steps = np.empty(others, dtype=np.uint64)
    accepted = True
    for r in range(len(cells)):
        lie = np.uint64(words[r, 0] >= truth)
        for i in range(others):
            steps[i] = np.uint64(i) + one
        for i in range(chosen):
            left = others - np.uint64(i)
            draw = words[r, i + 1] // stretches[i]
            accepted &= draw < left
            j = np.uint64(i) + min(draw, left - one)
            steps[i], steps[j] = steps[j], steps[i]
        steps[chosen - one] *= lie
        out[r, :] = 0
        for i in range(chosen):
            place = np.uint64(cells[r]) + steps[i]
            if place >= size:
                place -= size
            out[r, place >> np.uint64(3)] |= np.uint8(1) << np.uint8(place & np.uint64(7))
    return accepted


@njit("void(Array(u1, 2, 'C', readonly=True), i8[::1])", nogil=True, cache=True)
def _count(rows, counts):  # type: ignore[no-untyped-def]
    """Eight counters of one byte each in a word, emptied before they overflow.

    Lane b of byte * 0x01..01, masked to bit b, carries into the top of its lane if the bit was set.
    """
    lanes = np.zeros(rows.shape[1], dtype=np.uint64)
    ones = np.uint64(0x0101010101010101)
    for first in range(0, len(rows), 255):
        lanes[:] = 0
        for r in range(first, min(first + 255, len(rows))):
            for j in range(rows.shape[1]):
                spread = (np.uint64(rows[r, j]) * ones) & np.uint64(0x8040201008040201)
                lanes[j] += ((spread + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & ones
        for j in range(rows.shape[1]):
            for b in range(8):
                counts[8 * j + b] += np.int64((lanes[j] >> np.uint64(8 * b)) & np.uint64(255))
