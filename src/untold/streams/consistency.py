"""Making a hierarchy of noisy sums consistent: off-line on the sums, on-line on the noise alone.

A node of height l (a leaf has height 1) covers b^(l-1) leaves. Least squares over a complete tree [CCS 2021, appendix
C]:

    up:    Z(x) = (b^l - b^(l-1))/(b^l - 1) H(x) + (b^(l-1) - 1)/(b^l - 1) sum of Z over children        (eq. 10)
    down:  C(x) = Z(x) + (1/b) (C(parent) - sum of Z over x and its siblings)                             (eq. 11)

Eq. 11 is printed as (b-1)/b Z(x) + (1/b)(C(parent) - sum over the *other* siblings): the same number.

With [l] = (b^l - 1)/(b - 1) and Y(x) = [l] Z(x), eq. 10 is Y(x) = b^(l-1) H(x) + sum of Y over children: whole numbers
for whole noise. `consistent_leaves` uses that and rounds down only where all terms of a division are shifted alike by
the true sums T: Y(x)/[l] moves by T(x) exactly, and C(parent) - sum Z does not move at all. So adding rounded,
consistent noise to a true leaf gives the very number that rounding the consistent noisy hierarchy would give, and
nothing that depends on T in any other way: the on-line release is post-processing of the noisy hierarchy, to the last
bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def repunit(branching: int, height: int) -> int:
    """[l] = 1 + b + ... + b^(l-1).

    >>> repunit(16, 3)
    273
    """
    return int(branching**height - 1) // (branching - 1)


def make_consistent(levels: Sequence[Sequence[Fraction]], branching: int) -> list[list[Fraction]]:
    """Eqs. 10 and 11 as printed, off-line, in fractions. levels[0] holds the leaves, levels[-1] the roots."""
    b, z = branching, [list(levels[0])]
    for height in range(2, len(levels) + 1):
        below, whole = z[-1], b**height - 1
        keep, lift = Fraction(b**height - b ** (height - 1), whole), Fraction(b ** (height - 1) - 1, whole)
        z.append([keep * x + lift * sum(below[b * i : b * i + b]) for i, x in enumerate(levels[height - 1])])
    out = [z[-1]]
    for mine in reversed(z[:-1]):
        above, family = out[0], [sum(mine[b * i : b * i + b]) for i in range(len(mine) // b)]
        out.insert(0, [Fraction(b - 1, b) * x + (above[i // b] - (family[i // b] - x)) / b for i, x in enumerate(mine)])
    return out


def lift(noise: Sequence[Integers], branching: int) -> list[Integers]:
    """Y of every node from the noise of every node, leaves first: Y = b^(l-1) N + sum of Y over children."""
    found = [noise[0]]
    for height, mine in enumerate(noise[1:], 2):
        found.append(branching ** (height - 1) * mine + found[-1].reshape(-1, branching).sum(axis=1))
    return found


def settle(above: Integers, lifted: Integers, branching: int, height: int, bits: int) -> Integers:
    """C of the children (of this height) from C of their parents: one step of eq. 11, in units of 2^-bits."""
    mine = floor_share(lifted, branching, height, bits)
    spread = (above - mine.reshape(-1, branching).sum(axis=1)) // branching
    return np.asarray(mine + np.repeat(spread, branching), dtype=np.int64)


def floor_share(lifted: Integers, branching: int, height: int, bits: int) -> Integers:
    """Z = Y / [l] in units of 2^-bits, rounded down."""
    return (lifted << bits) // repunit(branching, height)


def consistent_leaves(lifted: Sequence[Integers], branching: int, bits: int, roots: Integers | None = None) -> Integers:
    """Consistent leaf noise in units of 2^-bits; `roots` replaces Z of the highest level if more lies above."""
    height = len(lifted)
    settled = floor_share(lifted[-1], branching, height, bits) if roots is None else roots
    for mine in reversed(lifted[:-1]):
        height -= 1
        settled = settle(settled, mine, branching, height, bits)
    return settled


def prefix_leaves(noise: Sequence[Integers], branching: int) -> Integers:
    """Leaf noise without consistency: what each further leaf adds to the noise of "sum of the fewest nodes so far".

    A leaf that completes a node adds that node and takes its children away.
    """
    out = noise[0].copy()
    for height, (below, mine) in enumerate(pairwise(noise), 1):
        width = branching**height
        out[width - 1 :: width] += mine - below.reshape(-1, branching).sum(axis=1)
    return out
