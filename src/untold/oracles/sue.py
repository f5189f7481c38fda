"""Symmetric unary encoding (basic RAPPOR)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from untold.exact import exp_at_most
from untold.oracles.bits import UnaryOracle
from untold.randomness import WORD


@dataclass(frozen=True)
class SUE(UnaryOracle):
    """One bit per cell, each flipped with the same probability q.

        p = e^(eps/2) / (e^(eps/2) + 1)        q = 1 / (e^(eps/2) + 1)        [Erlingsson et al., RAPPOR]

    Two cells differ in two bits, so the ratio of probabilities is at most (p/q)^2; q is rounded up to an integer over
    2^64.
    """

    name = "sue"

    @cached_property
    def weights(self) -> tuple[int, int]:
        half = exp_at_most(self.nano, 2)
        other = -(-WORD * half.denominator // (half.numerator + half.denominator))
        return WORD - other, other
