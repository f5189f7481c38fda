"""SUM and AVG of a sensitive attribute, by every mechanism of the paper, in closed form; see benchmarks/evidence/hierarchies.py.

The first attribute is the summed one; its codes are its values. AHIO and EHIO part people into one group for each attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi, prod, sqrt

import numpy as np
import numpy.typing as npt

from benchmarks.evidence.hierarchies import (
    Floats,
    Moments,
    Query,
    Truth,
    cross_moment,
    everyone,
    inside,
    moments,
    noises,
    query,
    tree_of,
)
from untold.plan.hierarchy import Tree

X = Tree(2, (2,))  # the rounding: to 0, to the largest value


@dataclass(frozen=True, eq=False)
class Table:
    """Sizes of the attributes, which are ordered, how people are spread over each, and codes of some people where attributes are
    not independent."""

    sizes: tuple[int, ...]
    shares: tuple[Floats, ...]
    people: tuple[npt.NDArray[np.int64], ...] | None = None
    ordered: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        if any(tree.size != tree.padded for tree in self.trees):
            raise ValueError("domains here fill their trees: no leaf may be left over")

    @property
    def trees(self) -> list[Tree]:
        return [tree_of(m, o) for m, o in zip(self.sizes, self.ordered or [True] * len(self.sizes), strict=True)]

    def truth(self, conditions: Mapping[int, Floats]) -> Truth:
        """What the condition keeps, and the first attribute within it."""
        values = np.arange(float(self.sizes[0]))
        if self.people is not None:
            kept = np.prod([f[self.people[i]] for i, f in conditions.items()], axis=0)
            own = values[self.people[0]]
            return Truth(float(kept.mean()), float((kept * own).mean()), float((kept * own**2).mean()))
        others = prod(float(self.shares[i] @ f) for i, f in conditions.items() if i)
        own_share = self.shares[0] * conditions.get(0, 1.0)
        return Truth(*(others * float(own_share @ values**power) for power in (0, 1, 2)))


def hio(table: Table, conditions: Mapping[int, Floats], epsilon: float, top: int | None = None) -> Moments:
    """HIO: SUM adds up single values of the attribute, each times its value."""
    trees, truth = table.trees, table.truth(conditions)
    factors = [conditions.get(i, everyone(tree)) for i, tree in enumerate(trees)]
    values = [factors[0] * np.arange(table.sizes[0]), *factors[1:]]
    count, total = query(trees, factors, top, table.shares), query(trees, values, top, table.shares)
    return moments([count], total, truth, epsilon, _views(trees), table.people)


def public(table: Table, conditions: Mapping[int, Floats], epsilon: float, top: int | None = None) -> Moments:
    """HIO-PUB: the summed number is public, spread like the first attribute, and independent of the condition."""
    trees, values = table.trees, np.arange(float(table.sizes[0]))
    factors = [conditions.get(i, everyone(tree)) for i, tree in enumerate(trees)]
    count, kept = query(trees, factors, top, table.shares), table.truth(conditions).count
    noise = cross_moment(count, count, epsilon, _views(trees), table.people) - kept
    mean, square = float(table.shares[0] @ values), float(table.shares[0] @ values**2)
    return Moments(Truth(kept, kept * mean, kept * square), noise, square * noise, mean * noise)


def ahio(
    table: Table, conditions: Mapping[int, Floats], epsilon: float, top: int | None = None, seed: int = 1
) -> Moments:
    """AHIO: the rounding X of the group's attribute is one more column."""
    trees, truth, largest = [*table.trees, X], table.truth(conditions), table.sizes[0] - 1
    up = float(table.shares[0] @ np.arange(table.sizes[0])) / largest
    factors = [conditions.get(i, everyone(tree)) for i, tree in enumerate(table.trees)]
    shares = [*table.shares, np.array([1 - up, up])]
    count = query(trees, [*factors, everyone(X)], top, shares)
    total = query(trees, [*factors, np.array([0.0, largest])], top, shares)
    people = None if table.people is None else [*table.people, _rounded(table, seed)]
    return moments([count] * _groups(table), total, truth, epsilon, _views(trees), people)


def ehio(table: Table, conditions: Mapping[int, Floats], epsilon: float) -> Moments:
    """EHIO: the domain of the group's attribute is doubled, its lower half, mirrored, for those that were rounded down."""
    truth, largest = table.truth(conditions), table.sizes[0] - 1
    free = [conditions.get(i, everyone(tree)) for i, tree in enumerate(table.trees)]
    counts = [
        _doubled(table, free, group)[0] for group in range(len(table.sizes)) if (table.ordered or [True] * 9)[group]
    ]
    trees, shares = _doubled(table, free, 0)[1:]
    both = np.concatenate([free[0][::-1], free[0]])
    half = np.repeat([0.0, float(largest)], table.sizes[0])
    total = query(trees, [both * half, *free[1:]], shares=shares)
    views = [_views(_doubled(table, free, group)[1]) for group in range(len(counts))]
    found = moments(counts, total, truth, epsilon, views[0])
    square = sum(v * cross_moment(c, c, epsilon, 1) for v, c in zip(views, counts, strict=True)) / len(counts)
    return Moments(truth, square - truth.count, found.sum, found.covariance)


def _doubled(table: Table, free: Sequence[Floats], group: int) -> tuple[Query, list[Tree], list[Floats]]:
    """COUNT in the group of one attribute, and that group's trees and shares."""
    trees, shares, factors = table.trees, list(table.shares), list(free)
    up = table.shares[group] * np.arange(table.sizes[group]) / (table.sizes[group] - 1)
    trees[group] = Tree(2 * table.sizes[group], (2, *trees[group].fan_outs))
    shares[group] = np.concatenate([(table.shares[group] - up)[::-1], up])
    factors[group] = np.concatenate([free[group][::-1], free[group]])
    return query(trees, factors, shares=shares), trees, shares


def amg(table: Table, conditions: Mapping[int, Floats], epsilon: float) -> Moments:
    """AMG: one table of all single values and the rounding, as in AHIO."""
    v, c = noises(epsilon)
    truth, largest, groups = table.truth(conditions), table.sizes[0] - 1, _groups(table)
    cells = prod(float(conditions[i].sum()) if i in conditions else float(m) for i, m in enumerate(table.sizes))
    up = truth.sum / largest  # people who are counted and rounded up
    count = 2 * cells * v + c * truth.count
    total = groups * largest**2 * (cells * v + c * up)
    return Moments(truth, count - truth.count, total - truth.square, largest * (cells * v + c * up) - truth.sum)


def _views(trees: Sequence[Tree]) -> int:
    return prod(tree.height + 1 for tree in trees)


def _groups(table: Table) -> int:
    return sum(table.ordered or [True] * len(table.sizes))


def _rounded(table: Table, seed: int) -> npt.NDArray[np.int64]:
    assert table.people is not None
    chance = table.people[0] / (table.sizes[0] - 1)
    return (np.random.default_rng(seed).random(len(chance)) < chance).astype(np.int64)


def errors(found: Moments, users: float, largest_sum: float) -> dict[str, float]:
    """The paper's measures: NMSE of COUNT and SUM, mean relative error of AVG. `largest_sum` is per person."""
    average = found.truth.sum / found.truth.count
    return {
        "COUNT": found.count / users,
        "SUM": found.sum / users / largest_sum**2,
        "AVG": sqrt(2 / pi) * found.average_error(users) / average,
    }


def random_ranges(
    sizes: Sequence[int], attributes: Sequence[int], volume: float, rng: np.random.Generator
) -> dict[int, Floats]:
    """A range of this share of the domain on each of these attributes."""
    found = {}
    for i in attributes:
        length = max(1, round(volume * sizes[i]))
        low = int(rng.integers(sizes[i] - length + 1))
        found[i] = inside(sizes[i], low, low + length - 1)
    return found
