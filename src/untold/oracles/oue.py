"""Optimized unary encoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from untold.exact import tilt
from untold.oracles.bits import UnaryOracle
from untold.randomness import WORD


@dataclass(frozen=True)
class OUE(UnaryOracle):
    """One bit per cell: the true one is set with probability 1/2, each other one as rarely as epsilon allows.

        p = 1/2        q = 1 / (e^eps + 1)

    [Wang et al., Locally Differentially Private Protocols for Frequency Estimation]. Two cells differ in two bits. With
    p = 1/2 exactly, the ratio of probabilities is at most (1 - q)/q, so q is rounded up to an integer over 2^64.
    """

    name = "oue"

    @cached_property
    def weights(self) -> tuple[int, int]:
        return WORD // 2, tilt(self.nano, 2, WORD)[1]
