"""Optimized local hashing, with a seed in every report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from untold.exact import exp_at_most, tilt
from untold.oracles.base import Cells, Floats, Message, Messages, Oracle
from untold.randomness import WORD, BulkRandomness, Randomness

HASH_BITS = 32  # of h, whichever the width, up to 2^32 cells
MOST_SIDES = 1 << 16  # reached at epsilon 11
NARROW_CELLS = 1 << 16  # up to here 32-bit arithmetic is as good as 64-bit


@dataclass(frozen=True)
class OLH(Oracle):
    """A hash function drawn afresh, and GRR over the g values of the hashed cell.

        p = e^eps / (e^eps + g - 1)        q = p S + (1 - p)(1 - S)/(g - 1) ~ 1/g        g = e^eps + 1, rounded

    [Wang et al., Locally Differentially Private Protocols for Frequency Estimation]. S is the probability that two
    cells share a bucket. The hash is multiply-shift, H(x) = (h g) >> 32 with h of 32 bits (a, b are the report's seed):

        width 64    h = ((a x + b) mod 2^64) >> 32        strongly universal for x < 2^32 [Dietzfelbinger 1996]
        width 32    h = (a x + b) mod 2^32                twice to three times as fast to count

    Cells of w > 32 bits leave h the 65 - w top bits of a word of 64, H(x) = (h g) >> (65 - w): still strongly universal.

    Buckets hold floor(2^32/g) or ceil(2^32/g) values of h, and S = sum of their squares / 2^64 (with fewer bits
    likewise): q is exact at width 64.
    At width 32 it is exact for two cells an odd number apart; for a multiple of d = 2^s apart S is up to (d g / 2^33)^2
    larger, relative: less than 7e-7 below 2^16 cells with g <= 149. Privacy does not depend on it: the seed knows
    nothing of the cell.
    """

    width: int | None = None  # bits of arithmetic; by default 32 up to 2^16 cells, else 64

    name = "olh"
    most_cells = 1 << 48  # h has 17 bits there
    extra_columns = ("seed_a", "seed_b")
    in_javascript = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width not in (None, 32, 64):
            raise ValueError(
                f"width must be 32 or 64 (or None: 32 up to {NARROW_CELLS} cells, else 64), not {self.width}"
            )
        most = 32 if self.width == 32 else 48
        if self.domain_size > 1 << most:
            raise ValueError(
                f"domain_size must be at most 2^{most} to be hashed, not {self.domain_size}: hash coarser cells"
            )

    @property
    def word_bits(self) -> int:
        """The width, with its default filled in."""
        return self.width or (32 if self.domain_size <= NARROW_CELLS else 64)

    @property
    def hash_bits(self) -> int:
        """Of h: as many as stay independent for two cells."""
        return min(HASH_BITS, 65 - (self.domain_size - 1).bit_length())

    @property
    def seed_bits(self) -> int:
        return self.word_bits

    @classmethod
    def restored(cls, epsilon: float, domain_size: int, parameters: Mapping[str, int]) -> Self:
        """The width as it was frozen."""
        usual = cls(epsilon, domain_size)
        same = parameters.get("width") == usual.word_bits
        return usual if same else cls(epsilon, domain_size, parameters.get("width"))

    @cached_property
    def sides(self) -> int:
        """g: the whole number nearest to e^eps + 1, which has the least variance; capped, far beyond any use."""
        return min(int(exp_at_most(self.nano) + Fraction(3, 2)), MOST_SIDES)

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light), summing to 2^64 - 1 over the g offsets."""
        return tilt(self.nano, self.sides, WORD - 1)

    @property
    def p(self) -> Fraction:
        return Fraction(self.weights[0], WORD - 1)

    @property
    def q(self) -> Fraction:
        heavy, light = self.weights
        shared = shared_bucket(self.sides, self.hash_bits)
        return (heavy * shared + light * (1 - shared)) / (WORD - 1)

    @property
    def indexes(self) -> int:
        return self.sides

    @property
    def bytes_per_report(self) -> int:
        return self.word_bits // 4 + max(1, -(-(self.sides - 1).bit_length() // 8))

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        return {"sides": self.sides, "width": self.word_bits, "heavy": heavy, "light": light}

    def encode(self, cell: int, rng: Randomness) -> Message:
        first = rng.word()  # width 32: both halves of one word
        a, b = (first % 2**32, first >> 32) if self.word_bits == 32 else (first, rng.word())
        offset = rng.tilted(*self.weights, self.sides)
        return Message((self.hashed(a, b, cell) + offset) % self.sides, (a, b))

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.hashing import encode_hashed

        index, a, b = encode_hashed(cells, rng, self.word_bits, self.sides, *self.weights, self.hash_bits)
        return Messages(index, {"seed_a": a, "seed_b": b})

    def hashed(self, a: int, b: int, cell: int) -> int:
        """H(cell) under the seed (a, b)."""
        return bucket(cell, a, b, self.sides, self.word_bits, self.hash_bits)

    def supports(self, message: Message, cell: int) -> bool:
        a, b = message.extra
        return self.hashed(a, b, cell) == message.index

    def support_counts(self, messages: Messages) -> npt.NDArray[np.int64]:
        from untold.kernels.hashing import count_hashed

        a, b = messages.extra["seed_a"], messages.extra["seed_b"]
        return count_hashed(messages.index, a, b, self.word_bits, self.sides, self.domain_size)

    def support_sums(self, messages: Messages, coefficients: Floats) -> Floats:
        from untold.kernels.seeded import support_sums

        a, b = messages.extra["seed_a"], messages.extra["seed_b"]
        return support_sums(self.word_bits, self.sides, messages.index, a, b, coefficients)


def bucket(cell: int, a: int, b: int, sides: int, word_bits: int, hash_bits: int) -> int:
    """Multiply-shift: the top `hash_bits` of a * cell + b in words of `word_bits`, scaled down to 0..sides-1."""
    h = (a * cell + b) % (1 << word_bits) >> (word_bits - hash_bits)
    return h * sides >> hash_bits


def shared_bucket(sides: int, hash_bits: int) -> Fraction:
    """S: the probability that two independent, uniform hashes of `hash_bits` fall into one of `sides` buckets.

    >>> shared_bucket(3, 2)
    Fraction(3, 8)
    """
    small, larger = divmod(1 << hash_bits, sides)  # `larger` buckets hold one more
    return Fraction(larger * (small + 1) ** 2 + (sides - larger) * small**2, 1 << 2 * hash_bits)
