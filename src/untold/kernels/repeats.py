"""Finds keys that may occur twice: a filter of two bits rules out nearly all of them without sorting.

A key marks one of many slots. Only keys whose slot was marked more than once can be equal; with eight slots a key, one
in eight is left over when all are different. The slow twin is sorting them all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Keys = npt.NDArray[np.uint64]
ODD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: the upper bits of a product with it look like noise


class Slots:
    """Mark all keys first, then pick from all keys again."""

    def __init__(self, keys: int) -> None:
        bits = max(10, (8 * keys - 1).bit_length())
        self._shift = 64 - bits
        self._marks = np.zeros((1 << bits - 6, 2), dtype=np.uint64)  # once, twice

    def mark(self, keys: Keys) -> None:
        """Take note of keys."""
        _mark(np.ascontiguousarray(keys), self._marks, self._shift)

    def pick(self, keys: Keys) -> Keys:
        """Those whose slot was marked more than once."""
        found = np.empty(len(keys), dtype=np.uint64)
        return found[: _pick(np.ascontiguousarray(keys), self._marks, self._shift, found)]


@njit("void(Array(u8, 1, 'C', readonly=True), u8[:, ::1], u8)", nogil=True, cache=True)
def _mark(keys, marks, shift):  # type: ignore[no-untyped-def]
    for i in range(len(keys)):
        slot = (keys[i] * np.uint64(ODD)) >> shift
        place, bit = slot >> np.uint64(6), np.uint64(1) << (slot & np.uint64(63))
        marks[place, 1] |= marks[place, 0] & bit
        marks[place, 0] |= bit


@njit("i8(Array(u8, 1, 'C', readonly=True), u8[:, ::1], u8, u8[::1])", nogil=True, cache=True)
def _pick(keys, marks, shift, found):  # type: ignore[no-untyped-def]
    count = 0
    for i in range(len(keys)):
        slot = (keys[i] * np.uint64(ODD)) >> shift
        found[count] = keys[i]
        if (marks[slot >> np.uint64(6), 1] >> (slot & np.uint64(63))) & np.uint64(1):
            count += 1
    return count
