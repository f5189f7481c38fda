"""Functions of tuples, many at once: a product of one function per attribute, each of them in several variants.

GROUP BY makes one variant of an attribute's function for each group, so that all groups of a query are the outer product of a
few small matrices, and everything that is linear or quadratic in them is computed for all groups together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.combined import Set
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.lattice import Lattice
from untold.plan.hierarchy import Tree, ladder_of_sums, less_coarser

NEGLIGIBLE = 1e-12  # of the largest value: a step of this size is rounding


@dataclass(eq=False)
class Rows:
    """The variants of one attribute's function, over the leaves of its tree: shape (variants, leaves)."""

    tree: Tree
    values: Floats
    _spread: dict[int, Floats] = field(default_factory=dict)

    @cached_property
    def steps(self) -> list[Floats]:
        """P_j of every variant, for every level j, as one number per block of level j: shape (variants, blocks)."""
        tree, largest = self.tree, np.abs(self.values).max(axis=1, initial=0.0)[:, None]
        means = [each / tree.block_size(j) for j, each in enumerate(ladder_of_sums(tree, self.values))]
        steps = [means[0]]
        for j in range(1, tree.height + 1):
            step = less_coarser(means[j], means[j - 1], tree.fan_outs[j - 1])
            step *= np.abs(step) > NEGLIGIBLE * largest
            steps.append(step)
        return steps

    @cached_property
    def reached(self) -> list[bool]:
        """For every level, whether a variant asks for it."""
        return [bool(step.any()) for step in self.steps]

    def spread(self, level: int) -> Floats:
        """All steps down to a level, on its blocks: shape (variants, level + 1, blocks)."""
        if level not in self._spread:
            blocks = self.tree.blocks(level)
            parts = [np.repeat(step, blocks // step.shape[1], axis=1) for step in self.steps[: level + 1]]
            self._spread[level] = np.stack(parts, axis=1)
        return self._spread[level]

    def part(self, own: slice) -> Rows:
        """Some of the variants."""
        return Rows(self.tree, self.values[own])


@dataclass(frozen=True, eq=False)
class Product:
    """A product of functions of these attributes; its variants are all combinations of theirs."""

    attributes: Set
    rows: tuple[Rows, ...]
    _wider: dict[object, Product] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Variants of each attribute."""
        return tuple(len(own.values) for own in self.rows)

    @property
    def mean(self) -> Floats:
        """Mean over all leaves, of every variant."""
        return outer([own.steps[0][:, 0] for own in self.rows])

    def read(self, table: Floats) -> Floats:
        """<w, F> of every variant w, for a table F over the leaves of the attributes."""
        return contract(table, [own.values for own in self.rows])

    def over(self, attributes: Set, trees: Sequence[Tree], shape: tuple[int, ...]) -> Product:
        """The same as a product over more attributes, of which it is a constant function; made once."""
        if attributes == self.attributes:
            return self
        key = attributes, shape, tuple(trees[a] for a in attributes)  # one that asks nothing serves every plan
        if key not in self._wider:
            known = dict(zip(self.attributes, self.rows, strict=True))
            rows = [
                known.get(a) or Rows(trees[a], np.ones((n, trees[a].padded)))
                for a, n in zip(attributes, shape, strict=True)
            ]
            self._wider[key] = Product(attributes, tuple(rows))
        return self._wider[key]


def contract(table: Floats, matrices: Sequence[Floats]) -> Floats:
    """Replace each axis of a table by the rows of a matrix: table[..., x, ...] -> sum over x of m[r, x] table[..., x, ...]."""
    for matrix in matrices:  # the first axis becomes the last
        table = np.tensordot(table, matrix, axes=([0], [1]))
    return np.asarray(table)


def outer(vectors: Sequence[Floats]) -> Floats:
    """The outer product, one axis per vector."""
    out = np.ones(())
    for vector in vectors:
        out = np.multiply.outer(out, vector)
    return np.asarray(out)


def common(left: Product, right: Product, trees: Sequence[Tree]) -> tuple[Product, Product]:
    """Two products over the attributes of both."""
    if left.attributes == right.attributes:
        return left, right
    attributes = tuple(sorted({*left.attributes, *right.attributes}))
    sizes = dict(zip(left.attributes, left.shape, strict=True)) | dict(zip(right.attributes, right.shape, strict=True))
    shape = tuple(sizes[a] for a in attributes)
    return left.over(attributes, trees, shape), right.over(attributes, trees, shape)


def told_by(views: Lattice, product: Product) -> npt.NDArray[np.bool_]:
    """Which views reach a band, other than the mean, in which some variant has energy."""
    levels = views.levels[:, list(product.attributes)]
    some, below = np.ones(len(levels), dtype=bool), np.zeros(len(levels), dtype=bool)
    for axis, rows in enumerate(product.rows):
        reached = np.array(rows.reached)
        some &= np.cumsum(reached)[levels[:, axis]] > 0
        below |= np.cumsum(reached & (np.arange(len(reached)) > 0))[levels[:, axis]] > 0
    return some & below


@dataclass(frozen=True, eq=False)
class Together:
    """Products that meet in one formula: differences between them are only as good as what they are computed from is the same."""

    products: tuple[Product, ...]

    @property
    def attributes(self) -> Set:
        """All that one of them touches."""
        return tuple(sorted({a for product in self.products for a in product.attributes}))
