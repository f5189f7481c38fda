"""A set of people who have reported: fingerprints in a hash table that grows, and in sorted runs that are searched.

A fingerprint is a row of three words: 128 bits that name a report, 64 bits of its content. The slow twin is a dict.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.siphash import Hashes

NEW, SAME, OTHER = range(3)
Status = npt.NDArray[np.uint8]


class Table:
    """Fingerprints of the reports that are not in a run yet: open addressing, at most half full."""

    def __init__(self, slots: int = 1 << 12) -> None:
        self.count = 0
        self._rows = np.zeros((slots, 3), dtype=np.uint64)
        self._used = np.zeros(slots, dtype=np.bool_)

    def look_up(self, prints: Hashes, status: Status) -> None:
        """What is known of each fingerprint that is NEW so far."""
        _claim(self._rows, self._used, prints, status, False)

    def claim(self, prints: Hashes, status: Status) -> None:
        """The same, and take those in that are still NEW: a second one in the same call is the SAME, or OTHER."""
        while 2 * (self.count + len(prints)) > len(self._rows):
            self._grow()
        self.count += _claim(self._rows, self._used, prints, status, True)

    def _grow(self) -> None:
        kept = self._rows[self._used]
        slots = 2 * len(self._rows)
        self._rows, self._used = np.zeros((slots, 3), dtype=np.uint64), np.zeros(slots, dtype=np.bool_)
        _claim(self._rows, self._used, kept, np.zeros(len(kept), dtype=np.uint8), True)


def search(run: Hashes, prints: Hashes, status: Status) -> None:
    """What a sorted run knows of each fingerprint that is NEW so far."""
    _search(run, prints, status)


def sort(prints: Hashes) -> Hashes:
    """Fingerprints as a run."""
    return np.ascontiguousarray(prints[np.lexsort((prints[:, 1], prints[:, 0]))])


def merge_some(a: Hashes, i: int, b: Hashes, j: int, out: Hashes) -> tuple[int, int, int]:
    """The next rows of two runs in order, from places i and j on, until `out` is full; returns the places and the count."""
    found: tuple[int, int, int] = _merge(a, i, b, j, out)
    return found


@njit("i8(u8[:, ::1], b1[::1], Array(u8, 2, 'C', readonly=True), u1[::1], b1)", nogil=True, cache=True)
def _claim(rows, used, prints, status, take):  # type: ignore[no-untyped-def]
    mask, taken = np.uint64(len(rows) - 1), 0
    for i in range(len(prints)):
        if status[i] != NEW:
            continue
        slot = prints[i, 0] & mask
        while used[slot] and (rows[slot, 0] != prints[i, 0] or rows[slot, 1] != prints[i, 1]):
            slot = (slot + np.uint64(1)) & mask
        if used[slot]:
            status[i] = SAME if rows[slot, 2] == prints[i, 2] else OTHER
        elif take:
            used[slot] = True
            rows[slot, 0], rows[slot, 1], rows[slot, 2] = prints[i, 0], prints[i, 1], prints[i, 2]
            taken += 1
    return taken


@njit("b1(Array(u8, 2, 'C', readonly=True), i8, u8, u8)", nogil=True, cache=True, inline="always")
def _before(run, i, high, low):  # type: ignore[no-untyped-def]
    return run[i, 0] < high or (run[i, 0] == high and run[i, 1] < low)


@njit("void(Array(u8, 2, 'C', readonly=True), Array(u8, 2, 'C', readonly=True), u1[::1])", nogil=True, cache=True)
def _search(run, prints, status):  # type: ignore[no-untyped-def]
    n = len(run)
    if n == 0:
        return
    for i in range(len(prints)):
        if status[i] != NEW:
            continue
        high, low = prints[i, 0], prints[i, 1]
        # Fingerprints are uniform: the place is near its share of the run, and the search gallops from there.
        guess = min(int(float(high) * 5.421010862427522e-20 * n), n - 1)
        step, left, right = 32, guess, guess
        while left > 0 and not _before(run, left, high, low):
            left = max(0, left - step)
            step <<= 1
        step = 32
        while right < n and _before(run, right, high, low):
            right = min(n, right + step)
            step <<= 1
        while left < right:
            middle = (left + right) >> 1
            if _before(run, middle, high, low):
                left = middle + 1
            else:
                right = middle
        if left < n and run[left, 0] == high and run[left, 1] == low:
            status[i] = SAME if run[left, 2] == prints[i, 2] else OTHER


@njit(
    "UniTuple(i8, 3)(Array(u8, 2, 'C', readonly=True), i8, Array(u8, 2, 'C', readonly=True), i8, u8[:, ::1])",
    nogil=True,
    cache=True,
)
def _merge(a, i, b, j, out):  # type: ignore[no-untyped-def]
    count = 0
    while count < len(out) and (i < len(a) or j < len(b)):
        from_a = i < len(a) and (j >= len(b) or _before(a, i, b[j, 0], b[j, 1]))
        for c in range(3):
            out[count, c] = a[i, c] if from_a else b[j, c]
        i += from_a
        j += not from_a
        count += 1
    return i, j, count
