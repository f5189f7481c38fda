"""The best linear combination of overlapping views for marginals: shares of the users who did report about each.

Tables put together from the averages of contrasts agree wherever they overlap, and add up to one: what section 4.4 of
CALM does set by set, in topological order, and all at once. See decoded/combined.py, on which SQL answers stand, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.combined import Combined, Set, per_contrast, subsets
from untold.ask.decoded.contrasts import Floats, inverse
from untold.ask.decoded.views import Views, ViewTable
from untold.plan.hierarchy import Tree

WEIGHTS = ("blue", "published")  # least variance; CALM, section 4.4


class Linear:
    """All that is known linearly from some views."""

    def __init__(self, views: Views, weights: str = "blue") -> None:
        self.combined = Combined(views, weights)
        self.views: tuple[ViewTable, ...] = tuple(view for view in views if view.attributes)
        self._variances: dict[object, Floats] = {}

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Of all attributes, then of other columns of the design."""
        return self.combined.trees

    @cached_property
    def _holding(self) -> dict[int, list[ViewTable]]:
        found: dict[int, list[ViewTable]] = {}
        for view in self.views:
            for attribute in view.attributes:
                found.setdefault(attribute, []).append(view)
        return found

    def weight(self, view: ViewTable) -> float:
        """Of one view."""
        return float(self.combined.precisions.weight[view.number])

    def holding(self, attributes: Set) -> list[ViewTable]:
        """The views that tell something of at least one of the attributes."""
        return list({id(view): view for a in attributes for view in self._holding.get(a, ())}.values())

    def holding_all(self, attributes: Set) -> list[ViewTable]:
        """The views that hold all of the attributes."""
        fewest = min((self._holding.get(a, []) for a in attributes), key=len)
        return [view for view in fewest if set(attributes) <= set(view.attributes)]

    def cached(self, key: object, make: Callable[[], Floats]) -> Floats:
        """A part of a variance, made once."""
        if key not in self._variances:
            self._variances[key] = make()
        return self._variances[key]

    def assembled(self, attributes: Set) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """All coefficients of the marginal over sorted attributes, and which of them are known; the total is 1."""
        return self.combined.assembled(attributes)

    def table(self, attributes: Set) -> Floats | None:
        """The unbiased marginal over sorted attributes, on all leaves; None if a contrast of it is not known."""
        coefficients, known = self.assembled(attributes)
        trees = [self.trees[a] for a in attributes]
        return inverse(coefficients, trees, [tree.height for tree in trees]) if known.all() else None

    def shares(self, view: ViewTable, attributes: Set) -> Floats:
        """The share of one view in every coefficient that it tells of the marginal over some of its attributes."""
        levels = dict(zip(view.attributes, view.levels, strict=True))
        out = np.zeros([self.trees[a].blocks(levels[a]) for a in attributes])
        for subset, place in subsets(attributes):
            box = tuple(slice(0, self.trees[a].blocks(levels[a]) - 1) for a in subset)
            weight = per_contrast(self.combined.precisions.of(subset), [self.trees[a] for a in subset])
            out[place] = self.weight(view) / weight[box]
        return out
