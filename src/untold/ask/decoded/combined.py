"""The best linear combination of overlapping views, coefficient by coefficient.

Every view l that holds the attributes S gives an estimate of each contrast of S at its levels or above. With y_l its
decoded cells, summed to S, k_l its cells and v_l the noise of one report,

    contrast = sum over l of (contrast of y_l) g_l  /  Lambda,        Lambda = sum over l of w_l

    designed     g = 1/(k v)     w = pi/(k v)      reports as the design draws them: what SQL answers are made of
    blue         g = 1/(k v)     w = n_l/(k v)     given how many reports each view did get
    published    g = 1/(k n_l)   w = 1/k           CALM, section 4.4: all views have the same noise and users

summed over the views that hold S at the contrast's level or finer. A table put together from the contrasts of all
subsets of some attributes is the generalised least squares estimate: a step for S changes nothing but the contrasts of
S itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats, forward, inverse
from untold.ask.decoded.lattice import Integers, Lattice, lattice
from untold.ask.decoded.views import Views, ViewTable, precision
from untold.plan.designs import Design
from untold.plan.hierarchy import Tree

Set = tuple[int, ...]  # attributes in order
Weighing = Callable[[Lattice, Floats], tuple[Floats, Floats]]  # the views, their reports -> g, w


def _per_report(reports: Floats) -> Floats:
    return np.divide(1.0, reports, out=np.zeros_like(reports), where=reports > 0)


WEIGHTS: dict[str, Weighing] = {
    "designed": lambda views, reports: (views.gain, views.chance * views.gain),
    "blue": lambda views, reports: (views.gain, reports * views.gain),
    "published": lambda views, reports: (_per_report(reports) / views.cells, (reports > 0) / views.cells),
}


class Precisions:
    """Lambda of every band, for sets of attributes; needs no report."""

    def __init__(self, views: Lattice, weight: Floats) -> None:
        self.lattice = views
        self.weight = weight  # w of each view
        self._known: dict[Set, Floats] = {}
        self._bands: dict[Set, Floats] = {}

    def of(self, attributes: Set) -> Floats:
        """One axis per attribute of the set, for levels 1, 2, ... of its tree; 0 where no view tells."""
        if attributes not in self._known:
            trees = [self.lattice.trees[a] for a in attributes]
            found = np.zeros([tree.height for tree in trees])
            holding = self.lattice.holding(attributes)
            places = tuple(self.lattice.levels[holding, a] - 1 for a in attributes)
            np.add.at(found, places, self.weight[holding])
            for axis in range(found.ndim):  # a view tells its own level and all above
                found = np.flip(np.cumsum(np.flip(found, axis), axis=axis), axis)
            self._known[attributes] = found
        return self._known[attributes]

    def bands(self, attributes: Set) -> Floats:
        """The same for all bands of some attributes, level 0 included; the mean of everything is infinitely well known."""
        if attributes not in self._bands:
            out = np.zeros([self.lattice.trees[a].height + 1 for a in attributes])
            out[(0,) * len(attributes)] = np.inf
            for subset, place in subsets(attributes):
                out[place] = self.of(subset)
            out.flags.writeable = False
            self._bands[attributes] = out
        return self._bands[attributes]


@lru_cache(maxsize=32)
def designed(design: Design) -> Precisions:
    """Lambda of a design whose views are drawn as it says."""
    views = lattice(design)
    return Precisions(views, views.chance * views.gain)


class Combined:
    """Tables over any attributes, from decoded views."""

    def __init__(self, views: Views, weights: str = "designed") -> None:
        self.views = views
        self.trees = views.lattice.trees
        self.gain, weight = WEIGHTS[weights](views.lattice, views.reports)
        self.precisions = designed(views.design) if weights == "designed" else Precisions(views.lattice, weight)
        self.total = views.total if weights == "designed" else 1.0
        self._sums: dict[Set, Floats] = {}
        self._alike: tuple[Set, dict[int, ViewTable]] = (), {}
        self._tables: dict[Set, Floats] = {}

    def sums(self, attributes: Set, among: Set = ()) -> Floats:
        """sum over l of (contrasts of y_l) g_l, of a set all of whose attributes are below their roots; made once.

        among   all attributes of a question, of which these are some
        """
        if attributes not in self._sums:
            lattice, views = self.views.lattice, self._views(among or attributes)
            out = np.zeros([self.trees[a].padded - 1 for a in attributes])
            numbers = np.array(list(views), dtype=np.int64)
            holding = numbers[(lattice.levels[numbers][:, list(attributes)] > 0).all(axis=1)]
            for levels, same in lattice.by_levels(holding, attributes):
                table = sum(self.gain[v] * views[int(v)].summed(attributes) for v in same)
                found = forward(np.asarray(table), [self.trees[a] for a in attributes], levels)
                own = found[(slice(1, None),) * len(attributes)]
                out[tuple(slice(0, n) for n in own.shape)] += own
            self._sums[attributes] = out
        return self._sums[attributes]

    def _views(self, attributes: Set) -> dict[int, ViewTable]:
        """Those that tell of some of the attributes, put together where they tell the same; of the last question."""
        if self._alike[0] != attributes:
            touching = self.views.lattice.touching(attributes)
            touching = touching[self.views.reports[touching] != 0]
            self._alike = attributes, alike(self.views, self.gain, touching, attributes)
        return self._alike[1]

    def averaged(self, attributes: Set, among: Set = ()) -> tuple[Floats, Floats]:
        """The contrasts of a set, and Lambda of each (0: no view tells)."""
        weight = per_contrast(self.precisions.of(attributes), [self.trees[a] for a in attributes])
        mean = np.divide(self.sums(attributes, among), weight, out=np.zeros(weight.shape), where=weight > 0)
        return mean, weight

    def assembled(self, attributes: Set) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """All contrasts of the table over sorted attributes, and which of them are known; the total always is."""
        shape = tuple(self.trees[a].padded for a in attributes)
        contrasts, known = np.zeros(shape), np.zeros(shape, dtype=bool)
        contrasts[(0,) * len(shape)], known[(0,) * len(shape)] = self.total, True
        for subset, place in subsets(attributes):
            if self.precisions.of(subset).any():
                contrasts[place], weight = self.averaged(subset, attributes)
                known[place] = weight > 0
        return contrasts, known

    def table(self, attributes: Set) -> Floats:
        """The estimate of every leaf cell, with contrasts that no view tells taken as zero; made once."""
        if attributes not in self._tables:
            trees = [self.trees[a] for a in attributes]
            self._tables[attributes] = inverse(self.assembled(attributes)[0], trees, [tree.height for tree in trees])
        return self._tables[attributes]


def subsets(attributes: Set) -> Iterator[tuple[Set, tuple[slice | int, ...]]]:
    """Every subset but the empty one, and where its contrasts (or bands) are among those of all."""
    for size in range(1, len(attributes) + 1):
        for subset in combinations(attributes, size):
            yield subset, tuple(slice(1, None) if a in subset else 0 for a in attributes)


def per_contrast(bands: Floats, trees: list[Tree]) -> Floats:
    """A number for each band (levels from 1), repeated for each contrast of the band."""
    for axis, tree in enumerate(trees):
        counts = [tree.blocks(j) - tree.blocks(j - 1) for j in range(1, tree.height + 1)]
        bands = np.repeat(bands, counts, axis=axis)
    return bands


def leaves(trees: tuple[Tree, ...], attributes: Set) -> int:
    """Cells of the finest table over some attributes."""
    return prod(trees[a].padded for a in attributes)


def alike(views: Views, gain: Floats, numbers: Integers, attributes: Set) -> dict[int, ViewTable]:
    """The views of these numbers, those put together that differ in nothing but other attributes; by the first of each.

    gain   of every view: its weight, which has to be the same for views that are put together
    """
    found: dict[object, list[int]] = {}
    for number in numbers.tolist():
        found.setdefault(_name(views, number, attributes, float(gain[number])), []).append(number)
    return {same[0]: views.view(same[0]) if len(same) == 1 else _together(views, same) for same in found.values()}


def _name(views: Views, number: int, attributes: Set, gain: float) -> object:
    """What views have in common that can be put together: equal cells in equal order, and the same axes for what is asked."""
    view = views.view(number)
    if view.occurring is None:
        return number
    axes = tuple(a if a in attributes else -1 for a in view.active)
    return view.shape, axes, gain, view.oracle


def _together(views: Views, numbers: Sequence[int]) -> ViewTable:
    tables = [views.view(number) for number in numbers]
    first, parts = tables[0], [table.occurring for table in tables if table.occurring is not None]
    counts = np.zeros(first.oracle.indexes, dtype=precision(np.concatenate([weights for _, weights in parts])))
    for places, weights in parts:
        counts[places] += weights.astype(counts.dtype)
    return first.with_counts(sum(table.reports for table in tables), counts)
