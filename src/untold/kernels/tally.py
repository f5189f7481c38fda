"""Counts how often each message occurs. The slow twins are numpy.bincount and numpy.flatnonzero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


def tally(messages: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64]) -> None:
    """counts[m] += 1 for every message m."""
    if not _tally(np.ascontiguousarray(messages, dtype=np.uint32), counts):
        raise ValueError(f"there are {len(counts)} different messages, but a report has one beyond them")


def occurring(counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """The messages that occur, and how often.

    >>> [column.tolist() for column in occurring(np.array([0, 3, 0, 1]))]
    [[1, 3], [3, 1]]
    """
    messages, reports = np.empty(len(counts), dtype=np.uint32), np.empty(len(counts), dtype=np.int64)
    found = _occurring(counts, messages, reports)
    return messages[:found], reports[:found]


@njit("b1(Array(u4, 1, 'C', readonly=True), i8[::1])", nogil=True, cache=True)
def _tally(messages, counts):  # type: ignore[no-untyped-def]
    for i in range(len(messages)):
        if messages[i] >= len(counts):
            return False
        counts[messages[i]] += 1
    return True


@njit("i8(i8[::1], u4[::1], i8[::1])", nogil=True, cache=True)
def _occurring(counts, messages, reports):  # type: ignore[no-untyped-def]
    found = 0
    for m in range(len(counts)):
        messages[found] = m
        reports[found] = counts[m]
        found += counts[m] > 0
    return found
