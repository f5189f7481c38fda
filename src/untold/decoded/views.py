"""What was counted in each view of a design: a noisy table over some attributes, and how noisy it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from untold.decoded.contrasts import Floats, forward
from untold.decoded.lattice import Lattice, lattice
from untold.designs import Design
from untold.hierarchy import Tree
from untold.oracles import FiniteOracle, Oracle


@dataclass(eq=False)
class ViewTable:
    """One view: how many reports speak of it, the count (or the sum of weights) of each message, and what they decode to.

    occurring   messages of this view that occur, counted from 0, and the count of each; None where messages cannot be
                listed, and `supported` is given instead
    """

    design: Design
    number: int
    reports: float
    occurring: tuple[npt.NDArray[np.int64], Floats] | None
    supported: Floats | None = None
    _summed: dict[tuple[int, ...], Floats] = field(default_factory=dict)

    @property
    def oracle(self) -> Oracle:
        """How its cells are reported."""
        return self.design.views[self.number].oracle

    @cached_property
    def active(self) -> tuple[int, ...]:
        """Trees of the space below their roots: the axes of its cells."""
        return tuple(i for i, level in enumerate(self.design.views[self.number].levels) if level)

    @cached_property
    def attributes(self) -> tuple[int, ...]:
        """Those of them that are attributes; columns of a design that are none are summed out."""
        return tuple(i for i in self.active if i < self.design.attributes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Blocks along each axis of its cells."""
        levels = self.design.views[self.number].levels
        return tuple(self.design.space.trees[i].blocks(levels[i]) for i in self.active)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Of its attributes."""
        return tuple(self.design.space.trees[i] for i in self.attributes)

    @property
    def levels(self) -> tuple[int, ...]:
        """Of its attributes."""
        return tuple(self.design.views[self.number].levels[i] for i in self.attributes)

    @property
    def counts(self) -> Floats:
        """Of every possible message."""
        assert self.occurring is not None
        counts = np.zeros(self.oracle.indexes)
        counts[self.occurring[0]] = self.occurring[1]
        return counts

    @cached_property
    def supports(self) -> Floats:
        """For each cell, the number of messages that support it."""
        if self.supported is not None:
            return self.supported
        assert isinstance(self.oracle, FiniteOracle)
        return self.oracle.supports_from_counts(self.counts)

    @property
    def cells(self) -> Floats:
        """Unbiased number of reports in every cell."""
        p, q = self.oracle.floats
        return np.asarray((self.supports - self.reports * q) / (p - q))

    def summed(self, attributes: tuple[int, ...]) -> Floats:
        """The same, summed over all axes but those of these attributes; made once."""
        if attributes not in self._summed:
            self._summed[attributes] = self.collapse(self.cells, attributes)
        return self._summed[attributes]

    @property
    def table(self) -> Floats:
        """Unbiased shares of the users of this view, over its attributes."""
        return self.summed(self.attributes) / self.reports

    def collapse(self, cells: Floats, attributes: Sequence[int]) -> Floats:
        """Sum a function of cells over all axes but those of these attributes."""
        out = tuple(axis for axis, attribute in enumerate(self.active) if attribute not in attributes)
        return np.asarray(cells.reshape(self.shape).sum(axis=out))

    def size(self, attributes: Sequence[int]) -> int:
        """How many cells are left once all but some of its attributes are summed out."""
        return prod(n for attribute, n in zip(self.active, self.shape) if attribute in attributes)

    def levels_of(self, attributes: Sequence[int]) -> list[int]:
        """The levels at which it holds some of its attributes."""
        return [level for a, level in zip(self.attributes, self.levels) if a in attributes]

    def shares(self, attributes: Sequence[int]) -> Floats:
        """A rough, non-negative estimate from this view alone."""
        found = np.clip(self.collapse(self.cells, attributes), 0.0, None)
        return np.asarray(found / max(found.sum(), 1e-12))

    def expanded(self, attributes: Sequence[int], row: Floats) -> Floats:
        """A function of cells of some attributes, as one of all cells of the view; axes before them are left alone."""
        lead = row.shape[:-1]
        narrow = [n if a in attributes else 1 for a, n in zip(self.active, self.shape)]
        wide = np.broadcast_to(row.reshape(*lead, *narrow), (*lead, *self.shape))
        return np.ascontiguousarray(wide.reshape(*lead, -1))

    @cached_property
    def coefficients(self) -> Floats:
        """The table as contrasts."""
        return forward(self.table, self.trees, self.levels)


class Views:
    """All views of a design, from the counts (or sums of weights) of the messages that occur; decoded when they are needed.

    A view is decoded once, however many questions it serves.
    """

    def __init__(self, design: Design, message: npt.NDArray[np.uint32], weight: npt.NDArray[np.float64]) -> None:
        self.design = design
        self.lattice: Lattice = lattice(design)
        order = np.argsort(message, kind="stable") if (np.diff(message.astype(np.int64)) < 0).any() else None
        self._message = message if order is None else message[order]
        self._weight = weight if order is None else weight[order]
        starts = np.append(self.lattice.offsets, design.messages)
        self._bounds = np.searchsorted(self._message, starts)
        running = np.concatenate([[0.0], np.cumsum(self._weight)])
        self.reports: Floats = np.diff(running[self._bounds])  # of each view
        self.total = float(self._weight.sum())
        self._views: dict[int, ViewTable] = {}
        self.kept: dict[object, Floats] = {}  # what was made of them

    def view(self, number: int) -> ViewTable:
        """One view."""
        if number not in self._views:
            own = slice(self._bounds[number], self._bounds[number + 1])
            occurring = self._message[own].astype(np.int64) - self.design.views[number].offset, self._weight[own]
            self._views[number] = ViewTable(self.design, number, float(self._weight[own].sum()), occurring)
        return self._views[number]

    def __iter__(self) -> Iterator[ViewTable]:
        """The views that somebody has reported about."""
        for number in np.flatnonzero((self.reports > 0) & (self.lattice.cells > 1)):
            yield self.view(int(number))
