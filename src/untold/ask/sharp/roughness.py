"""How rough a table is beside its smooth guess: what fine contrasts show above their noise.

People are no smooth density: even where it is right, a cell holds x with an error of x / N, N people drawn from it. Contrasts finer
than the waves that attributes do together are at 0 in a smooth table but for this, so that

    1 / N = sum of w^2 u ((y - H x)^2 - 1 / w) / sum of w^2 u^2,    u = (H o H) x

u is what a contrast would vary by for N = 1. One standard error is taken off, and nothing below 0 is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from untold.ask.decoded.closest import orthonormal
from untold.ask.decoded.products import contract, outer
from untold.kernels.arrays import Floats
from untold.plan.hierarchy import Tree
from untold.randomness import Seeded

COARSE = 16  # contrasts of an attribute with an order that waves may tell
DRAWS, FEW_DRAWS = 48, 12  # directions that stand for all ways in which cells may be off; of a large table
LARGE = 1 << 14


def roughness_of(
    y: Floats, w: Floats, trees: Sequence[Tree], ordered: Sequence[bool], table: Floats, is_smooth: bool = True
) -> float:
    """1 / N, as shares of people.

    is_smooth   waves tell what attributes do together; else all of that is roughness, and no standard error is taken off
    """
    places = np.meshgrid(*(np.arange(n) for n in w.shape), indexing="ij", sparse=True)
    fine = np.zeros(w.shape, dtype=bool)
    for place, order in zip(places, ordered, strict=True):
        fine |= (place >= COARSE) & order if is_smooth else place >= 0
    fine &= (sum((place > 0).astype(int) for place in places) > 1) & (w > 0)
    if not fine.any():
        return 0.0
    matrices = [orthonormal(tree) for tree in trees]
    known, apart = w[fine], (y - contract(table, matrices))[fine]
    own = contract(table, [matrix**2 for matrix in matrices])[fine]
    told = float(((known * own) ** 2).sum())
    if told == 0:
        return 0.0
    found = float((known**2 * own * (apart**2 - 1 / known)).sum()) / told
    spread = float(np.sqrt(2 / told))
    return max(0.0, found - spread if is_smooth else found)


def rough_directions(table: Floats, roughness: float) -> Floats:
    """How cells may be off, beside what single attributes are: (cells, directions).

    Signs are random, and the same ones for a shape.
    """
    draws = DRAWS if table.size <= LARGE else FEW_DRAWS
    off = np.sqrt(roughness / draws * table)[..., None] * _signs(table.shape, draws)
    off -= table[..., None] * off.sum(tuple(range(table.ndim)))
    margins = [table.sum(tuple(k for k in range(table.ndim) if k != i)) for i in range(table.ndim)]
    for i in range(table.ndim):
        own = off.sum(tuple(k for k in range(table.ndim) if k != i))
        others = outer([np.ones(1) if k == i else margins[k] for k in range(table.ndim)])
        shape = [1] * table.ndim + [own.shape[1]]
        shape[i] = own.shape[0]
        off = off - others[..., None] * own.reshape(shape)
    return np.asarray(off.reshape(table.size, -1))


@lru_cache(maxsize=16)
def _signs(shape: tuple[int, ...], draws: int) -> Floats:
    words = Seeded(len(shape)).words((*shape, draws))
    return np.where(words >> np.uint64(63), 1.0, -1.0)
