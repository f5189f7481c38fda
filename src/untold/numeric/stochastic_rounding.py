"""Stochastic rounding, SR (Duchi et al.)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.exact import tilt
from untold.numeric.base import Answers, Floats, Numeric
from untold.randomness import WORD, Randomness, Words


@dataclass(frozen=True)
class SR(Numeric):
    """One of two numbers, the mean of which is the input.

        +-(e^eps + 1) / (e^eps - 1)        P(+) = 1/2 + v (e^eps - 1) / (2 (e^eps + 1))
        [fusion paper, section 2.3]

    The same as rounding the input at random to -1 or 1 and answering that bit truthfully with probability e^eps /
    (e^eps + 1): two knots are enough, whatever the input.
    """

    name = "sr"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knots", 1)

    def usual_knots(self) -> int:
        return 1

    @property
    def indexes(self) -> int:
        return 2

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light): truth against lie."""
        return tilt(self.nano, 2, WORD - 1)

    @cached_property
    def reach(self) -> Fraction:
        """The answers are -reach and +reach."""
        heavy, light = self.weights
        return Fraction(heavy + light, heavy - light)

    def respond(self, knot: int, rng: Randomness) -> int:
        heavy, light = self.weights
        return (knot + rng.tilted(heavy, light, 2)) % 2

    def respond_many(self, knots: Answers, words: Words) -> tuple[Answers, bool]:
        from untold.kernels.numeric import flip

        return flip(knots, words[0], *self.weights)

    def probability(self, index: int, knot: int) -> Fraction:
        return Fraction(self.weights[index != knot], sum(self.weights))

    def cumulative(self, index: npt.ArrayLike, knot: npt.ArrayLike) -> Floats:
        heavy, light = (w / sum(self.weights) for w in self.weights)
        y, bit = np.asarray(index), np.asarray(knot, dtype=np.float64)
        return np.where(y <= 0, 0.0, np.where(y >= 2, 1.0, heavy + (light - heavy) * bit))

    def value(self, index: npt.ArrayLike) -> Floats:
        return np.asarray((2 * np.asarray(index, dtype=np.float64) - 1) * float(self.reach))

    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        return np.rint((values / float(self.reach) + 1) / 2).astype(np.int64)

    def sends(self, values: Floats) -> npt.NDArray[np.bool_]:
        return np.asarray(np.abs(np.abs(values) - float(self.reach)) < 1e-6 * float(self.reach))

    def output_range(self) -> str:
        return f"{{{-float(self.reach):.6g}, {float(self.reach):.6g}}}"

    def unbias(self, values: npt.ArrayLike) -> Floats:
        return np.asarray(values, dtype=np.float64)

    def second_moment(self, knot: npt.ArrayLike) -> Floats:
        return np.full(np.shape(knot), float(self.reach**2))

    def bin_edges(self, bins: int) -> npt.NDArray[np.int64]:
        return np.array([0, 1, 2])

    def cell_width(self, index: npt.ArrayLike) -> Floats:
        return np.ones(np.shape(index))
