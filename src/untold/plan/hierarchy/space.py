"""The joint domain of a service's coded attributes, and its views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

from untold.plan.hierarchy.tree import Tree

Levels = tuple[int, ...]  # a view: one level per attribute


@dataclass(frozen=True)
class Space:
    """One tree per attribute. A view picks a level of each and so cuts the joint domain into equal cells.

    >>> space = Space((Tree(4, (2, 2)), Tree(3, (3,))))
    >>> space.cells((1, 1)), space.cell((1, 1), (3, 2))
    (6, 5)
    """

    trees: tuple[Tree, ...]

    @property
    def leaves(self) -> Levels:
        """The finest view."""
        return tuple(tree.height for tree in self.trees)

    def cells(self, levels: Levels) -> int:
        """k, the number of cells of a view."""
        return prod(tree.blocks(level) for tree, level in zip(self.trees, levels, strict=True) if level)

    def shape(self, levels: Levels) -> tuple[int, ...]:
        """Blocks per attribute; cells are numbered with the last attribute running fastest."""
        return tuple(tree.blocks(level) for tree, level in zip(self.trees, levels, strict=True))

    def cell(self, levels: Levels, codes: Sequence[int]) -> int:
        """The cell of a view that holds a coded record."""
        number = 0
        for place, level in enumerate(levels):
            if level:  # at the root there is one block, and what is not needed is not looked at
                tree = self.trees[place]
                number = number * (tree.padded // tree.widths[level]) + codes[place] // tree.widths[level]
        return number

    def views(self, max_active: int | None = None) -> Iterator[Levels]:
        """All views with at most `max_active` attributes below their root, coarse to fine."""
        most = len(self.trees) if max_active is None else min(max_active, len(self.trees))
        found: list[Levels] = []
        for size in range(most + 1):
            for active in combinations(range(len(self.trees)), size):
                for below in product(*(range(1, self.trees[i].height + 1) for i in active)):
                    levels = dict(zip(active, below, strict=True))
                    found.append(tuple(levels.get(i, 0) for i in range(len(self.trees))))
        yield from sorted(found)
