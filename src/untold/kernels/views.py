"""Picks a view at random for each of many reports. The slow twin is `Randomness.choose`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.randomness import Words

GUIDE_BITS = 10


def shuffled(words: Words) -> npt.NDArray[np.int32]:
    """The numbers of the words in an order that the low halves of the words decide."""
    return np.asarray(_shuffle(words))


def pick_views(words: Words, cumulative: Sequence[int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Choose a view for each word; returns the words' numbers sorted by view, and where each view begins (and the last
    ends). Within a view they are shuffled by the low halves of the words: the order of the input may tell something."""
    thresholds = np.array(cumulative[:-1], dtype=np.uint64)
    corners = np.arange(1 << GUIDE_BITS, dtype=np.uint64) << np.uint64(64 - GUIDE_BITS)
    guide = np.searchsorted(thresholds, corners, side="right").astype(np.int64)
    starts = np.zeros(len(cumulative) + 1, dtype=np.int64)
    order = np.empty(len(words), dtype=np.int32)
    _pick(words, thresholds, guide, starts, order, np.empty(len(words), dtype=np.uint16))
    return order, starts


@njit("i4[::1](Array(u8, 1, 'C', readonly=True))", nogil=True, cache=True)
def _shuffle(words):  # type: ignore[no-untyped-def]
    order = np.arange(len(words)).astype(np.int32)
    for i in range(len(words) - 1, 0, -1):
        j = ((words[i] & np.uint64(0xFFFFFFFF)) * np.uint64(i + 1)) >> np.uint64(32)
        order[i], order[j] = order[j], order[i]
    return order


@njit(
    "void(Array(u8, 1, 'C', readonly=True), u8[::1], i8[::1], i8[::1], i4[::1], u2[::1])",
    nogil=True,
    cache=True,
)
def _pick(words, thresholds, guide, starts, order, views):  # type: ignore[no-untyped-def]
    for i in range(len(words)):
        view = guide[words[i] >> np.uint64(64 - GUIDE_BITS)]
        while view < len(thresholds) and words[i] >= thresholds[view]:
            view += 1
        views[i] = view
        starts[view + 1] += 1
    for view in range(1, len(starts)):
        starts[view] += starts[view - 1]
    mixed = _shuffle(words)
    place = starts[:-1].copy()
    for i in mixed:
        order[place[views[i]]] = i
        place[views[i]] += 1


def add_digit(
    cells: npt.NDArray[Any],
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.int32],
    blocks: int,
    size: int,
) -> None:
    """Append one attribute to the numbers of cells, in place: cell * blocks + code // size. The slow twin is `Space.cell`."""
    kernel = _add_digit if cells.dtype == np.uint32 else _add_digit_far
    kernel(cells, np.ascontiguousarray(column, dtype=np.uint32), rows, blocks, size)


@njit(
    "void(u4[::1], Array(u4, 1, 'C', readonly=True), Array(i4, 1, 'C', readonly=True), u8, u8)",
    nogil=True,
    cache=True,
)
def _add_digit(cells, column, rows, blocks, size):  # type: ignore[no-untyped-def]
    reciprocal = (np.uint64(1 << 42) + size - np.uint64(1)) // size  # exact for codes and sizes below 2^21
    for i in range(len(cells)):
        block = (np.uint64(column[rows[i]]) * reciprocal) >> np.uint64(42)
        cells[i] = np.uint32(np.uint64(cells[i]) * blocks + block)


@njit(
    "void(u8[::1], Array(u4, 1, 'C', readonly=True), Array(i4, 1, 'C', readonly=True), u8, u8)",
    nogil=True,
    cache=True,
)
def _add_digit_far(cells, column, rows, blocks, size):  # type: ignore[no-untyped-def]
    """For more than 2^32 cells."""
    for i in range(len(cells)):
        cells[i] = cells[i] * blocks + np.uint64(column[rows[i]]) // size
