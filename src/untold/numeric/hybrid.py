"""The hybrid mechanism, HM."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from untold.numeric.base import Answers, Floats, Numeric
from untold.numeric.piecewise import PM
from untold.numeric.stochastic_rounding import SR
from untold.randomness import WORD, Randomness, Words

SWITCH = 0.61  # below, SR alone has the smaller worst variance


@dataclass(frozen=True)
class HM(Numeric):
    """PM with probability 1 - e^(-eps/2) where eps > 0.61, else SR: the smallest worst-case variance [Wang et al.
    2019].

    Answers 0 and 1 are those of SR, answers from 2 on those of PM. Which of the two was asked does not depend on the
    data.
    """

    name = "hm"
    words: ClassVar[int] = 5

    def usual_knots(self) -> int:
        return PM(self.epsilon).knots

    @cached_property
    def piecewise(self) -> PM:
        return PM(self.epsilon, self.knots)

    @cached_property
    def rounding(self) -> SR:
        return SR(self.epsilon)

    @cached_property
    def share(self) -> int:
        """Out of 2^64, how often PM answers."""
        return int((1 - math.exp(-self.epsilon / 2)) * 2.0**64) if self.epsilon > SWITCH else 0

    @property
    def indexes(self) -> int:
        return 2 + (self.piecewise.indexes if self.share else 0)

    def respond(self, knot: int, rng: Randomness) -> int:
        use = rng.choose((WORD - self.share, WORD))
        far = self.piecewise.respond(knot, rng)
        near = self.rounding.respond(int(rng.below(self.knots) < knot), rng)
        return use * (2 + far) + (1 - use) * near

    def respond_many(self, knots: Answers, words: Words) -> tuple[Answers, bool]:
        from untold.kernels.numeric import chance_below

        use = ~words[0] < np.uint64(self.share)
        far, first = self.piecewise.respond_many(knots, words[1:2])
        bits, second = chance_below(knots, words[2], self.knots)
        near, third = self.rounding.respond_many(bits, words[3:4])
        return np.where(use, far + np.uint32(2), near), first and second and third

    def probability(self, index: int, knot: int) -> Fraction:
        share = Fraction(self.share, WORD)
        if index >= 2:
            return share * self.piecewise.probability(index - 2, knot)
        up = Fraction(knot, self.knots)
        answers = [self.rounding.probability(index, bit) for bit in (0, 1)]
        return (1 - share) * ((1 - up) * answers[0] + up * answers[1])

    def cumulative(self, index: npt.ArrayLike, knot: npt.ArrayLike) -> Floats:
        y, i, share = np.asarray(index), np.asarray(knot, dtype=np.float64), self.share * 2.0**-64
        near = self.rounding.cumulative(np.minimum(y, 2), i / self.knots)
        far = self.piecewise.cumulative(np.maximum(y - 2, 0), i)
        return np.asarray((1 - share) * near + share * far)

    def value(self, index: npt.ArrayLike) -> Floats:
        y = np.asarray(index, dtype=np.float64)
        return np.where(y < 2, self.rounding.value(y), self.piecewise.value(y - 2))

    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        """SR's two answers are told apart by their exact value; a PM answer that is equal to one counts as SR."""
        near = self.rounding.index_of(values)
        point = np.abs(np.abs(values) - float(self.rounding.reach)) < 1e-9 * float(self.rounding.reach)
        far = self.piecewise.index_of(values) + 2
        missing = np.full_like(near, -1)
        return np.where(point, near, np.where((far >= 2) & (far < self.indexes), far, missing))

    def output_range(self) -> str:
        both = self.rounding.output_range()
        return f"{self.piecewise.output_range()} or {both}" if self.share else both

    def index_line(self) -> tuple[float, float] | None:
        return None if self.share else self.rounding.index_line()

    def unbias(self, values: npt.ArrayLike) -> Floats:
        return np.asarray(values, dtype=np.float64)

    def second_moment(self, knot: npt.ArrayLike) -> Floats:
        share = self.share * 2.0**-64
        return np.asarray((1 - share) * self.rounding.second_moment(knot) + share * self.piecewise.second_moment(knot))

    def bin_edges(self, bins: int) -> npt.NDArray[np.int64]:
        if not self.share:
            return np.array([0, 1, 2])
        return np.concatenate([[0, 1], 2 + self.piecewise.bin_edges(max(2, bins - 2))])

    def cell_width(self, index: npt.ArrayLike) -> Floats:
        return np.where(np.asarray(index) < 2, 1.0, self.piecewise.cell_width(index))
