"""The noise of an endless row of trees, leaf after leaf, in memory that grows with the height of a tree only.

Nothing is stored but a key: the noise of any node is expanded from it whenever it is needed. A *grove* is what one key
serves: a single tree, or as many small trees as fit into a chunk of 4,096 leaves. Then the next key takes its place.

On-line consistency needs the sum of a whole tree's noise before its first leaf: a tree larger than a chunk is walked
through once for each level above the chunk, and forgotten again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.streams import consistency
from untold.streams.geometric import DiscreteLaplace
from untold.streams.keyed import Key

CHUNK = 4096  # leaves that are expanded at once
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """Trees of `levels` levels and fan-out `branching`, without a root above them."""

    branching: int  # b
    levels: int  # L
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        if self.branching < 2 or self.levels < 1:
            raise ValueError(
                f"a tree needs a fan-out of 2 and 1 level at least, not {self.branching} and {self.levels}"
            )

    @property
    def leaves(self) -> int:
        """Leaves of one tree."""
        return int(self.branching ** (self.levels - 1))

    @cached_property
    def bottom(self) -> int:
        """Height of the subtree that is expanded at once."""
        height = 1
        while height < self.levels and self.branching**height <= self.chunk:
            height += 1
        return height

    @property
    def width(self) -> int:
        """Leaves of a chunk."""
        return self.roots * int(self.branching ** (self.bottom - 1))

    @property
    def roots(self) -> int:
        """Nodes of height `bottom` in a chunk: several only if these are whole trees."""
        return max(1, self.chunk // self.leaves) if self.bottom == self.levels else 1

    @property
    def chunks(self) -> int:
        """Chunks of a grove."""
        return int(self.branching ** (self.levels - self.bottom))


class LeafNoise:
    """Leaf noise in units of 2^-bits, from any key and position on: `take` is all that it does."""

    def __init__(
        self, shape: Shape, noise: DiscreteLaplace, bits: int, consistent: bool, key: Key, position: int = 0
    ) -> None:
        self.shape, self.noise, self.bits, self.consistent = shape, noise, bits, consistent
        self.key, self.position = key, position  # position: leaves of this grove that were taken
        self._chunk = -1
        self._leaves = np.empty(0, dtype=np.int64)
        self._families: dict[int, tuple[int, Integers]] = {}  # height of children: (parent, C of its children)

    def take(self, count: int) -> Integers:
        """The noise of the next `count` leaves."""
        parts: list[Integers] = []
        while count:
            chunk, used = divmod(self.position, self.shape.width)
            if chunk == self.shape.chunks:
                self.key, self.position, self._chunk, self._families = self.key.next(), 0, -1, {}
                continue
            if chunk != self._chunk:
                self._leaves, self._chunk = self._expand(chunk), chunk
            part = self._leaves[used : used + count]
            parts.append(part)
            self.position += len(part)
            count -= len(part)
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def _expand(self, chunk: int) -> Integers:
        levels, b = self._chunk_noise(chunk), self.shape.branching
        if self.consistent:
            lifted = consistency.lift(levels, b)
            top = None if self.shape.bottom == self.shape.levels else self._settled(self.shape.bottom, chunk)
            return consistency.consistent_leaves(lifted, b, self.bits, top)
        leaves = consistency.prefix_leaves(levels, b)
        for height in range(self.shape.bottom + 1, self.shape.levels + 1):
            index, rest = divmod(chunk + 1, b ** (height - self.shape.bottom))
            if rest == 0:
                children = sum(self._node(height - 1, b * (index - 1) + i) for i in range(b))
                leaves[-1] += self._node(height, index - 1) - children
        return leaves << self.bits

    def _chunk_noise(self, chunk: int) -> list[Integers]:
        """Noise of all nodes of a chunk, leaves first. Drawn from the highest level down: roots are cheap to draw
        alone.
        """
        sizes = [self.shape.roots * self.shape.branching**depth for depth in range(self.shape.bottom)]
        everything = self.noise.draw_many(self.key, sum(sizes), "chunk", chunk)
        return np.split(everything, np.cumsum(sizes)[:-1])[::-1]

    def _node(self, height: int, index: int) -> int:
        """Noise of a node at or above the roots of the chunks."""
        if height == self.shape.bottom:
            return int(self.noise.draw_many(self.key, 1, "chunk", index)[0])
        return int(self.noise.draw_many(self.key, 1, "node", height, index)[0])

    def _lifted(self, height: int, index: int) -> int:
        """Y of a node at or above the roots of the chunks: a walk through its whole subtree."""
        b = self.shape.branching
        if height == self.shape.bottom:
            return int(consistency.lift(self._chunk_noise(index), b)[-1][0])
        children = sum(self._lifted(height - 1, b * index + i) for i in range(b))
        return int(b ** (height - 1)) * self._node(height, index) + children

    def _settled(self, height: int, index: int) -> Integers:
        """C of a node at or above the roots of the chunks, as an array of one."""
        b = self.shape.branching
        if height == self.shape.levels:
            lifted = np.array([self._lifted(height, index)], dtype=np.int64)
            return consistency.floor_share(lifted, b, height, self.bits)
        parent, place = divmod(index, b)
        if self._families.get(height, (-1, None))[0] != parent:
            lifted = np.array([self._lifted(height, b * parent + i) for i in range(b)], dtype=np.int64)
            above = self._settled(height + 1, parent)
            self._families[height] = (parent, consistency.settle(above, lifted, b, height, self.bits))
        return self._families[height][1][place : place + 1]
