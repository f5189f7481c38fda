"""The sign of one Fourier coefficient of a record that is written in bits [CALM, section 3.5 and appendix A.1]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Self

import numpy as np
import numpy.typing as npt

from untold.exact import tilt
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.randomness import WORD, BulkRandomness, Randomness

MOST_COEFFICIENTS = 1 << 21


@dataclass(frozen=True)
class Fourier(FiniteOracle):
    """A coefficient is a set a of bits; a device picks one of 1 to `order` bits and sends its sign, perturbed.

        sign of a = (-1)^<a, x>        p = e^eps / (e^eps + 1) for the true sign

    x is the cell, whose number is read as bits. The picked coefficient does not depend on the data. A message is
    2 * (number of the coefficient) + 1[negative].

    Unlike every other oracle this one does not tell how many people are in each cell: only sums over cells that depend
    on at most `order` bits. So it belongs to design "ft" alone, and SQL is refused. q is the least probability that a
    message supports another cell.
    """

    order: int = 1

    name = "fourier"
    most_cells = 1 << 32
    tells_cells = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.count <= MOST_COEFFICIENTS:
            raise ValueError(f"1 to {MOST_COEFFICIENTS:,} coefficients are possible, not {self.count:,}")

    @property
    def bits(self) -> int:
        """b, of a cell."""
        return (self.domain_size - 1).bit_length()

    @property
    def count(self) -> int:
        """How many coefficients there are, the constant one left out."""
        return coefficients_up_to(self.bits, self.order)

    @property
    def masks(self) -> npt.NDArray[np.int64]:
        """Every coefficient as a number with its bits set, in rising order."""
        return masks_up_to(self.bits, self.order)

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light) of the true and the false sign, for each coefficient."""
        return tilt(self.nano, 2, (WORD - 1) // self.count)

    @property
    def p(self) -> Fraction:
        return Fraction(self.weights[0], sum(self.weights))

    @property
    def q(self) -> Fraction:
        return 1 - self.p

    @property
    def indexes(self) -> int:
        return 2 * self.count

    @classmethod
    def restored(cls, epsilon: float, domain_size: int, parameters: Mapping[str, int]) -> Self:
        return cls(epsilon, domain_size, parameters["order"])

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        return {"order": self.order, "copies": self.count, "sides": 2, "heavy": heavy, "light": light}

    def project(self, number: int, cell: int) -> int:
        """1 where the coefficient of this number is negative for a cell."""
        return (int(self.masks[number]) & cell).bit_count() & 1

    def encode(self, cell: int, rng: Randomness) -> Message:
        number, lie = divmod(rng.tilted(*self.weights, 2, self.count), 2)
        return Message(2 * number + (self.project(number, cell) ^ lie))

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        heavy, light = (np.uint64(weight) for weight in self.weights)
        words = rng.words((len(cells),)).copy()
        end = np.uint64(self.count) * (heavy + light)
        while (beyond := words >= end).any():
            words[beyond] = rng.words((int(beyond.sum()),))
        number, rest = np.divmod(words, heavy + light)
        parity = np.bitwise_count(cells.astype(np.int64) & self.masks[number.astype(np.int64)]) & 1
        return Messages((2 * number + (parity ^ (rest >= heavy))).astype(np.uint32))

    def supports(self, message: Message, cell: int) -> bool:
        return self.project(message.index // 2, cell) == message.index % 2

    def supports_from_counts(self, counts: Floats) -> Floats:
        """(n + sum over coefficients of (positive - negative) sign) / 2, for all cells by one fast transform."""
        from untold.kernels.hadamard import walsh_hadamard

        signs = np.zeros(1 << self.bits)
        signs[self.masks] = counts[0::2] - counts[1::2]
        return np.asarray((counts.sum() + walsh_hadamard(signs)[: self.domain_size]) / 2)

    def gather(self, coefficients: Floats) -> Floats:
        from untold.kernels.hadamard import walsh_hadamard

        padded = np.zeros(1 << self.bits)
        padded[: self.domain_size] = coefficients
        total, found = coefficients.sum(), walsh_hadamard(padded)[self.masks]
        return np.stack([(total + found) / 2, (total - found) / 2], axis=1).reshape(-1)

    def thetas(self, positive: Floats, negative: Floats) -> Floats:
        """Unbiased E[sign] of each coefficient from the counts of its two messages; 0 where nobody reported."""
        heavy, light = self.weights
        both = np.maximum(positive + negative, 1)
        return np.asarray((positive - negative) / both * ((heavy + light) / (heavy - light)))


def coefficients_up_to(bits: int, order: int) -> int:
    """How many sets of 1 to `order` bits there are.

    >>> coefficients_up_to(8, 3)
    92
    """
    return sum(comb(bits, size) for size in range(1, min(order, bits) + 1))


@lru_cache(maxsize=8)
def masks_up_to(bits: int, order: int) -> npt.NDArray[np.int64]:
    """All sets of 1 to `order` bits as numbers, in rising order.

    >>> masks_up_to(3, 2).tolist()
    [1, 2, 3, 4, 5, 6]
    """
    chosen = (sum(1 << b for b in each) for size in range(1, order + 1) for each in combinations(range(bits), size))
    return np.sort(np.fromiter(chosen, dtype=np.int64, count=coefficients_up_to(bits, order)))
