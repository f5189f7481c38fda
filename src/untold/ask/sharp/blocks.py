"""A log-density of a large table: fitted on blocks of values, and spread inside of them as each attribute by itself is.

Few blocks first: what is found on them is where the fit on more of them starts. Inside of its blocks an attribute is spread as the
log-density of this attribute alone says, on at most MAX_VALUES blocks, and evenly below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from untold.ask.decoded.closest import lengths
from untold.ask.decoded.contrasts import forward
from untold.ask.decoded.products import contract
from untold.ask.sharp.columns import MAX_COLUMNS, effects_of
from untold.ask.sharp.log_density import Axis, LogDensity, fit
from untold.kernels.arrays import Floats
from untold.plan.hierarchy import Tree

MAX_VALUES = 512
MAX_BLOCKS = {1: MAX_VALUES, 2: 32, 3: 16, 4: 8}  # of each attribute with an order, by how many attributes there are
FIRST_BLOCKS = 8
MAX_CELLS = 1 << 14


@dataclass(frozen=True)
class CutAttribute:
    """An attribute cut into blocks of one level of its tree."""

    tree: Tree
    level: int

    @property
    def coefficients(self) -> int:
        """Contrasts that its blocks tell."""
        return self.tree.blocks(self.level)

    @property
    def count(self) -> int:
        """CutAttribute with a value that is declared."""
        return -(-self.tree.size // self.tree.block_size(self.level))

    def sums(self, margin: Floats) -> Floats:
        """Values of the attribute (padded), added up in blocks."""
        return np.asarray(margin.reshape(self.coefficients, -1).sum(axis=1)[: self.count])

    def inside(self, margin: Floats) -> Floats:
        """(blocks, padded values): how a block is spread over its values, as this margin is; evenly where it holds nobody."""
        size = self.tree.block_size(self.level)
        own = np.zeros((self.count, self.tree.padded))
        for block in range(self.count):
            values = slice(block * size, min((block + 1) * size, self.tree.size))
            part = margin[values]
            own[block, values] = part / part.sum() if part.sum() > 0 else 1 / len(part)
        return own


def blocks_of(tree: Tree, ordered: bool, most: int) -> CutAttribute:
    """As fine as they may be; a list has no blocks but its values."""
    fine = [level for level in range(tree.height + 1) if tree.blocks(level) <= most]
    return CutAttribute(tree, max(fine) if ordered else tree.height)


@lru_cache(maxsize=64)
def axis_of(blocks: CutAttribute, ordered: bool) -> Axis:
    """The contrasts of its blocks: those of its values, orthonormal over the padded leaves."""
    count = blocks.coefficients
    matrix = forward(np.eye(count), [blocks.tree], [blocks.level]).T / lengths(blocks.tree)[:count, None]
    return Axis(np.ascontiguousarray(matrix[:, : blocks.count]), ordered)


def is_small_enough(trees: Sequence[Tree], ordered: Sequence[bool]) -> bool:
    """Whether a log-density of a table can be fitted in good time."""
    if len(trees) not in MAX_BLOCKS:
        return False
    blocks = [blocks_of(t, o, MAX_BLOCKS[len(trees)]) for t, o in zip(trees, ordered, strict=True)]
    sizes = tuple(each.count for each in blocks)
    if prod(sizes) > MAX_CELLS or sum(s for s, o in zip(sizes, ordered, strict=True) if not o) > MAX_COLUMNS:
        return False
    return sum(effect.columns for effect in effects_of(sizes, tuple(ordered))) <= MAX_COLUMNS


def margin_contrasts(y: Floats, w: Floats, axis: int) -> tuple[Floats, Floats]:
    """Contrasts and precisions of one attribute by itself, from those of a table."""
    own = tuple(slice(None) if i == axis else 0 for i in range(y.ndim))
    others = y.size // y.shape[axis]
    return y[own] * np.sqrt(others), w[own] / others


@dataclass(frozen=True)
class SpreadDensity:
    """A log-density on blocks, and how each attribute is spread inside of them: (blocks, padded values)."""

    density: LogDensity
    inside: tuple[Floats, ...]

    @property
    def table(self) -> Floats:
        """Shares of people in all padded leaves."""
        return contract(self.density.table, [own.T for own in self.inside])


def fit_margin(y: Floats, w: Floats, tree: Tree, ordered: bool) -> SpreadDensity:
    """One attribute by itself."""
    blocks = blocks_of(tree, ordered, MAX_VALUES)
    cut = slice(0, blocks.coefficients)
    even = np.where(np.arange(tree.padded) < tree.size, 1.0, 0.0)
    return SpreadDensity(fit(y[cut], w[cut], [axis_of(blocks, ordered)]), (blocks.inside(even),))


def fit_together(
    y: Floats, w: Floats, trees: Sequence[Tree], ordered: Sequence[bool], margins: Sequence[Floats]
) -> SpreadDensity:
    """Several attributes; `margins` are the tables of each by itself."""
    found: LogDensity | None = None
    for most in (FIRST_BLOCKS, MAX_BLOCKS[len(trees)]) if any(ordered) else (0,):
        blocks = [blocks_of(tree, order, most) for tree, order in zip(trees, ordered, strict=True)]
        cut = tuple(slice(0, each.coefficients) for each in blocks)
        found = fit(y[cut], w[cut], [axis_of(b, o) for b, o in zip(blocks, ordered, strict=True)], found)
    assert found is not None
    return SpreadDensity(found, tuple(b.inside(m) for b, m in zip(blocks, margins, strict=True)))
