"""The fixed public order in which AGR numbers cells before it hashes them.

AGR's hash functions are linear, so cells that are numbered in a row would collide together: of two digits, one direction in
g + 1 does not see the last. Each pair of cells collides no more often than it should, but sums over neighbours (ranges, SUM)
would have rare large errors. So a cell is first sent to another place among all g^t vectors of digits, by a Feistel network
over the digits. With l = g^(t // 2) and h = g^(t - t // 2), a cell is the pair (high, low) = divmod(cell, l), and

    low  <- (low  + F_r(high, l)) mod l        in rounds r = 1, 3, 5, 7
    high <- (high + F_r(low, h)) mod h         in rounds r = 2, 4, 6, 8
    F_r(x, m) = floor(floor(mix(x + K_r) / 2^8) * m / 2^24)

mix is the finalizer of MurmurHash3 on words of 32 bits, K_r are the first binary digits of pi. Every round can be undone, so
no two cells meet, and every cell takes the same steps. The order is public and the same for everybody: privacy does not depend
on it. A single digit has nothing to collide with and stays. Two rounds are not enough; from four on an order drawn at random
is no better, except in the smallest fields, where more rounds help (docs/accuracy.md).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

ROUND_KEYS = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89)
WORD_MASK = 0xFFFFFFFF


def place_of_cell(cell: Any, g: int, t: int) -> Any:
    """The number of the vector of t base-g digits that stands for a cell: an integer, or an array of unsigned 64-bit ones.

    >>> [place_of_cell(cell, 3, 2) for cell in range(9)]
    [0, 1, 6, 2, 4, 5, 3, 7, 8]
    """
    if t == 1:
        return cell
    below, above = g ** (t // 2), g ** (t - t // 2)
    high, low = cell // below, cell % below
    for number, key in enumerate(ROUND_KEYS):
        if number % 2 == 0:
            low = (low + _round(high, key, below)) % below
        else:
            high = (high + _round(low, key, above)) % above
    return high * below + low


def _round(x: Any, key: int, size: int) -> Any:
    """F_r(x, m): a number below m that looks as if it were drawn."""
    x = (x + key) & WORD_MASK
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & WORD_MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & WORD_MASK
    return ((x ^ (x >> 16)) >> 8) * size >> 24


@lru_cache(maxsize=64)
def places_of_cells(cells: int, g: int, t: int) -> npt.NDArray[np.uint32]:
    """The places of the first so many cells: what a server, which sees them all, looks up."""
    places: npt.NDArray[np.uint32] = place_of_cell(np.arange(cells, dtype=np.uint64), g, t).astype(np.uint32)
    places.setflags(write=False)
    return places
