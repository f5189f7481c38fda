"""The columns of a log-density: main effects of every attribute, and what attributes do together.

An attribute with an order has cosines, sqrt 2 cos(pi k (i + 1/2) / m): slow waves first. One without has orthonormal contrasts of
its values. Both have mean 0 and mean square 1 over the values. What two or three attributes do together are products of these.

The strengths of an effect's columns are v = sum over p of tau_p d_p: tau is found by evidence, the spectra d say how fast waves
die out. Smooth (k^-4), rough (k^-2) and white (all alike); for two orders together also (k^2 + l^2)^-1.5. A list has no order, so
its columns are all alike, each with a share 1 / (m - 1) of the strength.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from untold.kernels.arrays import Floats

MAX_COLUMNS = 600
MAX_WAVES = 128  # of one attribute by itself
# Of each attribute with an order, by how many act together, in a table of two attributes and in a larger one.
MAX_WAVES_TOGETHER, MAX_WAVES_AMONG_MORE = {2: 8, 3: 4}, {2: 6, 3: 4}


@dataclass(frozen=True)
class Effect:
    """Columns that share their strengths.

    axes      which attributes act, as places in the table
    waves     how many columns of each of them
    spectra   one row for each strength: how it is spread over the columns
    start     the strengths before anything is known
    """

    axes: tuple[int, ...]
    waves: tuple[int, ...]
    spectra: Floats
    start: Floats

    @property
    def columns(self) -> int:
        """How many."""
        return int(np.prod(self.waves))


@lru_cache(maxsize=256)
def waves_of(size: int, ordered: bool) -> Floats:
    """Columns of one attribute, (values, columns): mean 0, mean square 1, orthogonal.

    >>> waves_of(3, ordered=True).round(2).tolist()
    [[1.22, 0.71], [0.0, -1.41], [-1.22, 0.71]]
    """
    if ordered:
        k = np.arange(1, min(size, MAX_WAVES + 1))
        return np.asarray(np.sqrt(2) * np.cos(np.pi * (np.arange(size)[:, None] + 0.5) * k / size))
    rank = np.arange(1, size)
    helmert = np.tril(np.ones((size - 1, size)), 0)
    helmert[np.arange(size - 1), np.arange(1, size)] = -rank
    return np.asarray((helmert / np.sqrt(rank * (rank + 1.0))[:, None]).T * np.sqrt(size))


@lru_cache(maxsize=256)
def effects_of(sizes: tuple[int, ...], ordered: tuple[bool, ...]) -> tuple[Effect, ...]:
    """All effects of a table, main ones first. An attribute of one value has none. What three attributes do together is left
    out where its columns are too many."""
    alive = [i for i, size in enumerate(sizes) if size > 1]
    found: list[Effect] = []
    limits = MAX_WAVES_TOGETHER if len(alive) < 3 else MAX_WAVES_AMONG_MORE
    for together in range(1, min(len(alive), 3) + 1):
        most = limits.get(together, MAX_WAVES)
        own = []
        for axes in combinations(alive, together):
            waves = tuple(min(sizes[i] - 1, most) if ordered[i] else sizes[i] - 1 for i in axes)
            own.append(_effect(axes, waves, tuple(ordered[i] for i in axes)))
        if together < 3 or sum(effect.columns for effect in [*found, *own]) <= MAX_COLUMNS:
            found += own
    return tuple(found)


def _effect(axes: tuple[int, ...], waves: tuple[int, ...], ordered: tuple[bool, ...]) -> Effect:
    grid = np.meshgrid(*(np.arange(1.0, n + 1) for n in waves), indexing="ij")
    k = [np.where(order, wave, 1.0).ravel() for wave, order in zip(grid, ordered, strict=True)]
    lists = float(np.prod([1.0 / n for n, order in zip(waves, ordered, strict=True) if not order]))
    if not any(ordered):
        return Effect(axes, waves, np.full((1, k[0].size), lists), np.ones(1))
    product = np.prod(k, axis=0)
    white = np.full(product.shape, 1.0 / np.prod([n for n, order in zip(waves, ordered, strict=True) if order]))
    spectra, start = [product**-4.0, product**-2.0], [10.0, 1.0]
    if sum(ordered) == 2:
        own = [each for each, order in zip(k, ordered, strict=True) if order]
        spectra.append((own[0] ** 2 + own[1] ** 2) ** -1.5)
        start.append(0.1)
    return Effect(axes, waves, np.stack([*spectra, white]) * lists, np.array([*start, 0.1]))
