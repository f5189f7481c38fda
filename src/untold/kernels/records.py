"""Finds the records of reports in a body and checks every field, in one pass.

The layout is that of docs/wire.md. The slow twin is `untold.wire.records.decode_record`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.siphash import Bytes, Places

GOOD, BAD_SLOTS, BAD_MESSAGE, BAD_USER, BAD_PUBLIC = range(5)  # status of a record
TEXT, INTEGER, NUMBER, BOOLEAN = range(4)  # kinds of values
LONGEST_TEXT = 1000


@dataclass(frozen=True, eq=False)
class Found:
    """Where the n records of a buffer and their fields are, and whether each is good."""

    table: npt.NDArray[np.int64]  # one row per record; the columns are named below, then two for each public column

    @property
    def starts(self) -> Places:
        """Where a record begins, after its size."""
        return self.table[:, 0]

    @property
    def sizes(self) -> Places:
        """Bytes of a record, without those of its size."""
        return self.table[:, 1]

    @property
    def keys(self) -> Places:
        """Where the user key begins."""
        return self.table[:, 2]

    @property
    def key_sizes(self) -> Places:
        """Bytes of the user key."""
        return self.table[:, 3]

    @property
    def status(self) -> Places:
        """GOOD, or what is wrong."""
        return self.table[:, 4]

    def values(self, column: int) -> Places:
        """Where the values of a public column begin; -1 where there is none."""
        return self.table[:, 5 + 2 * column]

    def value_sizes(self, column: int) -> Places:
        """Bytes of the values of a public column."""
        return self.table[:, 6 + 2 * column]


def find_records(
    data: Bytes, count: int, shape: npt.NDArray[np.int64], views: npt.NDArray[np.int64], kinds: npt.NDArray[np.uint8]
) -> Found | None:
    """Walk `count` records that fill `data`; None if their sizes do not add up to it.

    shape  messages of a record; whether message i of a slot must be about view i; bytes of a seed; kind of user keys
    views  (views, 4): first message, end, bits of a seed, whether the view is ever picked
    kinds  of the public columns
    """
    table = np.empty((count, 5 + 2 * len(kinds)), dtype=np.int64)
    return Found(table) if _find(data, shape, views, kinds, table) else None


def gather(data: Bytes, places: Places, sizes: Places) -> tuple[npt.NDArray[np.int32], Bytes]:
    """Stretches of a buffer one after the other: where each begins (and the last ends), and their bytes."""
    offsets = np.zeros(len(places) + 1, dtype=np.int32)
    np.cumsum(sizes, out=offsets[1:])
    out = np.empty(int(offsets[-1]), dtype=np.uint8)
    _gather(data, np.ascontiguousarray(places), np.ascontiguousarray(sizes), offsets, out)
    return offsets, out


@njit("u8(Array(u1, 1, 'C', readonly=True), i8, i8)", nogil=True, cache=True, inline="always")
def _number(data, at, size):  # type: ignore[no-untyped-def]
    n = np.uint64(0)
    for j in range(size):
        n |= np.uint64(data[at + j]) << np.uint64(8 * j)
    return n


@njit("i8(Array(u1, 1, 'C', readonly=True), i8, i8)", nogil=True, cache=True, inline="always")
def _small(data, at, size):  # type: ignore[no-untyped-def]
    n = 0
    for j in range(size):
        n += data[at + j] << (8 * j)
    return n


@njit("b1(Array(u1, 1, 'C', readonly=True), i8, i8)", nogil=True, cache=True)
def is_utf8(data, at, size):  # type: ignore[no-untyped-def]
    """Well-formed UTF-8: no overlong form, no surrogate, nothing beyond U+10FFFF."""
    end = at + size
    while at < end:
        first = data[at]
        if first < 0x80:
            at += 1
            continue
        if 0xC2 <= first < 0xE0:
            more, low, high = 1, 0x80, 0xBF
        elif first < 0xC2 or first > 0xF4:
            return False
        elif first < 0xF0:
            more, low, high = 2, 0xA0 if first == 0xE0 else 0x80, 0x9F if first == 0xED else 0xBF
        else:
            more, low, high = 3, 0x90 if first == 0xF0 else 0x80, 0x8F if first == 0xF4 else 0xBF
        if at + more >= end or data[at + 1] < low or data[at + 1] > high:
            return False
        for j in range(2, more + 1):
            if data[at + j] < 0x80 or data[at + j] > 0xBF:
                return False
        at += more + 1
    return True


@njit("b1(Array(u1, 1, 'C', readonly=True), i8, i8, i8, Array(i8, 2, 'C', readonly=True))", nogil=True, cache=True)
def _message_fits(data, at, seed_bytes, view, views):  # type: ignore[no-untyped-def]
    message = _small(data, at, 4)
    if view < 0:
        low, high = 0, len(views)
        while high - low > 1:
            middle = (low + high) >> 1
            if views[middle, 0] <= message:
                low = middle
            else:
                high = middle
        view = low
    if message < views[view, 0] or message >= views[view, 1] or views[view, 3] == 0:
        return False
    bits = views[view, 2]
    for s in range(2):
        seed = _number(data, at + 4 + s * seed_bytes, seed_bytes) if seed_bytes else np.uint64(0)
        if bits < 64 and seed >> np.uint64(bits) != 0:
            return False
    return True


RECORD = (
    "i8(Array(u1, 1, 'C', readonly=True), i8, i8, Array(i8, 1, 'C', readonly=True), Array(i8, 2, 'C', readonly=True), "
    "Array(u1, 1, 'C', readonly=True), i8[::1])"
)


@njit(RECORD, nogil=True, cache=True)
def _record(data, at, end, shape, views, kinds, row):  # type: ignore[no-untyped-def]
    messages, split, seed_bytes, key_kind = shape[0], shape[1], shape[2], shape[3]
    width = 4 + 2 * seed_bytes
    row[0], row[1], row[2], row[3] = at, end - at, at, 0
    if at + messages * width + 1 > end:
        return BAD_SLOTS
    fits = True
    for m in range(messages):
        fits &= _message_fits(data, at + m * width, seed_bytes, m % len(views) if split else -1, views)
    at += messages * width
    size = _small(data, at, 1)
    at += 1
    row[2], row[3] = at, size
    if at + size > end or size == 0:
        row[3] = 0
        return BAD_USER
    if (key_kind == INTEGER and size != 8) or (key_kind == TEXT and not is_utf8(data, at, size)):
        return BAD_USER
    at += size
    for c in range(len(kinds)):
        row[5 + 2 * c], row[6 + 2 * c] = -1, 0
        if at + 1 > end or data[at] > 1:
            return BAD_PUBLIC
        present = data[at] == 1
        at += 1
        if not present:
            continue
        size = 8
        if kinds[c] == BOOLEAN:
            size = 1
        elif kinds[c] == TEXT:
            if at + 2 > end:
                return BAD_PUBLIC
            size = _small(data, at, 2)
            at += 2
        if at + size > end:
            return BAD_PUBLIC
        if kinds[c] == TEXT and (size > LONGEST_TEXT or not is_utf8(data, at, size)):
            return BAD_PUBLIC
        if kinds[c] == BOOLEAN and data[at] > 1:
            return BAD_PUBLIC
        if kinds[c] == NUMBER and (_number(data, at, 8) >> np.uint64(52)) & np.uint64(0x7FF) == 0x7FF:
            return BAD_PUBLIC
        row[5 + 2 * c], row[6 + 2 * c] = at, size
        at += size
    if at != end:
        return BAD_PUBLIC if len(kinds) else BAD_USER
    return GOOD if fits else BAD_MESSAGE


FIND = (
    "b1(Array(u1, 1, 'C', readonly=True), Array(i8, 1, 'C', readonly=True), Array(i8, 2, 'C', readonly=True), "
    "Array(u1, 1, 'C', readonly=True), i8[:, ::1])"
)


@njit(FIND, nogil=True, cache=True)
def _find(data, shape, views, kinds, table):  # type: ignore[no-untyped-def]
    at = 0
    for i in range(len(table)):
        if at + 4 > len(data):
            return False
        end = at + 4 + _small(data, at, 4)
        if end > len(data):
            return False
        table[i, 4] = _record(data, at + 4, end, shape, views, kinds, table[i])
        at = end
    return at == len(data)


@njit("void(Array(u1, 1, 'C', readonly=True), i8[::1], i8[::1], i4[::1], u1[::1])", nogil=True, cache=True)
def _gather(data, places, sizes, offsets, out):  # type: ignore[no-untyped-def]
    for i in range(len(places)):
        for j in range(sizes[i]):
            out[offsets[i] + j] = data[places[i] + j]
