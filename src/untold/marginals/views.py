"""A view's noisy table of counts over some attributes, and how noisy it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from untold.decoded.contrasts import Floats, forward
from untold.designs import Design
from untold.hierarchy import Tree
from untold.oracles import FiniteOracle, Oracle


@dataclass(frozen=True, eq=False)
class ViewTable:
    """Estimated shares of the users in the cells of one view, and the counts behind them.

    attributes   those below their root, in order; columns of a design that are no attributes are summed out
    axes         places of these attributes among all axes of the view's cells, `shape`
    supports     for each cell, the number of messages that support it
    counts       of each message; None where messages cannot be listed
    """

    attributes: tuple[int, ...]
    trees: tuple[Tree, ...]
    levels: tuple[int, ...]
    oracle: Oracle
    reports: int
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    supports: Floats
    counts: Floats | None

    @property
    def table(self) -> Floats:
        """Unbiased shares of the users of this view, over its attributes."""
        shares = self.oracle.unbias(self.supports, self.reports) / self.reports
        return self.collapse(shares, self.attributes)

    def collapse(self, cells: Floats, attributes: Sequence[int]) -> Floats:
        """Sum a function of cells over all axes but those of these attributes."""
        kept = {axis for attribute, axis in zip(self.attributes, self.axes) if attribute in attributes}
        return np.asarray(cells.reshape(self.shape).sum(axis=tuple(i for i in range(len(self.shape)) if i not in kept)))

    def cells(self, attributes: Sequence[int]) -> int:
        """How many cells are left once all but some of its attributes are summed out."""
        return prod(self.shape[axis] for a, axis in zip(self.attributes, self.axes) if a in attributes)

    def levels_of(self, attributes: Sequence[int]) -> list[int]:
        """The levels at which it holds some of its attributes."""
        return [level for a, level in zip(self.attributes, self.levels) if a in attributes]

    def shares(self, attributes: Sequence[int]) -> Floats:
        """A rough, non-negative estimate from this view alone."""
        found = np.clip(self.collapse(self.oracle.unbias(self.supports, self.reports), attributes), 0.0, None)
        return np.asarray(found / max(found.sum(), 1e-12))

    @cached_property
    def coefficients(self) -> Floats:
        """The table as contrasts."""
        return forward(self.table, self.trees, self.levels)

    @property
    def precision(self) -> float:
        """n / (v k): the inverse of the variance of a sum of cells, up to a factor that all views share."""
        return self.reports / (self.oracle.noise * self.oracle.domain_size)


def view_tables(design: Design, counts: npt.NDArray[np.int64]) -> list[ViewTable]:
    """One table for each view that somebody has reported about, from the counts of all messages of a design."""
    tables = []
    for number, view in enumerate(design.views):
        own = counts[view.offset : view.offset + view.oracle.indexes].astype(np.float64)
        if view.oracle.domain_size > 1 and own.any():
            assert isinstance(view.oracle, FiniteOracle)
            tables.append(view_table(design, number, int(own.sum()), view.oracle.supports_from_counts(own), own))
    return tables


def view_table(design: Design, number: int, reports: int, supports: Floats, counts: Floats | None) -> ViewTable:
    """The table of one view."""
    view = design.views[number]
    active = [i for i, level in enumerate(view.levels) if level]
    own = [i for i in active if i < design.attributes]
    return ViewTable(
        tuple(own),
        tuple(design.space.trees[i] for i in own),
        tuple(view.levels[i] for i in own),
        view.oracle,
        reports,
        tuple(design.space.trees[i].blocks(view.levels[i]) for i in active),
        tuple(active.index(i) for i in own),
        supports,
        counts,
    )
