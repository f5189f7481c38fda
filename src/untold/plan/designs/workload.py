"""How much detail a workload needs of each attribute: the numbers that the default design is optimised for.

A query is a product of one factor per attribute: a range or a value of an ordinal attribute, one value of a categorical one, the
number of rows for the hidden attribute, and 1 for an attribute that it does not touch. The mean energy of a product
over independent factors is the product of the attributes' mean energies, so a workload is a table (sets of
attributes) x (bands) that never lists a query.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy import Space, Tree, energies, extend
from untold.plan.schema import Sensitive, Service

Floats = npt.NDArray[np.float64]
RANGE_SHARE = 0.9  # of the interest in an ordinal attribute; the rest is in its value: SUM and AVG


def attribute_energies(service: Service, space: Space) -> list[Floats]:
    """For each attribute of the space, the mean energy of a factor that touches it, per leaf, at every level."""
    touched = [
        _halved(a, tree) if a.halves else _ordered(tree) if a.ordered else _point(a, tree)
        for a, tree in zip(service.sensitive, space.trees, strict=False)
    ]
    return touched + [energies(tree, np.array([0.0, 1.0])) / 2 for tree in space.trees[len(touched) :]]


def _point(attribute: Sensitive, tree: Tree) -> Floats:
    """One of the m values, each as often: 1/m^2 at the root, (1 - 1/m)/m below; of values in groups, a share of that at the
    level of groups."""
    if attribute.parts > 1:
        values = [attribute.value(code) for code in range(tree.size)]
        each = [
            extend(tree, np.array([other == value for other in values], dtype=float)) for value in dict.fromkeys(values)
        ]
        return np.asarray(energies(tree, np.array(each).T).mean(axis=1) / tree.padded)
    return np.array([1 / tree.size**2, (1 - 1 / tree.size) / tree.size])


def _ordered(tree: Tree) -> Floats:
    value = energies(tree, extend(tree, np.linspace(0.0, 1.0, tree.size))) / tree.padded
    return RANGE_SHARE * _range(tree) + (1 - RANGE_SHARE) * value


def _halved(attribute: Sensitive, tree: Tree) -> Floats:
    """Ranges of whole classes, which ask nothing of the bit inside of them; and the value, which does."""
    classes = Tree((tree.size + 1) // 2, tree.fan_outs[:-1])
    numbers = np.zeros(tree.size)
    numbers[: attribute.known] = (attribute.numbers - attribute.number(0)) / np.ptp(attribute.numbers)
    value = energies(tree, extend(tree, numbers)) / tree.padded
    if not attribute.rounded:
        value[-1] = 0.0
    return RANGE_SHARE * np.append(_range(classes), 0.0) + (1 - RANGE_SHARE) * value


def _range(tree: Tree) -> Floats:
    """Mean over all ranges [x, y] of the domain, each as likely; those that end with the domain go on over the padding.

    Values x <= y both lie in a share (x + 1)(m - y) / (m (m + 1) / 2) of the ranges, padding in as many as the last
    value; a block's squared sum adds this over its pairs.
    """
    m = tree.size
    x = np.minimum(np.arange(tree.padded, dtype=np.float64), m - 1)
    level_sums = []
    for level in range(tree.height + 1):
        size = tree.block_size(level)
        low = (x + 1).reshape(-1, size)
        before = np.cumsum(low, axis=1) - low
        pairs = (m - x).reshape(-1, size) * (2 * before + low)
        level_sums.append(float(pairs.sum()) / (m * (m + 1) / 2) / size / tree.padded)
    return np.maximum(np.diff(np.array(level_sums), prepend=0.0), 0.0)
