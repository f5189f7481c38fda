"""Hadamard response."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from untold.exact import tilt
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.randomness import WORD, BulkRandomness, Randomness


@dataclass(frozen=True)
class Hadamard(FiniteOracle):
    """A row y of the Hadamard matrix: with probability p one that has +1 in the true cell's column, else one with -1.

        H[y, c] = (-1)^popcount(y & (c + 1))        p = e^eps / (e^eps + 1)        q = 1/2

    [Acharya, Sun and Zhang, Hadamard Response, the form for high privacy]. K = 2^ceil(log2(k + 1)) rows; column 0,
    constant, is left out. Half of the rows have +1 in a column, and a quarter +1 in each of two columns: q is 1/2
    exactly.

    One draw gives a uniform row and, by a biased bit, the wanted sign; flipping the lowest bit of c + 1 in the row
    changes its sign. Poor above eps = 1, where other oracles choose smaller sets.
    """

    name = "hadamard"

    @property
    def rows(self) -> int:
        """K."""
        return 1 << self.domain_size.bit_length()

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light) of the signs +1 and -1 for each of the K rows."""
        return tilt(self.nano, 2, (WORD - 1) // self.rows)

    @property
    def p(self) -> Fraction:
        return Fraction(self.weights[0], sum(self.weights))

    @property
    def q(self) -> Fraction:
        return Fraction(1, 2)

    @property
    def indexes(self) -> int:
        return self.rows

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        return {"rows": self.rows, "heavy": heavy, "light": light}

    def encode(self, cell: int, rng: Randomness) -> Message:
        heavy, light = self.weights
        row, sign = divmod(rng.tilted(heavy, light, 2, self.rows), 2)
        column = cell + 1
        wrong = (row & column).bit_count() & 1 ^ sign
        return Message(row ^ (column & -column) * wrong)

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.hadamard import encode_hadamard

        return Messages(encode_hadamard(cells, rng, self.rows, *self.weights))

    def supports(self, message: Message, cell: int) -> bool:
        return (message.index & (cell + 1)).bit_count() % 2 == 0

    def supports_from_counts(self, counts: Floats) -> Floats:
        """(n + sum_y counts_y H[y, c]) / 2, for all cells by one fast transform."""
        from untold.kernels.hadamard import walsh_hadamard

        return np.asarray((counts.sum() + walsh_hadamard(counts)[1 : self.domain_size + 1]) / 2)

    def gather(self, coefficients: Floats) -> Floats:
        from untold.kernels.hadamard import walsh_hadamard

        padded = np.zeros(self.rows)
        padded[1 : self.domain_size + 1] = coefficients
        return np.asarray((coefficients.sum() + walsh_hadamard(padded)) / 2)
