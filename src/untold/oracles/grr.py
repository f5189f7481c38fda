"""Generalized randomized response."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from untold.exact import tilt
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.randomness import WORD, BulkRandomness, Randomness


@dataclass(frozen=True)
class GRR(FiniteOracle):
    """The truth with probability p, each other value with probability q.

        p = e^eps / (e^eps + k - 1)        q = 1 / (e^eps + k - 1)        [CALM, section 2.2.1]

    Best for k < 3 e^eps + 2. Drawn as an offset from the true cell: 0 with weight heavy, each other with weight light.
    """

    name = "grr"
    in_javascript = automatic = echoes = True

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light), summing to 2^64 - 1 over the k offsets: sums fit into a word."""
        return tilt(self.nano, self.domain_size, WORD - 1)

    @property
    def p(self) -> Fraction:
        return Fraction(self.weights[0], WORD - 1)

    @property
    def q(self) -> Fraction:
        return Fraction(self.weights[1], WORD - 1) if self.domain_size > 1 else Fraction(0)

    @property
    def indexes(self) -> int:
        return self.domain_size

    @property
    def spent(self) -> int:
        """Nothing where there is but one cell: the message is always the same."""
        return self.nano if self.domain_size > 1 else 0

    @cached_property
    def pairs(self) -> tuple[Fraction, Fraction]:
        """A message supports one cell."""
        return Fraction(0), Fraction(0)

    @cached_property
    def squared_support(self) -> Fraction:
        """One cell is supported, whatever the message: v = 1 / (k (p-q)^2)."""
        return Fraction(1)

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        return {"heavy": heavy, "light": light}

    def encode(self, cell: int, rng: Randomness) -> Message:
        heavy, light = self.weights
        return Message((cell + rng.tilted(heavy, light, self.domain_size)) % self.domain_size)

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.linear import encode_linear

        heavy, light = self.weights
        return Messages(encode_linear(cells, rng, 1, self.domain_size, 1, heavy, light))

    def supports(self, message: Message, cell: int) -> bool:
        return message.index == cell

    def supports_from_counts(self, counts: Floats) -> Floats:
        return counts

    def gather(self, coefficients: Floats) -> Floats:
        return coefficients

    def gather_many(self, rows: Floats) -> Floats:
        return rows
