"""The Laplace mechanism, on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from untold.exact import exp_at_most
from untold.numeric.base import Answers, Floats, Numeric
from untold.randomness import WORD, Randomness, Words

CELLS_PER_SCALE = 32  # grid cells for each 2/eps of the output axis
TAIL = 26  # scales beyond the inputs where answers are clamped: e^-26 = 5e-12


@dataclass(frozen=True)
class Laplace(Numeric):
    """The input plus noise of scale 2 / eps, variance 8 / eps^2, rounded to cells of eps / K [fusion paper, section
    2.2].

    The noise is two-sided geometric: g(n) is an integer weight out of 2^64, g(n) / g(n+1) <= alpha with alpha^K <=
    e^eps. Answers stop at `reach` cells beyond the inputs; the last cell takes the whole tail, whose weights obey the
    same ratio, so every answer can come from every input. A floating-point Laplace variable would leak its input
    through the gaps between floats.
    """

    name = "laplace"

    def usual_knots(self) -> int:
        return max(1, math.ceil(CELLS_PER_SCALE * self.epsilon))

    @cached_property
    def reach(self) -> int:
        """Cells between an end of the inputs and the last answer."""
        return math.ceil(TAIL * self.knots / self.epsilon)

    @property
    def indexes(self) -> int:
        return 2 * self.reach + self.knots + 1

    @cached_property
    def noise(self) -> tuple[int, ...]:
        """Cumulative weights of the noise -(reach + K)..(reach + K); each end holds the tail beyond it."""
        alpha = exp_at_most(self.nano, self.knots)
        up, down = alpha.numerator, alpha.denominator
        a = math.exp(-self.epsilon / self.knots)
        side = [math.ceil(2.0**64 * (1 + 1e-12) * (1 - a) / (1 + a) * a)]  # a hair more: the middle gets less
        for _ in range(self.reach + self.knots - 2):
            side.append(-(-side[-1] * down // up))
        side.append(-(-side[-1] * down // (up - down)))
        middle = WORD - 2 * sum(side)
        if not (side[0] * down <= middle * up and middle * down <= side[0] * up):
            raise AssertionError(f"the middle of the noise, {middle}, breaks the ratio of its neighbours")
        return tuple(accumulate([*reversed(side), middle, *side]))

    def respond(self, knot: int, rng: Randomness) -> int:
        return min(max(knot + rng.choose(self.noise) - self.knots, 0), self.indexes - 1)

    def respond_many(self, knots: Answers, words: Words) -> tuple[Answers, bool]:
        from untold.kernels.numeric import add_noise

        return add_noise(knots, words[0], self._table, self.knots, self.indexes), True

    def probability(self, index: int, knot: int) -> Fraction:
        below = self._weight_below(index, knot) if index else 0
        return Fraction(self._weight_below(index + 1, knot) - below, WORD)

    def _weight_below(self, index: int, knot: int) -> int:
        return WORD if index >= self.indexes else self.noise[index - 1 - knot + self.knots]

    @cached_property
    def _table(self) -> npt.NDArray[np.uint64]:
        return np.array(self.noise[:-1], dtype=np.uint64)

    def cumulative(self, index: npt.ArrayLike, knot: npt.ArrayLike) -> Floats:
        y, start = np.broadcast_arrays(np.asarray(index, dtype=np.int64), np.asarray(knot).astype(np.int64))
        place = np.clip(y - 1 - start + self.knots, 0, len(self.noise) - 2)
        return np.where(y <= 0, 0.0, np.where(y >= self.indexes, 1.0, self._table[place] * 2.0**-64))

    def value(self, index: npt.ArrayLike) -> Floats:
        return np.asarray(self.low + self.span * (np.asarray(index, dtype=np.float64) - self.reach) / self.knots)

    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        return np.rint((values - self.low) / self.span * self.knots + self.reach).astype(np.int64)

    def unbias(self, values: npt.ArrayLike) -> Floats:
        return np.asarray(values, dtype=np.float64)

    @cached_property
    def noise_variance(self) -> float:
        """Variance of the noise on the output axis."""
        weights = np.diff(np.array([0, *self.noise], dtype=object)).astype(np.float64) * 2.0**-64
        cells = np.arange(len(weights)) - (len(weights) - 1) / 2
        return float(weights @ cells**2) * (self.span / self.knots) ** 2

    def second_moment(self, knot: npt.ArrayLike) -> Floats:
        return np.asarray((self.low + self.span * np.asarray(knot) / self.knots) ** 2 + self.noise_variance)

    def bin_edges(self, bins: int) -> npt.NDArray[np.int64]:
        """Runs of equal probability for a value drawn evenly from both ends and the middle of the inputs."""
        cells = np.arange(1, self.indexes)
        ends = np.array([[0], [self.knots // 2], [self.knots]])
        below = self.cumulative(cells[None, :], ends).mean(axis=0)
        inner = np.searchsorted(below, np.arange(1, bins) / bins) + 1
        return np.unique(np.concatenate([[0], inner, [self.indexes]]))
