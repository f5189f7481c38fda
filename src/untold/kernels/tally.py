"""Counts how often each message occurs. The slow twin is numpy.bincount."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


def tally(messages: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64]) -> None:
    """counts[m] += 1 for every message m."""
    if not _tally(np.ascontiguousarray(messages, dtype=np.uint32), counts):
        raise ValueError(f"there are {len(counts)} different messages, but a report has one beyond them")


@njit("b1(Array(u4, 1, 'C', readonly=True), i8[::1])", nogil=True, cache=True)
def _tally(messages, counts):  # type: ignore[no-untyped-def]
    for i in range(len(messages)):
        if messages[i] >= len(counts):
            return False
        counts[messages[i]] += 1
    return True
