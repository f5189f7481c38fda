"""Cells of many texts at once. The slow twin is plan/schema/text: `TextCell.of`, one text at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Bytes = npt.NDArray[np.uint8]


def cells_of_texts(
    data: Bytes,
    starts: npt.NDArray[np.int64],
    letters: tuple[Bytes, npt.NDArray[np.uint32], Bytes, Bytes],
    bits: int,
    cells: int,
    key: tuple[int, int],
) -> npt.NDArray[np.uint32]:
    """The cells of texts that lie one after the other in a buffer.

    starts   where each begins, and the last ends
    letters  bits and code words of symbols by case, the symbol of each byte, and the case that follows it
    bits     of the prefix that is looked at; 0: the whole text
    """
    out = np.empty(len(starts) - 1, dtype=np.uint32)
    _cells(data, starts, *letters, bits, cells, np.uint64(key[0]), np.uint64(key[1]), out)
    return out


def cells_of_prefixes(
    prefixes: npt.NDArray[np.uint64], cells: int, key: tuple[int, int], bits: int
) -> npt.NDArray[np.uint32]:
    """The hashed cells of prefixes of so many bits, each in words of 64 with its first bit the highest: (n, words)."""
    out = np.empty(len(prefixes), dtype=np.uint32)
    rows = np.ascontiguousarray(prefixes).astype(">u8").view(np.uint8).reshape(len(prefixes), -1)
    _hashed_rows(np.ascontiguousarray(rows), -(-bits // 8), cells, np.uint64(key[0]), np.uint64(key[1]), out)
    return out


@njit("u8(u8, u8)", nogil=True, cache=True, inline="always")
def _rotl(x, b):  # type: ignore[no-untyped-def]
    return (x << b) | (x >> (np.uint64(64) - b))


@njit("u4(Array(u1, 1, 'C', readonly=True), i8, i8, u8, u8, u8)", nogil=True, cache=True)
def _hashed(data, start, size, cells, k0, k1):  # type: ignore[no-untyped-def]
    v0 = k0 ^ np.uint64(0x736F6D6570736575)
    v1 = k1 ^ np.uint64(0x646F72616E646F6D)
    v2 = k0 ^ np.uint64(0x6C7967656E657261)
    v3 = k1 ^ np.uint64(0x7465646279746573)
    full = size >> 3
    for i in range(full + 2):
        m = np.uint64(0)
        rounds = 2
        if i < full:
            for j in range(8):
                m |= np.uint64(data[start + 8 * i + j]) << np.uint64(8 * j)
        elif i == full:
            m = np.uint64(size & 255) << np.uint64(56)
            for j in range(size & 7):
                m |= np.uint64(data[start + 8 * full + j]) << np.uint64(8 * j)
        else:
            v2 ^= np.uint64(0xFF)
            rounds = 4
        v3 ^= m
        for _ in range(rounds):
            v0 += v1
            v1 = _rotl(v1, np.uint64(13)) ^ v0
            v0 = _rotl(v0, np.uint64(32))
            v2 += v3
            v3 = _rotl(v3, np.uint64(16)) ^ v2
            v0 += v3
            v3 = _rotl(v3, np.uint64(21)) ^ v0
            v2 += v1
            v1 = _rotl(v1, np.uint64(17)) ^ v2
            v2 = _rotl(v2, np.uint64(32))
        v0 ^= m
    h = v0 ^ v1 ^ v2 ^ v3
    low = ((h & np.uint64(0xFFFFFFFF)) * cells) >> np.uint64(32)
    return np.uint32(((h >> np.uint64(32)) * cells + low) >> np.uint64(32))


@njit("void(Array(u1, 2, 'C', readonly=True), i8, u8, u8, u8, u4[::1])", nogil=True, cache=True)
def _hashed_rows(rows, size, cells, k0, k1, out):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        out[i] = _hashed(rows[i], 0, size, cells, k0, k1)


@njit("i8(u1[::1], i8, u8, i8)", nogil=True, cache=True, inline="always")
def _put(buffer, at, word, length):  # type: ignore[no-untyped-def]
    for j in range(length):
        if at + j < 8 * len(buffer) and (word >> np.uint64(length - 1 - j)) & np.uint64(1):
            buffer[(at + j) >> 3] |= np.uint8(128 >> ((at + j) & 7))
    return at + length


CELLS = (
    "void(Array(u1, 1, 'C', readonly=True), Array(i8, 1, 'C', readonly=True), Array(u1, 2, 'C', readonly=True), "
    "Array(u4, 2, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), "
    "i8, u8, u8, u8, u4[::1])"
)


@njit(CELLS, nogil=True, cache=True)
def _cells(data, starts, lengths, words, symbols, cases, bits, cells, k0, k1, out):  # type: ignore[no-untyped-def]
    end, escape = lengths.shape[1] - 2, lengths.shape[1] - 1
    size = (bits + 7) >> 3
    buffer = np.zeros(size, dtype=np.uint8)
    plain = bits < 63 and np.uint64(1) << np.uint64(bits) <= cells
    for i in range(len(out)):
        if bits == 0:
            out[i] = _hashed(data, starts[i], starts[i + 1] - starts[i], cells, k0, k1)
            continue
        buffer[:] = 0
        at, case, place = 0, 0, starts[i]
        while place < starts[i + 1] and at < bits:
            symbol = symbols[data[place]]
            at = _put(buffer, at, np.uint64(words[case, symbol]), np.int64(lengths[case, symbol]))
            if symbol == escape:
                at = _put(buffer, at, np.uint64(data[place]), 8)
            case = int(cases[data[place]]) if len(lengths) > 1 else 0
            place += 1
        if at < bits:
            at = _put(buffer, at, np.uint64(words[case, end]), np.int64(lengths[case, end]))
        if bits & 7:
            buffer[size - 1] &= np.uint8(0xFF00 >> (bits & 7) & 0xFF)
        if plain:
            number = np.uint64(0)
            for j in range(size):
                number = number << np.uint64(8) | np.uint64(buffer[j])
            out[i] = np.uint32(number >> np.uint64(8 * size - bits))
        else:
            out[i] = _hashed(buffer, 0, size, cells, k0, k1)
