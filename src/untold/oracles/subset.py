"""Subset selection."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from untold.exact import exp_at_most
from untold.oracles.base import Cells, Message, Messages
from untold.oracles.bits import BitOracle
from untold.randomness import WORD, BulkRandomness, Randomness


@dataclass(frozen=True)
class SubsetSelection(BitOracle):
    """A set of w cells, uniform among those that hold the true cell with probability p, else among those that do not.

        p = w e^eps / (w e^eps + k - w)        q = (p (w - 1) + (1 - p) w) / (k - 1)        w ~ k / (e^eps + 1)

    [Ye and Barg, Optimal Schemes for Discrete Distribution Estimation under LDP; Wang et al., Mutual Information
    Optimally Local Private Discrete Distribution Estimation]. C(k-1, w-1) sets hold the true cell and C(k-1, w) do not,
    so the ratio of probabilities is p/(1-p) * (k-w)/w; p is rounded down to an integer over 2^64.

    The draws are the same for truth and lie: one for which it is, and w for an ordered sample of other cells, whose
    last one gives way to the true cell.
    """

    name = "subset"

    @cached_property
    def chosen(self) -> int:
        """w: the size of the set with the least variance; the best is next to k / (e^eps + 1)."""
        near = int(self.domain_size / (float(exp_at_most(self.nano)) + 1))
        sizes = [w for w in range(near - 1, near + 3) if 1 <= w < self.domain_size]
        return min(
            sizes, key=lambda w: _variance(_truth(self.nano, self.domain_size, w), self.domain_size, w), default=1
        )

    @cached_property
    def truth(self) -> int:
        """Weight, out of 2^64, of sets that hold the true cell."""
        return _truth(self.nano, self.domain_size, self.chosen)

    @property
    def p(self) -> Fraction:
        return Fraction(self.truth, WORD)

    @property
    def q(self) -> Fraction:
        return _other(self.truth, self.domain_size, self.chosen)

    @cached_property
    def pairs(self) -> tuple[Fraction, Fraction]:
        """A set with the true cell holds w - 1 of the other k - 1, uniformly, and one without it w of them."""
        k, w = self.domain_size, self.chosen
        if k < 3:
            return self.p * (w - 1), Fraction(0)
        two = self.p * (w - 1) * (w - 2) + (1 - self.p) * w * (w - 1)
        return self.p * Fraction(w - 1, k - 1), two / ((k - 1) * (k - 2))

    @cached_property
    def squared_support(self) -> Fraction:
        """w cells are supported, whatever the message: v = w (k-w) / (k (k-1) (p-q)^2), GRR's for w = 1."""
        return Fraction(self.chosen**2)

    def parameters(self) -> dict[str, int]:
        return {"chosen": self.chosen, "truth": self.truth}

    def encode(self, cell: int, rng: Randomness) -> Message:
        k, w = self.domain_size, self.chosen
        lie = 1 - rng.chance(self.truth)
        steps = list(range(1, k)) or [0]  # distances from the true cell; a lone cell has no other
        for i in range(min(w, len(steps))):
            j = i + rng.below(len(steps) - i)
            steps[i], steps[j] = steps[j], steps[i]
        steps[w - 1] *= lie  # distance 0 is the true cell
        return Message(0, (sum(1 << (cell + step) % k for step in steps[:w]),))

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.bits import encode_subset

        return self.as_messages(encode_subset(cells, rng, self.domain_size, self.chosen, self.truth))


def _truth(nano: int, k: int, w: int) -> int:
    """floor(2^64 p), and 2^64 for a lone cell."""
    bound = exp_at_most(nano)
    return WORD * w * bound.numerator // (w * bound.numerator + (k - w) * bound.denominator)


def _other(truth: int, k: int, w: int) -> Fraction:
    return Fraction(truth * (w - 1) + (WORD - truth) * w, WORD * (k - 1)) if k > 1 else Fraction(0)


def _variance(truth: int, k: int, w: int) -> float:
    p, q = truth / WORD, float(_other(truth, k, w))
    return q * (1 - q) / (p - q) ** 2
