"""The best linear combination of overlapping views, coefficient by coefficient.

Every view that holds the attributes S (at the level of a coefficient, or finer) gives an unbiased estimate of each
contrast of the marginal over S. They are averaged with weights

    blue         n_l / (v_l k_l)     the inverse of their variances: n_l reports of noise v_l, summed over k_l cells
    published    1 / k_l             CALM, section 4.4, where all views are taken to have the same noise and users

This is what section 4.4 does set by set, in topological order, and all at once: a step for S changes nothing but the
contrasts of S itself. Tables put together from the averages agree wherever they overlap, and add up to one. The
weights use the users who did report about a view, not those expected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from untold.decoded.contrasts import Floats, inverse
from untold.hierarchy import Tree
from untold.marginals.views import ViewTable

WEIGHTS: dict[str, Callable[[ViewTable], float]] = {
    "blue": lambda view: view.precision,
    "published": lambda view: 1 / view.oracle.domain_size,
}


@dataclass(frozen=True, eq=False)
class Averaged:
    """The contrasts of one set S: their weighted means, and the sum of the weights (0: no view tells)."""

    mean: Floats
    weight: Floats


@dataclass(eq=False)
class Linear:
    """All that is known linearly from some views."""

    trees: tuple[Tree, ...]  # of all attributes
    views: Sequence[ViewTable]
    weights: str = "blue"
    _averaged: dict[tuple[int, ...], Averaged] = field(default_factory=dict)
    _holding: dict[int, list[ViewTable]] = field(default_factory=dict)
    _variances: dict[object, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view in self.views:
            for attribute in view.attributes:
                self._holding.setdefault(attribute, []).append(view)

    def weight(self, view: ViewTable) -> float:
        """Of one view."""
        return WEIGHTS[self.weights](view)

    def holding(self, attributes: tuple[int, ...]) -> list[ViewTable]:
        """The views that tell something of at least one of the attributes."""
        return list({id(view): view for a in attributes for view in self._holding.get(a, ())}.values())

    def holding_all(self, attributes: tuple[int, ...]) -> list[ViewTable]:
        """The views that hold all of the attributes."""
        fewest = min((self._holding.get(a, []) for a in attributes), key=len)
        return [view for view in fewest if set(attributes) <= set(view.attributes)]

    def cached(self, key: object, make: Callable[[], Floats]) -> Floats:
        """A part of a variance, made once."""
        if key not in self._variances:
            self._variances[key] = make()
        return self._variances[key]

    def averaged(self, attributes: tuple[int, ...]) -> Averaged:
        """The contrasts of a set of attributes, all of them below their roots; made once."""
        if attributes not in self._averaged:
            shape = tuple(self.trees[a].padded - 1 for a in attributes)
            total, weight = np.zeros(shape), np.zeros(shape)
            for view in self.holding_all(attributes):
                own = view.coefficients[tuple(slice(1, None) if a in attributes else 0 for a in view.attributes)]
                box = tuple(slice(0, n) for n in own.shape)
                total[box] += self.weight(view) * own
                weight[box] += self.weight(view)
            mean = np.divide(total, weight, out=np.zeros(shape), where=weight > 0)
            self._averaged[attributes] = Averaged(mean, weight)
        return self._averaged[attributes]

    def assembled(self, attributes: tuple[int, ...]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """All coefficients of the marginal over sorted attributes, and which of them are known; the total is 1."""
        shape = tuple(self.trees[a].padded for a in attributes)
        coefficients, known = np.zeros(shape), np.zeros(shape, dtype=bool)
        coefficients[(0,) * len(shape)], known[(0,) * len(shape)] = 1.0, True
        for subset, place in _subsets(attributes):
            own = self.averaged(subset)
            coefficients[place], known[place] = own.mean, own.weight > 0
        return coefficients, known

    def table(self, attributes: tuple[int, ...]) -> Floats | None:
        """The unbiased marginal over sorted attributes, on all leaves; None if a contrast of it is not known."""
        coefficients, known = self.assembled(attributes)
        trees = [self.trees[a] for a in attributes]
        return inverse(coefficients, trees, [tree.height for tree in trees]) if known.all() else None

    def shares(self, view: ViewTable, attributes: tuple[int, ...]) -> Floats:
        """The share of one view in every coefficient that it tells of the marginal over some of its attributes."""
        levels = dict(zip(view.attributes, view.levels))
        shape = tuple(self.trees[a].blocks(levels[a]) for a in attributes)
        out = np.zeros(shape)
        for subset, place in _subsets(attributes):
            box = tuple(slice(0, self.trees[a].blocks(levels[a]) - 1) for a in subset)
            out[place] = self.weight(view) / self.averaged(subset).weight[box]
        return out


def _subsets(attributes: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[slice | int, ...]]]:
    """Every subset but the empty one, and where its contrasts are among the coefficients of all."""
    return [
        (subset, tuple(slice(1, None) if a in subset else 0 for a in attributes))
        for size in range(1, len(attributes) + 1)
        for subset in combinations(attributes, size)
    ]
