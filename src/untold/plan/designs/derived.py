"""Columns that a device computes from an attribute before it perturbs: the papers' random roundings, and cells of texts.

Of an attribute A with values A_0 < ... < A_(m-1), evenly apart, one bit is drawn,

    up = 1 with probability a / (m - 1) for the code a,        so that E[A_0 + up (A_(m-1) - A_0)] = A_a        [VLDB'20,
    section 3.2]

and kept in one of three forms:

    round             X_A: the bit itself; 0 stands for A_0, 1 for A_(m-1)
    mirror            the code and the bit in one: a mirrored below the lowest value if up = 0, unchanged if up = 1
    [section 3.3.2]
    weighted-round    X_(r,A): the hidden weight of the sampled row and the bit, four values   [section 5.3]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy import Tree, factor
from untold.plan.schema import Service
from untold.plan.schema.text import TextCell

Kind = Literal["round", "mirror", "weighted-round"]


@dataclass(frozen=True)
class Derived:
    """One such column. Its tree stands in the design's space, after those of the attributes."""

    kind: Kind
    attribute: int  # place among the service's sensitive attributes
    size: int  # m, how many values the attribute has

    @property
    def steps(self) -> int:
        """The bit is 1[below(steps) < code]: one draw, whatever the code."""
        return max(self.size - 1, 1)

    def tree(self, base: int) -> Tree:
        """Two or four leaves; twice the attribute's tree, side by side, for a mirror."""
        if self.kind == "mirror":
            half = factor(self.size, base)
            return Tree(int(np.prod(half)) + self.size, (2, *half))
        return Tree(2, (2,)) if self.kind == "round" else Tree(4, (4,))

    def code(self, tree: Tree, value: Any, up: Any, weight: Any) -> Any:
        """The coded value; integers or arrays of them, without a branch."""
        if self.kind == "round":
            return up
        if self.kind == "weighted-round":
            return 2 * weight + up
        return tree.padded // 2 - 1 - value + up * (2 * value + 1)

    def cases(self, tree: Tree) -> Iterator[tuple[Any, npt.NDArray[np.float64]]]:
        """Everything that may become of the codes 0..m-1: coded values, and with which probability. The hidden weight is 0
        or 1 alike."""
        codes = np.arange(self.size)
        for up, chance in enumerate((1 - codes / self.steps, codes / self.steps)):
            for weight in (0, 1):
                yield self.code(tree, codes, np.full(self.size, up), weight), chance / 2


@dataclass(frozen=True)
class TextColumn:
    """A column of the space: the cell of a text in one view."""

    attribute: int  # place among the service's sensitive attributes
    size: int  # values that the attribute has listed, with the rest
    name: str  # "prefix 19", "whole 1", "count"
    bits: int  # of a prefix; 0: the whole text
    cells: int
    key: bytes

    kind: ClassVar[str] = "text"

    @cached_property
    def cell(self) -> TextCell:
        """How it sees a text."""
        return TextCell(self.bits, self.cells, self.key)

    @property
    def tree(self) -> Tree:
        """Side by side."""
        return Tree(self.cells, (self.cells,))


def rounded(service: Service, kind: Kind) -> tuple[Derived, ...]:
    """One column of this kind for each attribute with numbers: only they can be summed."""
    return tuple(Derived(kind, i, a.size) for i, a in enumerate(service.sensitive) if a.numeric and a.size > 1)


def covers(column: Derived | TextColumn, tree: Tree) -> bool:
    """Whether every coded value of a column has a leaf of its own in the tree."""
    if isinstance(column, TextColumn):
        return tree == column.tree
    codes = np.concatenate([np.asarray(code) for code, _ in column.cases(tree)])
    return bool(codes.min() >= 0 and codes.max() < tree.padded)
