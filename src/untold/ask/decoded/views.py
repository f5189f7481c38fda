"""What was counted in each view of a design: a noisy table over some attributes, and how noisy it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats, forward
from untold.ask.decoded.lattice import Lattice, lattice
from untold.oracles import Oracle
from untold.plan.designs import Design
from untold.plan.hierarchy import Tree

WHOLE = 1 << 24  # whole numbers up to here, and sums of them, are exact in single precision


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
        return self._spelled(np.dtype(np.float64))

    def _spelled(self, kind: np.dtype[Any]) -> npt.NDArray[Any]:
        assert self.occurring is not None
        counts = np.zeros(self.oracle.indexes, dtype=kind)
        counts[self.occurring[0]] = self.occurring[1]
        return counts

    @cached_property
    def supports(self) -> Floats:
        """For each cell, the number of messages that support it."""
        if self.supported is not None:
            return self.supported
        assert self.occurring is not None
        return self._decoded(self._spelled(precision(self.occurring[1])))

    def _decoded(self, counts: npt.NDArray[Any]) -> Floats:
        assert self.oracle.listed is not None
        return self.oracle.listed.supports_from_counts(counts).astype(np.float64, copy=False)

    def with_counts(self, reports: float, counts: npt.NDArray[Any]) -> ViewTable:
        """A view of the same cells with other counts of every message."""
        return ViewTable(self.design, self.number, reports, None, self._decoded(counts))

    @property
    def cells(self) -> Floats:
        """Unbiased number of reports in every cell."""
        p, q = self.oracle.floats
        return np.asarray((self.supports - self.reports * q) / (p - q))

    def summed(self, attributes: tuple[int, ...]) -> Floats:
        """The same, summed over all axes but those of these attributes; made once."""
        if attributes not in self._summed:
            (p, q), supports = self.oracle.floats, self.collapse(self.supports, attributes)
            cells = self.oracle.domain_size // max(supports.size, 1)  # of each sum
            self._summed[attributes] = (supports - self.reports * q * cells) / (p - q)
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
        return prod(n for attribute, n in zip(self.active, self.shape, strict=True) if attribute in attributes)

    def levels_of(self, attributes: Sequence[int]) -> list[int]:
        """The levels at which it holds some of its attributes."""
        return [level for a, level in zip(self.attributes, self.levels, strict=True) if a in attributes]

    def shares(self, attributes: Sequence[int]) -> Floats:
        """A rough, non-negative estimate from this view alone."""
        found = np.clip(self.collapse(self.cells, attributes), 0.0, None)
        return np.asarray(found / max(found.sum(), 1e-12))

    def expanded(self, attributes: Sequence[int], row: Floats) -> Floats:
        """A function of cells of some attributes, as one of all cells of the view; axes before them are left alone."""
        lead = row.shape[:-1]
        narrow = [n if a in attributes else 1 for a, n in zip(self.active, self.shape, strict=True)]
        wide = np.broadcast_to(row.reshape(*lead, *narrow), (*lead, *self.shape))
        return np.ascontiguousarray(wide.reshape(*lead, -1))

    @cached_property
    def coefficients(self) -> Floats:
        """The table as contrasts."""
        return forward(self.table, self.trees, self.levels)


def precision(weights: Floats) -> np.dtype[Any]:
    """Single where all sums of the weights are exact in it, as sums of counts are: half the memory to go through."""
    few = weights.sum() < WHOLE and weights.min(initial=0.0) >= 0
    return np.dtype(np.float32 if few and bool((weights == np.rint(weights)).all()) else np.float64)


class Views:
    """All views of a design; each is decoded when it is needed, and once, however many questions it serves.

    reports   n_l of every view, or the sum of their weights
    table     makes one of them
    """

    def __init__(self, design: Design, reports: Floats, table: Callable[[int], ViewTable]) -> None:
        self.design = design
        self.lattice: Lattice = lattice(design)
        self.reports = reports
        self.total = float(reports.sum())
        self.view = cache(table)
        self.kept: dict[object, Floats] = {}  # what was made of them

    def __iter__(self) -> Iterator[ViewTable]:
        """The views that somebody has reported about."""
        for number in np.flatnonzero((self.reports > 0) & (self.lattice.cells > 1)):
            yield self.view(int(number))


def views_of(design: Design, message: npt.NDArray[np.uint32], weight: Floats) -> Views:
    """From the count of every message that occurs, or from the sum of a weight over its reports."""
    if (np.diff(message.astype(np.int64)) < 0).any():
        order = np.argsort(message, kind="stable")
        message, weight = message[order], weight[order]
    bounds = np.searchsorted(message, np.append(lattice(design).offsets, design.messages))
    parts = [slice(start, end) for start, end in pairwise(bounds)]

    def table(number: int) -> ViewTable:
        own = parts[number]
        occurring = message[own].astype(np.int64) - design.views[number].offset, weight[own]
        return ViewTable(design, number, float(reports[number]), occurring)

    reports = np.array([weight[own].sum() for own in parts], dtype=np.float64)
    return Views(design, reports, table)


def supported_views(design: Design, found: Sequence[tuple[int, npt.NDArray[np.int64]]]) -> Views:
    """From the reports of every view, and how many of them support each cell."""

    def table(number: int) -> ViewTable:
        return ViewTable(design, number, float(found[number][0]), None, found[number][1].astype(np.float64))

    return Views(design, np.array([float(reports) for reports, _ in found]), table)
