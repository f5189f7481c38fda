"""Mechanisms whose density takes two values: high on a window that slides with the input, low elsewhere."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from untold.exact import exp_at_most
from untold.numeric.base import Answers, Floats, Numeric
from untold.randomness import WORD, Randomness, Words

USUAL_KNOTS = 1024
LEAST_WIDTH = 16  # cells in a window, or rounding its width costs accuracy


class Window(Numeric):
    """K + w cells; knot i makes cells i..i+w-1 heavy, the other K light.

        P(cell inside) = h / w        P(cell outside) = (1 - h) / K        h / w <= e^eps (1 - h) / K

    h is heavy / (heavy + light) with integers rounded in favour of privacy. The mean of the answer is linear in the
    knot, whatever the width, so unbiasing is exact. One word yields an index among the w inside cells, one among the
    K outside cells, and which holds.
    """

    @abstractmethod
    def window_share(self) -> float:
        """Width of the window over the length of its slide, w / K, before rounding."""

    def usual_knots(self) -> int:
        knots = USUAL_KNOTS
        while knots * self.window_share() < LEAST_WIDTH and knots < 1 << 15:
            knots *= 2
        return knots

    @cached_property
    def width(self) -> int:
        """w, in cells."""
        return max(1, round(self.knots * self.window_share()))

    @property
    def indexes(self) -> int:
        return self.knots + self.width

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light): the whole window against everything outside of it."""
        bound, total = exp_at_most(self.nano), (WORD - 1) // (self.width * self.knots)
        outside = self.knots * bound.denominator
        light = -(-total * outside // (outside + self.width * bound.numerator))
        return total - light, light

    @cached_property
    def inside(self) -> Fraction:
        """Probability of one cell of the window."""
        return Fraction(self.weights[0], sum(self.weights) * self.width)

    @cached_property
    def outside(self) -> Fraction:
        """Probability of one cell outside of the window."""
        return Fraction(self.weights[1], sum(self.weights) * self.knots)

    @cached_property
    def line(self) -> tuple[Fraction, Fraction]:
        """(a, b) with E[answer | knot] = a + b * knot."""
        w, cells, lift = self.width, self.indexes, self.inside - self.outside
        return self.outside * cells * (cells - 1) / 2 + lift * w * (w - 1) / 2, lift * w

    def respond(self, knot: int, rng: Randomness) -> int:
        heavy, light = self.weights
        pair, lie = divmod(rng.tilted(heavy, light, 2, self.width * self.knots), 2)
        far, near = divmod(pair, self.width)
        return (knot + (1 - lie) * near + lie * (self.width + far)) % self.indexes

    def respond_many(self, knots: Answers, words: Words) -> tuple[Answers, bool]:
        from untold.kernels.numeric import slide_window

        return slide_window(knots, words[0], self.width, self.knots, *self.weights)

    def probability(self, index: int, knot: int) -> Fraction:
        return self.inside if knot <= index < knot + self.width else self.outside

    def cumulative(self, index: npt.ArrayLike, knot: npt.ArrayLike) -> Floats:
        y, start = np.asarray(index, dtype=np.float64), np.asarray(knot, dtype=np.float64)
        covered = np.clip(y - start, 0.0, self.width)
        return np.asarray(float(self.outside) * y + float(self.inside - self.outside) * covered)

    def unbiased(self, index: npt.ArrayLike) -> Floats:
        """An answer as an unbiased estimate of the input."""
        a, b = self.line
        return np.asarray(self.low + self.span * (np.asarray(index) - float(a)) / float(b * self.knots))

    def second_moment(self, knot: npt.ArrayLike) -> Floats:
        # sum of (y - c)^2 over `count` cells from `first` is count * ((first - c + (count-1)/2)^2 + (count^2 - 1)/12)
        i, (a, b) = np.asarray(knot, dtype=np.float64), self.line
        zero = float(a - Fraction(self.low) / Fraction(self.span) * b * self.knots)  # the answer that unbiases to 0
        everywhere = _squares(np.zeros_like(i) - zero, self.indexes)
        window = _squares(i - zero, self.width)
        squares = float(self.outside) * everywhere + float(self.inside - self.outside) * window
        return np.asarray(squares * (self.span / float(b * self.knots)) ** 2)

    def bin_edges(self, bins: int) -> npt.NDArray[np.int64]:
        return np.unique(np.linspace(0, self.indexes, min(bins, self.indexes) + 1).round().astype(np.int64))


def _squares(first: Floats, count: int) -> Floats:
    return np.asarray(count * ((first + (count - 1) / 2) ** 2 + (count**2 - 1) / 12))
