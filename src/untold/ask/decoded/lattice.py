"""The views of a design as arrays: thousands of views are chosen, weighed and added up without a loop over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats
from untold.plan.designs import Design
from untold.plan.hierarchy import Tree

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Views by their levels of some attributes: `place` says which of `levels` each of `views` has, `slabs` how many blocks."""

    levels: list[tuple[int, ...]]
    views: Integers
    place: Integers
    slabs: Floats

    def added(self, scales: Floats, parts: Floats) -> Floats:
        """The sum over views of a number of each times what belongs to its levels: (levels, ...) -> (...)."""
        of_levels = np.bincount(self.place, scales, minlength=len(self.levels)).astype(np.float64)
        return np.asarray(np.tensordot(of_levels, parts, axes=1))


@dataclass(frozen=True, eq=False)
class Lattice:
    """One row per view.

    levels      of every tree of the space
    chance      pi, that a report speaks of the view
    cells       k
    gain        1 / (k v), v the noise of one report: the weight of its cells in a combination of views
    noise       A and B: given the true cell t, a score with coefficients beta of sum zero has the second moment
                A |beta|^2 + B beta_t^2, as `Oracle.second_moment` says
    listed      whether its messages can be listed, and so counted
    """

    trees: tuple[Tree, ...]
    levels: Integers
    chance: Floats
    cells: Floats
    gain: Floats
    noise: tuple[Floats, Floats]
    offsets: Integers
    messages: Integers
    listed: npt.NDArray[np.bool_]
    known_cuts: dict[tuple[int, ...], Cuts] = field(default_factory=dict)

    def holding(self, attributes: Sequence[int]) -> Integers:
        """The views in which all of these attributes are below their roots."""
        return np.flatnonzero((self.levels[:, list(attributes)] > 0).all(axis=1))

    def by_levels(self, views: Integers, attributes: Sequence[int]) -> list[tuple[tuple[int, ...], Integers]]:
        """Views put together that have the same levels of these attributes."""
        if not len(views):
            return []
        levels: Integers = self.levels[views][:, list(attributes)]
        distinct, place = np.unique(levels, axis=0, return_inverse=True)
        order = np.argsort(place.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(place.reshape(-1), minlength=len(distinct)))
        parts = np.split(views[order], ends[:-1])
        return [(tuple(int(x) for x in each), part) for each, part in zip(distinct, parts, strict=True)]

    def cuts(self, attributes: tuple[int, ...]) -> Cuts:
        """The views that tell something of these attributes, by their levels of them; made once."""
        if attributes not in self.known_cuts:
            views = self.touching(attributes)
            views = views[(self.chance[views] > 0) & (self.gain[views] > 0)]
            parts = self.by_levels(views, attributes)
            levels = [each for each, _ in parts]
            slabs = [prod(self.trees[a].blocks(n) for a, n in zip(attributes, each, strict=True)) for each in levels]
            place = np.repeat(np.arange(len(parts)), [len(own) for _, own in parts])
            ordered = np.concatenate([np.zeros(0, dtype=np.int64), *(own for _, own in parts)])
            self.known_cuts[attributes] = Cuts(levels, ordered, place, np.array(slabs, dtype=np.float64))
        return self.known_cuts[attributes]

    def touching(self, attributes: Sequence[int]) -> Integers:
        """The views in which one of these attributes, or more, is below its root."""
        return np.flatnonzero((self.levels[:, list(attributes)] > 0).any(axis=1))


@lru_cache(maxsize=32)
def lattice(design: Design) -> Lattice:
    """The views of a design; made once."""
    views = design.views
    known: dict[tuple[str, int, int], tuple[float, float, float]] = {}
    for view in views:
        key = (view.oracle.name, view.oracle.nano, view.oracle.domain_size)
        if key not in known:
            known[key] = (view.oracle.noise, *view.oracle.second_moment)
    numbers = np.array([known[v.oracle.name, v.oracle.nano, v.oracle.domain_size] for v in views])
    cells = np.array([view.oracle.domain_size for view in views], dtype=np.float64)
    sampled = design.weights is not None
    chance = np.array([float(weight) for weight in design.weights or ()]) / 2.0**64 if sampled else np.ones(len(views))
    return Lattice(
        design.space.trees,
        np.array([view.levels for view in views], dtype=np.int64).reshape(len(views), -1),
        chance,
        cells,
        np.where(cells > 1, 1 / (cells * np.where(cells > 1, numbers[:, 0], 1.0)), 0.0),
        (numbers[:, 1], numbers[:, 2]),
        np.array(design.offsets, dtype=np.int64),
        np.array([view.oracle.indexes for view in views], dtype=np.int64),
        np.array([view.oracle.listed is not None for view in views], dtype=bool),
    )
