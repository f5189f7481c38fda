"""The columns of a log-density: main effects of every attribute, and what attributes do together.

An attribute with an order has cosines, sqrt 2 cos(pi k (i + 1/2) / m): slow waves first. One without has orthonormal contrasts of
its values. Both have mean 0 and mean square 1 over the values. What two or three attributes do together are products of these.
Beside the waves stand powers of the values, made orthogonal: a bell is a square, and correlation a product of two lines, for which
many waves would be needed.

The strengths of an effect's columns are v = sum over p of tau_p d_p: tau is found by evidence, the spectra d say how fast waves
die out. Smooth (k^-6 for one attribute, k^-4 for several), rough (k^-2) and white (all alike); for two orders together also
(k^2 + l^2)^-1.5. Powers are all alike. A list has no order, so its columns are all alike, each with a share 1 / (m - 1) of the
strength.
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

# The highest power of a value, by how many attributes act together.
MAX_POWERS = {1: 4, 2: 2, 3: 1}
# Strengths that are usual, by how many attributes act together, and where one of them is a list.
EXPECTED, UNORDERED = {1: 1.0, 2: 0.05, 3: 0.005}, 0.3


@dataclass(frozen=True)
class Effect:
    """Columns that share their strengths.

    axes      which attributes act, as places in the table
    powers    of their values, not waves
    waves     how many columns of each of them
    spectra   one row for each strength: how it is spread over the columns
    start     the strengths before anything is known
    expected  what strengths are usual: the more attributes act together, the less they do
    """

    axes: tuple[int, ...]
    powers: bool
    waves: tuple[int, ...]
    spectra: Floats
    start: Floats
    expected: float

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
def powers_of(size: int) -> Floats:
    """Powers of the values of an attribute with an order, (values, columns): mean 0, mean square 1, orthogonal.

    Few values have fewer of them.

    >>> powers_of(5).round(2).tolist()
    [[-1.41, 1.2], [-0.71, -0.6], [0.0, -1.2], [0.71, -0.6], [1.41, 1.2]]
    """
    count = min(max(MAX_POWERS.values()), (size - 1) // 2)
    values = 2 * (np.arange(size) + 0.5) / size - 1
    made, upper = np.linalg.qr(values[:, None] ** np.arange(count + 1))
    return np.asarray((made * np.sign(np.diag(upper)))[:, 1:] * np.sqrt(size))


@lru_cache(maxsize=256)
def effects_of(sizes: tuple[int, ...], ordered: tuple[bool, ...]) -> tuple[Effect, ...]:
    """All effects of a table, main ones first. An attribute of one value has none. What three attributes do together is left
    out where its columns are too many."""
    alive = [i for i, size in enumerate(sizes) if size > 1]
    found: list[Effect] = []
    limits = MAX_WAVES_TOGETHER if len(alive) < 3 else MAX_WAVES_AMONG_MORE
    for together in range(1, min(len(alive), 3) + 1):
        most, own = limits.get(together, MAX_WAVES), list[Effect]()
        for axes in combinations(alive, together):
            orders = tuple(ordered[i] for i in axes)
            waves = tuple(min(sizes[i] - 1, most) if ordered[i] else sizes[i] - 1 for i in axes)
            powers = tuple(
                min((n - 1) // 2, MAX_POWERS[together]) if ordered[i] else n - 1 for i in axes for n in [sizes[i]]
            )
            if any(orders) and min(powers) > 0:
                own.append(_powers(axes, powers, orders))
            own.append(_waves(axes, waves, orders))
        if together < 3 or sum(effect.columns for effect in [*found, *own]) <= MAX_COLUMNS:
            found += own
    return tuple(found)


def _powers(axes: tuple[int, ...], powers: tuple[int, ...], ordered: tuple[bool, ...]) -> Effect:
    count = int(np.prod(powers))
    expected = _expected(ordered)
    start = np.array([10.0 * expected])
    return Effect(axes, True, powers, np.full((1, count), _share_of_lists(powers, ordered)), start, expected)


def _expected(ordered: tuple[bool, ...]) -> float:
    return EXPECTED[len(ordered)] * (UNORDERED if len(ordered) > 1 and not all(ordered) else 1.0)


def _share_of_lists(columns: tuple[int, ...], ordered: tuple[bool, ...]) -> float:
    return float(np.prod([1.0 / n for n, order in zip(columns, ordered, strict=True) if not order]))


def _waves(axes: tuple[int, ...], waves: tuple[int, ...], ordered: tuple[bool, ...]) -> Effect:
    grid = np.meshgrid(*(np.arange(1.0, n + 1) for n in waves), indexing="ij")
    k = [np.where(order, wave, 1.0).ravel() for wave, order in zip(grid, ordered, strict=True)]
    lists = _share_of_lists(waves, ordered)
    expected = _expected(ordered)
    if not any(ordered):
        return Effect(axes, False, waves, np.full((1, k[0].size), lists), np.array([expected]), expected)
    product = np.prod(k, axis=0)
    white = np.full(product.shape, 1.0 / np.prod([n for n, order in zip(waves, ordered, strict=True) if order]))
    smooth = product**-6.0 if len(axes) == 1 else product**-4.0
    spectra, start = [smooth, product**-2.0], [10.0, 1.0]
    if sum(ordered) == 2:
        own = [each for each, order in zip(k, ordered, strict=True) if order]
        spectra.append((own[0] ** 2 + own[1] ** 2) ** -1.5)
        start.append(0.1)
    return Effect(axes, False, waves, np.stack([*spectra, white]) * lists, expected * np.array([*start, 0.1]), expected)
