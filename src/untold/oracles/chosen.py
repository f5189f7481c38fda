"""What questions see of views of texts: some cells and all the rest, or nothing. No device reports by these."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.oracles.agr import AGR
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.oracles.cell_order import place_of_cell
from untold.randomness import BulkRandomness, Randomness


@dataclass(frozen=True)
class Reread(FiniteOracle):
    """Another reading of messages that are there already."""

    def encode(self, cell: int, rng: Randomness) -> Message:
        raise NotImplementedError("nobody reports by it")

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        raise NotImplementedError("nobody reports by it")


@dataclass(frozen=True)
class Chosen(Reread):
    """Some cells of another oracle, and as the last one all others together.

        phi_rest = 1 - sum of phi over the chosen cells

    The chosen cells share p and q; the rest has neither, so `supports` of it are numbers that give this phi.
    """

    inner: AGR
    cells: tuple[int, ...]

    name = "chosen"
    pure = False

    @property
    def p(self) -> Fraction:
        return self.inner.p

    @property
    def q(self) -> Fraction:
        return self.inner.q

    @property
    def indexes(self) -> int:
        return self.inner.indexes

    @property
    def pairs(self) -> tuple[Fraction, Fraction]:
        return self.inner.pairs

    @cached_property
    def squared_support(self) -> Fraction:
        return self.squared_support_by_pairs()

    def supports(self, message: Message, cell: int) -> bool:
        return self.inner.supports(message, self.cells[cell])

    def values(self) -> npt.NDArray[np.int64]:
        """The hash of every chosen cell by every direction, as `AGR.project` has it: (directions, cells)."""
        g, t = self.inner.sides, self.inner.digits
        places = np.array([place_of_cell(cell, g, t) if self.inner.scrambled else cell for cell in self.cells])
        direction, first, power = np.arange(self.inner.directions), 0, 1
        vectors = np.empty(len(direction), dtype=np.int64)
        while first < len(direction):
            own = slice(first, first + power)
            vectors[own] = power + direction[own] - first
            first, power = first + power, power * g
        found = np.zeros((len(vectors), len(places)), dtype=np.int64)
        for digit in range(t):
            found += (vectors // g**digit % g)[:, None] * (places // g**digit % g)[None]
        return found % g

    def pair_supports(self, counts: Floats) -> Floats:
        """How many messages support both of two chosen cells: (cells, cells)."""
        values, by_direction = self.values(), counts.reshape(self.inner.directions, self.inner.sides)
        found = np.empty((len(self.cells), len(self.cells)))
        for i in range(len(self.cells)):
            own = by_direction[np.arange(len(values)), values[:, i]]
            seen = np.flatnonzero(own)
            found[i] = own[seen] @ (values[seen] == values[seen, i : i + 1])
        return found

    def supports_from_counts(self, counts: Floats) -> Floats:
        every = self.inner.supports_from_counts(counts)[list(self.cells)]
        (p, q), total = self.floats, float(counts.sum())
        rest = total - (every - q * total).sum() / (p - q)
        return np.append(every, q * total + (p - q) * rest)

    def gather(self, coefficients: Floats) -> Floats:
        (p, q), rest = self.floats, coefficients[-1]
        spread = np.zeros(self.inner.domain_size)
        np.add.at(spread, list(self.cells), coefficients[:-1] - rest)
        found = self.inner.gather(spread)
        # (found - q sum(spread)) / (p - q) + rest is what _score makes of it
        return np.asarray(found - q * spread.sum() + (p - q) * rest + q * coefficients.sum())


@dataclass(frozen=True)
class Silent(Reread):
    """Messages that tell nothing of what is asked."""

    messages: int

    name = "silent"
    p = Fraction(1)
    q = Fraction(0)

    @property
    def indexes(self) -> int:
        return self.messages

    def supports(self, message: Message, cell: int) -> bool:
        return True

    def supports_from_counts(self, counts: Floats) -> Floats:
        return np.array([counts.sum()])

    def gather(self, coefficients: Floats) -> Floats:
        return np.full(self.indexes, coefficients[0])
