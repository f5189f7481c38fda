"""OLH in bulk: encoding, and for every cell the number of reports whose hash of it equals their value.

The slow twins are `OLH.encode` and `OLH.supports`. Counting never computes a hash. Value y stands for the hashes from
lo = ceil(y 2^32 / g) up to hi = ceil((y+1) 2^32 / g), so with start = b - lo and size = hi - lo, all modulo 2^32,

    H(x) = y    if and only if    (a x + start) mod 2^32 < size,

and the left side grows by a from cell to cell: one addition and one comparison. Both sides are moved by half of the
range to compare as signed numbers, which processors do faster. Width 64 is the same with lo and hi shifted up by 32
bits.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.arrays import Cells
from untold.randomness import BulkRandomness

REPORTS_AT_ONCE = 1 << 17  # of encoding: two megabytes of draws
BLOCK = 1024  # reports that are counted while they stay in the first cache
WORTH_A_THREAD = 1 << 24  # report-cells


def encode_hashed(
    cells: Cells, rng: BulkRandomness, width: int, sides: int, heavy: int, light: int, bits: int = 32
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[Any], npt.NDArray[Any]]:
    """(y, a, b) for each cell. A word beyond the last full stretch (once in 2^64) makes its batch draw again.

    More than one batch: each draws from a spawned source of its own, on a thread per core, so that the result does not
    depend on how many threads there are.
    """
    numbers = np.ascontiguousarray(cells, dtype=np.uint32 if bits == 32 else np.uint64)
    kind = np.uint32 if width == 32 else np.uint64
    y, a, b = np.empty(len(numbers), np.uint32), np.empty(len(numbers), kind), np.empty(len(numbers), kind)
    kernel, draws = (_encode_narrow, 2) if width == 32 else (_encode_wide, 3) if bits == 32 else (_encode_far, 3)
    numbered = (sides, heavy, light) if bits == 32 else (sides, heavy, light, bits)

    def encode(first: int, source: BulkRandomness) -> None:
        part = slice(first, first + REPORTS_AT_ONCE)
        shape = (len(numbers[part]), draws)
        while not kernel(numbers[part], source.words(shape), y[part], a[part], b[part], *numbered):
            pass

    firsts = range(0, len(numbers), REPORTS_AT_ONCE)
    if len(firsts) <= 1:
        encode(0, rng)
    else:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(encode, firsts, [rng.spawn() for _ in firsts]))
    return y, a, b


def count_hashed(
    y: npt.NDArray[Any], a: npt.NDArray[Any], b: npt.NDArray[Any], width: int, sides: int, size: int
) -> npt.NDArray[np.int64]:
    """For each of `size` cells, how many reports support it; large jobs run on one thread per core, over reports."""
    kind = np.uint32 if width == 32 else np.uint64
    kernel = _count_narrow if width == 32 else _count_wide
    seeds, shifts = np.ascontiguousarray(a, kind), np.ascontiguousarray(b, kind)
    values = np.ascontiguousarray(y, np.uint32)

    def count(part: slice) -> npt.NDArray[np.int64]:
        counts = np.zeros(size, dtype=np.int64)
        kernel(values[part], seeds[part], shifts[part], sides, counts)
        return counts

    threads = max(1, min(os.cpu_count() or 1, len(values) * size // WORTH_A_THREAD, len(values) // BLOCK))
    if threads == 1:
        return count(slice(None))
    edges = [len(values) * t // threads for t in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        return np.asarray(np.sum(list(pool.map(count, map(slice, edges[:-1], edges[1:]))), axis=0))


@njit("u8(u8, u8, u8)", nogil=True, cache=True)
def _offset(word, heavy, light):  # type: ignore[no-untyped-def]
    """0 for words below heavy, then one more for each `light`.

    No branch, and a guess put right in place of a slow division; the guess is off by at most one.
    """
    lie = np.uint64(word >= heavy)
    rest = (word - heavy) * lie
    quotient = np.uint64(np.int64(np.float64(np.int64(rest >> np.uint64(1))) * (2.0 / np.float64(light))))
    quotient -= np.uint64(quotient * light > rest)
    quotient += np.uint64((quotient + np.uint64(1)) * light <= rest)
    return lie * (np.uint64(1) + quotient)


@njit("b1(u4[::1], Array(u8, 2, 'C', readonly=True), u4[::1], u4[::1], u4[::1], u8, u8, u8)", nogil=True, cache=True)
def _encode_narrow(cells, words, y, a, b, sides, heavy, light):  # type: ignore[no-untyped-def]
    usable = heavy + light * (sides - np.uint64(1))
    accepted = True
    for i in range(len(cells)):
        seed, word = words[i, 0], words[i, 1]
        accepted &= word < usable
        a[i], b[i] = np.uint32(seed & np.uint64(0xFFFFFFFF)), np.uint32(seed >> np.uint64(32))
        h = (np.uint64(a[i]) * np.uint64(cells[i]) + np.uint64(b[i])) & np.uint64(0xFFFFFFFF)
        value = ((h * sides) >> np.uint64(32)) + _offset(word, heavy, light)
        y[i] = np.uint32(value - sides if value >= sides else value)
    return accepted


@njit("b1(u4[::1], Array(u8, 2, 'C', readonly=True), u4[::1], u8[::1], u8[::1], u8, u8, u8)", nogil=True, cache=True)
def _encode_wide(cells, words, y, a, b, sides, heavy, light):  # type: ignore[no-untyped-def]
    usable = heavy + light * (sides - np.uint64(1))
    accepted = True
    for i in range(len(cells)):
        word = words[i, 2]
        accepted &= word < usable
        a[i], b[i] = words[i, 0], words[i, 1]
        h = (a[i] * np.uint64(cells[i]) + b[i]) >> np.uint64(32)
        value = ((h * sides) >> np.uint64(32)) + _offset(word, heavy, light)
        y[i] = np.uint32(value - sides if value >= sides else value)
    return accepted


@njit(
    "b1(u8[::1], Array(u8, 2, 'C', readonly=True), u4[::1], u8[::1], u8[::1], u8, u8, u8, u8)", nogil=True, cache=True
)
def _encode_far(cells, words, y, a, b, sides, heavy, light, bits):  # type: ignore[no-untyped-def]
    """More than 2^32 cells: fewer bits of the hash."""
    usable = heavy + light * (sides - np.uint64(1))
    accepted = True
    for i in range(len(cells)):
        word = words[i, 2]
        accepted &= word < usable
        a[i], b[i] = words[i, 0], words[i, 1]
        h = (a[i] * cells[i] + b[i]) >> (np.uint64(64) - bits)
        value = ((h * sides) >> bits) + _offset(word, heavy, light)
        y[i] = np.uint32(value - sides if value >= sides else value)
    return accepted


@njit("u8[::1](u8)", nogil=True, cache=True)
def _edges(sides):  # type: ignore[no-untyped-def]
    """ceil(y 2^32 / g), the first hash of bucket y, for y = 0..g."""
    edges = np.empty(sides + np.uint64(1), dtype=np.uint64)
    for y in range(len(edges)):
        edges[y] = ((np.uint64(y) << np.uint64(32)) + sides - np.uint64(1)) // sides
    return edges


@njit("void(u4[::1], u4[::1], u4[::1], u8, i8[::1])", nogil=True, cache=True)
def _count_narrow(y, a, b, sides, counts):  # type: ignore[no-untyped-def]
    half, edges = np.uint64(1 << 31), _edges(sides)
    step, start, size = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    for first in range(0, len(y), BLOCK):
        n = min(BLOCK, len(y) - first)
        for i in range(n):
            lo, hi = edges[y[first + i]], edges[y[first + i] + 1]
            step[i] = np.int32(a[first + i])
            start[i] = np.int32(np.uint64(b[first + i]) - lo + half)
            size[i] = np.int32(hi - lo - half)
        cell = 0
        while cell + 8 <= len(counts):
            c0 = c1 = c2 = c3 = c4 = c5 = c6 = c7 = np.int32(0)
            for i in range(n):
                s, m = step[i], size[i]
                v = np.int32(np.int32(s * np.int32(cell)) + start[i])
                c0 = np.int32(c0 + np.int32(v < m))
                v = np.int32(v + s)
                c1 = np.int32(c1 + np.int32(v < m))
                v = np.int32(v + s)
                c2 = np.int32(c2 + np.int32(v < m))
                v = np.int32(v + s)
                c3 = np.int32(c3 + np.int32(v < m))
                v = np.int32(v + s)
                c4 = np.int32(c4 + np.int32(v < m))
                v = np.int32(v + s)
                c5 = np.int32(c5 + np.int32(v < m))
                v = np.int32(v + s)
                c6 = np.int32(c6 + np.int32(v < m))
                v = np.int32(v + s)
                c7 = np.int32(c7 + np.int32(v < m))
            for j, c in enumerate((c0, c1, c2, c3, c4, c5, c6, c7)):
                counts[cell + j] += c
            cell += 8
        while cell < len(counts):
            c0 = np.int32(0)
            for i in range(n):
                v = np.int32(np.int32(step[i] * np.int32(cell)) + start[i])
                c0 = np.int32(c0 + np.int32(v < size[i]))
            counts[cell] += c0
            cell += 1


@njit("void(u4[::1], u8[::1], u8[::1], u8, i8[::1])", nogil=True, cache=True)
def _count_wide(y, a, b, sides, counts):  # type: ignore[no-untyped-def]
    half, edges = np.uint64(1 << 63), _edges(sides)
    step, start, size = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for first in range(0, len(y), BLOCK):
        n = min(BLOCK, len(y) - first)
        for i in range(n):
            lo, hi = edges[y[first + i]], edges[y[first + i] + 1]
            step[i] = np.int64(a[first + i])
            start[i] = np.int64(b[first + i] - (lo << np.uint64(32)) + half)
            size[i] = np.int64(((hi - lo) << np.uint64(32)) - half)
        cell = 0
        while cell + 4 <= len(counts):
            c0 = c1 = c2 = c3 = 0
            for i in range(n):
                s, m = step[i], size[i]
                v = s * cell + start[i]
                c0 += v < m
                v += s
                c1 += v < m
                v += s
                c2 += v < m
                v += s
                c3 += v < m
            for j, c in enumerate((c0, c1, c2, c3)):
                counts[cell + j] += c
            cell += 4
        while cell < len(counts):
            c0 = 0
            for i in range(n):
                c0 += step[i] * cell + start[i] < size[i]
            counts[cell] += c0
            cell += 1
