"""How much detail a workload needs of each attribute: the numbers that the default design is optimised for.

A query is a product of one factor per attribute: a range or a value of an ordinal attribute, one value of a categorical one, the
number of rows for the hidden attribute, and 1 for an attribute that it does not touch. The mean energy of a product
over independent factors is the product of the attributes' mean energies, so a workload is a table (sets of
attributes) x (bands) that never lists a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from untold.hierarchy import Space, Tree, block_sums, energies, extend
from untold.schema import Service

Floats = npt.NDArray[np.float64]
SIZE_WEIGHT = 4.0  # queries over more attributes have the larger errors, so they are the ones that need the reports
RANGE_SHARE = 0.9  # of the interest in an ordinal attribute; the rest is in its value: SUM and AVG


def default_interests(service: Service) -> list[tuple[tuple[int, ...], float]]:
    """Every set of up to `max_active` attributes, each size with four times the weight of the size below; or what the
    plan declares."""
    names = [a.name for a in service.sensitive]
    if service.workload:
        return [(tuple(names.index(a) for a in each.attributes), each.weight) for each in service.workload]
    sizes = range(1, min(service.max_active, len(names)) + 1)
    sets = {size: list(combinations(range(len(names)), size)) for size in sizes}
    return [(each, SIZE_WEIGHT ** (size - 1) / len(sets[size])) for size in sizes for each in sets[size]]


def attribute_energies(service: Service, space: Space) -> list[Floats]:
    """For each attribute of the space, the mean energy of a factor that touches it, per leaf, at every level."""
    touched = [_ordered(tree) if a.ordered else _point(tree) for a, tree in zip(service.sensitive, space.trees)]
    return touched + [energies(tree, np.array([0.0, 1.0])) / 2 for tree in space.trees[len(touched) :]]


def band_energies(
    touched: Sequence[Floats], active: Sequence[int], hidden: bool, bands: npt.NDArray[np.int64]
) -> Floats:
    """Mean energy of queries over the attributes `active` in every band (rows of `bands`: one level per attribute)."""
    product = np.ones(len(bands))
    for i, energy in enumerate(touched):
        used = i in active or (hidden and i == len(touched) - 1)
        product *= energy[bands[:, i]] if used else bands[:, i] == 0
    return product


def _point(tree: Tree) -> Floats:
    """One of the m values, each as often: 1/m^2 at the root, (1 - 1/m)/m below."""
    return np.array([1 / tree.size**2, (1 - 1 / tree.size) / tree.size])


def _ordered(tree: Tree) -> Floats:
    value = energies(tree, extend(tree, np.linspace(0.0, 1.0, tree.size))) / tree.padded
    return RANGE_SHARE * _range(tree) + (1 - RANGE_SHARE) * value


def _range(tree: Tree) -> Floats:
    """Mean over all ranges [x, y] of the domain, each as likely.

    Leaves x <= y both lie in a share (x + 1)(m - y) / (m (m + 1) / 2) of the ranges; a block's squared sum adds this
    over its pairs.
    """
    m = tree.padded
    x = np.arange(m, dtype=np.float64)
    level_sums = []
    for level in range(tree.height + 1):
        size = tree.block_size(level)
        low = (x + 1).reshape(-1, size)
        before = np.cumsum(low, axis=1) - low
        pairs = (m - x).reshape(-1, size) * (2 * before + low)
        level_sums.append(float(block_sums(tree, pairs.reshape(-1), 0)[0]) / (m * (m + 1) / 2) / size / m)
    return np.maximum(np.diff(np.array(level_sums), prepend=0.0), 0.0)
