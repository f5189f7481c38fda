"""Coefficients over the cells of a view, kept small: a query touches few of the attributes that a view speaks of.

Cells that differ only in other attributes have the same coefficient. So one number is kept for each combination of blocks of
the touched attributes, and the cells are spelled out when somebody scores messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import overload

import numpy as np

from untold.ask.question.model import Floats


@dataclass(frozen=True, eq=False)
class ViewBlocks:
    """scale * values, over a table of cells.

    values   one axis for each of `axes`, which are some axes of the table, in order; views share them
    shape    of the table: one axis for each attribute that the view speaks of
    """

    values: Floats
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    scale: float = 1.0

    @property
    def cells(self) -> int:
        """How many there are."""
        return prod(self.shape)

    @property
    def narrow(self) -> Floats:
        """With all axes of the table, those that do not matter of length 1."""
        wide = [n if i in self.axes else 1 for i, n in enumerate(self.shape)]
        return np.asarray(self.scale * self.values.reshape(wide))

    def spelled(self) -> Floats:
        """One number for each cell."""
        return np.ascontiguousarray(np.broadcast_to(self.narrow, self.shape)).reshape(-1)

    def times(self, factor: float) -> ViewBlocks:
        """All of them scaled."""
        return ViewBlocks(self.values, self.axes, self.shape, self.scale * factor)

    def plus(self, other: ViewBlocks) -> ViewBlocks:
        """The sum, over the axes that matter to one of the two."""
        axes = tuple(sorted({*self.axes, *other.axes}))
        both = self.narrow + other.narrow
        return ViewBlocks(both.reshape([self.shape[i] for i in axes]), axes, self.shape)

    def deviations(self, other: ViewBlocks) -> float:
        """The sum over cells of the products of what both differ from their means."""
        a, b = self.narrow, other.narrow
        both = (a - a.mean()) * (b - b.mean())
        return float(both.sum() * (self.cells / both.size))


def whole(values: Floats, shape: tuple[int, ...] | None = None) -> ViewBlocks:
    """Of a table in which every axis matters; by default of a list of cells."""
    wide = (len(values),) if shape is None else shape
    return ViewBlocks(values.reshape(wide), tuple(range(len(wide))), wide)


@dataclass(frozen=True, eq=False)
class SpelledCells(Sequence[Floats | None]):
    """The coefficients of each view over its cells, made when they are asked for and not kept."""

    blocks: tuple[ViewBlocks | None, ...]

    def __len__(self) -> int:
        return len(self.blocks)

    def __iter__(self) -> Iterator[Floats | None]:
        return (None if each is None else each.spelled() for each in self.blocks)

    @overload
    def __getitem__(self, view: int) -> Floats | None: ...
    @overload
    def __getitem__(self, view: slice) -> Sequence[Floats | None]: ...
    def __getitem__(self, view: int | slice) -> Floats | Sequence[Floats | None] | None:
        if isinstance(view, slice):
            return SpelledCells(self.blocks[view])
        found = self.blocks[view]
        return None if found is None else found.spelled()
