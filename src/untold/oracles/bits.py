"""What oracles share whose message is a set of cells, one bit for each cell."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from untold.oracles.base import Cells, Floats, Message, Messages, Oracle
from untold.randomness import WORD, BulkRandomness, Randomness

ROWS_AT_ONCE = 1 << 14


class BitOracle(Oracle):
    """A message lists the cells that it supports: bit c of `bits` is set if it speaks for cell c.

    In bulk `bits` is an array of bytes, ceil(k / 8) in a row, the lowest bit first: the little-endian form of the same
    integer.
    """

    most_cells = 1 << 12  # a bit for each in every report
    extra_columns = ("bits",)
    travels = False

    @property
    def indexes(self) -> int:
        return 1

    @property
    def bytes_per_report(self) -> int:
        return -(-self.domain_size // 8)

    def supports(self, message: Message, cell: int) -> bool:
        return bool(message.extra[0] >> cell & 1)

    def support_counts(self, messages: Messages) -> npt.NDArray[np.int64]:
        from untold.kernels.bits import count_bits

        return count_bits(messages.extra["bits"], self.domain_size)

    def support_sums(self, messages: Messages, coefficients: Floats) -> Floats:
        bits = messages.extra["bits"]
        out = np.empty(len(bits))
        for first in range(0, len(bits), ROWS_AT_ONCE):  # a byte for each bit, of so many reports at a time
            rows = slice(first, first + ROWS_AT_ONCE)
            out[rows] = np.unpackbits(bits[rows], axis=1, bitorder="little", count=self.domain_size) @ coefficients
        return out

    def as_messages(self, bits: npt.NDArray[np.uint8]) -> Messages:
        """Rows of bytes as messages; their index says nothing and is 0."""
        return Messages(np.zeros(len(bits), dtype=np.uint32), {"bits": bits})


class UnaryOracle(BitOracle):
    """Every bit is drawn by itself, with weight `truth` of 2^64 for the true cell and weight `other` for any other."""

    @property
    @abstractmethod
    def weights(self) -> tuple[int, int]:
        """(truth, other), out of 2^64."""

    @property
    def p(self) -> Fraction:
        return Fraction(self.weights[0], WORD)

    @property
    def q(self) -> Fraction:
        return Fraction(self.weights[1], WORD)

    def parameters(self) -> dict[str, int]:
        truth, other = self.weights
        return {"truth": truth, "other": other}

    def encode(self, cell: int, rng: Randomness) -> Message:
        weights = self.weights
        return Message(0, (sum(rng.chance(weights[c != cell]) << c for c in range(self.domain_size)),))

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.bits import encode_unary

        return self.as_messages(encode_unary(cells, rng, self.domain_size, *self.weights))
