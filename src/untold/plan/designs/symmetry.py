"""Attributes of equal shape are interchangeable, so they share the variables of the optimiser.

Two attributes are of one *kin* if they have the same tree and the same energies, and if swapping them leaves the declared
workload as it is. The best probabilities can then be taken equal for views that differ only by such swaps (the objective
is convex: averaging over all swaps never makes it worse). A *type* stands for all of these views: a multiset of items
(kin, level), written as a sorted row of item numbers, 0 for an attribute at its root.

With count_b bands of type b, and M(l, b) of them below one view of type l, a band of type b is reached by
count_l M(l, b) / count_b views of type l: counting from above and from below gives the same number of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, perm, prod

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy import Tree

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Type = tuple[int, ...]  # sorted item numbers above 0
MOST_KEYS = 1 << 62


@dataclass(frozen=True)
class Kin:
    """Attributes that may be swapped, their tree, and the mean energy of a factor that touches one, at every level."""

    members: tuple[int, ...]
    tree: Tree
    energies: tuple[float, ...]


@dataclass(frozen=True)
class Shapes:
    """All kins of a space; items are numbered from 1, level after level, kin after kin."""

    kins: tuple[Kin, ...]

    @cached_property
    def items(self) -> tuple[tuple[int, int], ...]:
        """(kin, level) of every item; item 0 is the root of any attribute."""
        return ((-1, 0), *((k, j) for k, kin in enumerate(self.kins) for j in range(1, kin.tree.height + 1)))

    @cached_property
    def numbers(self) -> dict[tuple[int, int], int]:
        """The number of an item."""
        return {item: i for i, item in enumerate(self.items)}

    @cached_property
    def kin_of(self) -> dict[int, int]:
        """Which kin an attribute belongs to."""
        return {i: k for k, kin in enumerate(self.kins) for i in kin.members}

    def sets(self, size: int) -> list[tuple[int, ...]]:
        """Types of sets of attributes: multisets of kins with members enough."""
        found = combinations_with_replacement(range(len(self.kins)), size)
        return [each for each in found if all(each.count(k) <= len(self.kins[k].members) for k in set(each))]

    def set_count(self, kins: Sequence[int]) -> int:
        """How many sets of attributes are of this type."""
        return prod(comb(len(self.kins[k].members), list(kins).count(k)) for k in set(kins))

    def count(self, kind: Sequence[int]) -> int:
        """How many views (or bands) are of this type: ways to hand its levels to members of their kins."""
        held = [self.items[i][0] for i in kind if i]
        ways = prod(perm(len(self.kins[k].members), held.count(k)) for k in set(held))
        return ways // prod(factorial(kind.count(i)) for i in set(kind) if i)

    def cells(self, kind: Sequence[int]) -> int:
        """Cells of a view of this type, without the hidden weight."""
        return prod(self.kins[self.items[i][0]].tree.blocks(self.items[i][1]) for i in kind if i)

    def finest(self, kins: Sequence[int], caps: Mapping[int, int]) -> Type:
        """The finest view of a set of attributes, where a kin may not go below the level `caps` says."""
        return tuple(sorted(self.items_of(k, caps)[-1] for k in kins))

    def items_of(self, kin: int, caps: Mapping[int, int]) -> list[int]:
        """The items of one kin, coarse to fine, down to the level `caps` says."""
        return [self.numbers[kin, j] for j in range(1, caps.get(kin, self.kins[kin].tree.height) + 1)]

    def views_of(self, kinds: Iterable[Sequence[int]], attributes: int) -> list[tuple[tuple[int, ...], int]]:
        """Every view of these types, as levels of all attributes, with the place of its type."""
        found = []
        for place, kind in enumerate(kinds):
            held: dict[int, list[int]] = {}
            for i in kind:
                if i:
                    held.setdefault(self.items[i][0], []).append(self.items[i][1])
            partial: list[dict[int, int]] = [{}]
            for k, levels in held.items():
                ways = _placed(self.kins[k].members, levels)
                partial = [one | more for one in partial for more in ways]
            found += [(tuple(one.get(a, 0) for a in range(attributes)), place) for one in partial]
        return found


def _placed(members: Sequence[int], levels: Sequence[int]) -> list[dict[int, int]]:
    """All ways to give these levels to members, equal levels being interchangeable."""
    ways: list[dict[int, int]] = [{}]
    for level in sorted(set(levels)):
        for _ in range(levels.count(level)):
            ways = [
                way | {a: level}
                for way in ways
                for a in members
                if a not in way and all(b < a for b, at in way.items() if at == level)
            ]
    return ways


def shapes_of(
    trees: Sequence[Tree], energies: Sequence[Floats], workload: Sequence[tuple[tuple[int, ...], float]]
) -> Shapes:
    """Sort attributes into kins; `workload` lists (attributes, weight) where a plan declares it."""
    wanted = {frozenset(each): weight for each, weight in workload}
    found: dict[tuple[Tree, tuple[float, ...]], list[list[int]]] = {}
    for i, (tree, energy) in enumerate(zip(trees, energies, strict=False)):
        alike = found.setdefault((tree, tuple(map(float, energy))), [])
        own = next((kin for kin in alike if _swappable(kin[0], i, wanted)), None)
        if own is None:
            alike.append([i])
        else:
            own.append(i)
    return Shapes(tuple(Kin(tuple(kin), *shape) for shape, kins in found.items() for kin in kins))


def _swappable(a: int, b: int, wanted: Mapping[frozenset[int], float]) -> bool:
    swap = {a: b, b: a}
    return all(wanted.get(frozenset(swap.get(i, i) for i in each)) == weight for each, weight in wanted.items())


@dataclass(frozen=True)
class Below:
    """Pairs (view type, a band below a view of that type): the row of the view, and the type of the band."""

    views: Integers
    bands: Integers  # places in `types`
    types: Integers  # types of bands, one sorted row of items each
    energy: Floats  # product of the energies of the kins of the view's active attributes at the band's levels


def below(shapes: Shapes, rows: Integers) -> Below:
    """All bands below each view; `rows` are types of views, one row of items each."""
    kin = np.array([k for k, _ in shapes.items])
    level = np.array([j for _, j in shapes.items])
    start = np.array([shapes.numbers[k, 1] - 1 for k in range(len(shapes.kins))] + [0])
    touched = np.array([e for each in shapes.kins for e in each.energies])
    offset = np.cumsum([0] + [len(each.energies) for each in shapes.kins])
    sizes = level[rows] + 1
    many = sizes.prod(axis=1)
    views = np.repeat(np.arange(len(rows)), many)
    rest = np.arange(len(views)) - np.repeat(np.cumsum(many) - many, many)
    items = np.zeros((len(views), rows.shape[1]), dtype=np.int64)
    energy = np.ones(len(views))
    for column in range(rows.shape[1]):
        rest, down = np.divmod(rest, sizes[views, column])
        own = kin[rows[views, column]]
        items[:, column] = np.where(down > 0, start[own] + down, 0)
        energy *= np.where(own >= 0, touched[np.minimum(offset[own] + down, len(touched) - 1)], 1.0)
    items.sort(axis=1)
    _, first, bands = np.unique(_row_keys(items, len(shapes.items)), return_index=True, return_inverse=True)
    return Below(views, bands.reshape(-1), items[first], energy)


def _row_keys(rows: Integers, base: int) -> Integers:
    """One number for each row, equal exactly for equal rows."""
    keys, bound = np.zeros(len(rows), dtype=np.int64), 1
    for column in range(rows.shape[1]):
        if bound > MOST_KEYS // base:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            bound = len(rows)
        keys, bound = keys * base + rows[:, column], bound * base
    return keys
