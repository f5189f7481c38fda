"""Perturbation by GRR and AGR in bulk: GRR is AGR with one direction and one digit.

The slow twins are `GRR.encode` and `AGR.encode`; fed the same words they give the same messages.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.arrays import Cells
from untold.randomness import BulkRandomness

SHIFT = 40  # n // g = n * ceil(2^40 / g) >> 40 for n * g < 2^40 and n / g < 2^24
TABLE = 128  # vectors of a few digits, up to this many, are multiplied by one lookup


def encode_linear(
    cells: Cells, rng: BulkRandomness, copies: int, sides: int, digits: int, heavy: int, light: int
) -> npt.NDArray[np.uint32]:
    """One message per cell.

    A word beyond the last full stretch (less than once in 2^40) makes the whole array draw again.
    """
    numbers = np.ascontiguousarray(cells, dtype=np.uint32)
    out = np.empty(len(numbers), dtype=np.uint32)
    if sides == 1:  # a single cell: nothing to say, but the draw is made as everywhere
        rng.words((len(numbers),))
        return np.zeros(len(numbers), dtype=np.uint32)
    vectors, products = directions(sides, digits), dot_products(sides, digits)
    while not _encode(numbers, rng.words((len(numbers),)), out, copies, sides, heavy, light, vectors, products):
        pass
    return out


@lru_cache(maxsize=64)
def directions(sides: int, digits: int) -> npt.NDArray[np.uint32]:
    """The vectors whose first non-zero digit is 1, as numbers in base g and in their order.

    >>> directions(3, 2).tolist()
    [1, 3, 4, 5]
    """
    vectors = np.concatenate([np.arange(sides**m, 2 * sides**m, dtype=np.uint32) for m in range(digits)])
    vectors.setflags(write=False)
    return vectors


@lru_cache(maxsize=64)
def dot_products(sides: int, digits: int) -> npt.NDArray[np.uint32]:
    """<a, b> in F_g of all pairs of vectors of a few digits; one entry, not used, where a single digit has too many values.

    >>> dot_products(2, 2).tolist()
    [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]]
    """
    chunk = 0
    while chunk < digits and sides ** (chunk + 1) <= TABLE:
        chunk += 1
    vectors = np.arange(sides**chunk, dtype=np.uint32)
    places = [vectors // np.uint32(sides**place) % np.uint32(sides) for place in range(chunk)]
    products = sum((np.multiply.outer(each, each) for each in places), np.zeros((len(vectors),) * 2, dtype=np.uint32))
    table = np.ascontiguousarray(products % np.uint32(sides))
    table.setflags(write=False)
    return table


@njit("u8(u8, u8, f8)", nogil=True, cache=True)
def _quotient(n, divisor, inverse):  # type: ignore[no-untyped-def]
    """n // divisor for quotients below 2^50: a guess that is off by at most one, put right, in place of a slow division."""
    guess = np.uint64(np.int64(np.float64(np.int64(n >> np.uint64(1))) * inverse))
    guess -= np.uint64(guess * divisor > n)
    guess += np.uint64(n - guess * divisor >= divisor)
    return guess


@njit(
    "b1(u4[::1], Array(u8, 1, 'C', readonly=True), u4[::1], u8, u8, u8, u8,"
    " Array(u4, 1, 'C', readonly=True), Array(u4, 2, 'C', readonly=True))",
    nogil=True,
    cache=True,
)
def _encode(cells, words, out, copies, sides, heavy, light, vectors, products):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    stretch = heavy + light * (sides - one)
    usable = copies * stretch
    by_stretch, by_light = 2.0 / np.float64(stretch), 2.0 / np.float64(light)
    base = np.uint64(products.shape[0])  # several digits at once are one digit of this base
    by_base = (np.uint64(1 << SHIFT) + base - one) // base
    by_sides = (np.uint64(1 << SHIFT) + sides - one) // sides
    small = base > one
    lookups, longest = 0, np.uint64(vectors[-1])
    while small and longest:
        lookups, longest = lookups + 1, longest // base
    accepted = True
    for i in range(len(cells)):
        word = words[i]
        accepted &= word < usable
        copy = min(_quotient(word, stretch, by_stretch), copies - one)
        rest = word - copy * stretch
        lie = np.uint64(rest >= heavy)  # no branch on truth or lie
        offset = lie * (one + _quotient((rest - heavy) * lie, light, by_light))
        vector, cell, total = np.uint64(vectors[copy]), np.uint64(cells[i]), offset
        for _ in range(lookups):
            above, higher = (vector * by_base) >> np.uint64(SHIFT), (cell * by_base) >> np.uint64(SHIFT)
            total += np.uint64(products[vector - above * base, cell - higher * base])
            vector, cell = above, higher
        while vector:  # left over only if there is no table
            total += (vector % sides) * (cell % sides)
            vector, cell = vector // sides, cell // sides
        above = (total * by_sides) >> np.uint64(SHIFT) if small else total // sides
        out[i] = np.uint32(copy * sides + total - above * sides)
    return accepted
