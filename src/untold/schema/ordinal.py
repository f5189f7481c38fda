"""An attribute whose values have an order and a distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.schema.as_number import as_number
from untold.schema.words import plain


@dataclass(frozen=True)
class Ordinal:
    """Integers low..high, or with `bins` any number between them, kept on a grid of bins + 1 knots.

    knot_i = low + i (high - low) / bins        i = 0..bins,  and knot_bins = high exactly
    """

    name: str
    low: float
    high: float
    bins: int | None = None

    kind: ClassVar[str] = "ordinal"

    @property
    def size(self) -> int:
        """Number of coded values."""
        return int(self.high - self.low) + 1 if self.bins is None else self.bins + 1

    @property
    def step(self) -> float:
        """Distance of two neighbouring values."""
        return 1.0 if self.bins is None else (self.high - self.low) / self.bins

    @property
    def knots(self) -> npt.NDArray[np.float64]:
        """All coded values, in order."""
        codes = np.arange(self.size, dtype=np.float64)
        if self.bins is None:
            return self.low + codes
        knots = self.low + codes * (self.high - self.low) / self.bins
        knots[-1] = self.high
        return knots

    def value(self, code: int) -> float:
        """The value of a code: an integer without bins, a knot with them."""
        if self.bins is None:
            return self.low + code
        return self.high if code == self.bins else self.low + code * (self.high - self.low) / self.bins

    def code_of(self, value: Any) -> int:
        """The code of an allowed integer, or of a number that is exactly a knot."""
        number = self._inside(value)
        code = round((number - self.low) / self.step)
        if self.value(code) != number:
            raise BadRecord(
                f"{self.name} = {value!r} lies between two knots; allowed here are the knots of {self.describe()}. "
                f"The nearest is {plain(self.value(code))}."
            )
        return code

    def position(self, value: Any) -> tuple[int, float]:
        """Where a number lies on the grid: the knot at or below it, and how far it is on the way to the next.

            x = (value - low) / step        i = floor(x)        f = x - i,  0 <= f < 1

        Rounding to i + 1 with probability f, else to i, keeps the mean: i + f = x. Every operation is one IEEE double
        operation and x - floor(x) is exact, so that JavaScript gets the same bits from

            x = (v - low) / ((high - low) / bins);  i = Math.floor(x);  if (v === high || i >= bins) return [bins, 0];
            return [i, x - i];

        high is (bins, 0.0), without a division: the last knot, from which nothing is rounded up. Another knot may come
        out some units in the last place beside its code (0.3 as 2 + 0.9999999999999996 tenths); the mean is off by no
        more than that. Integers are (code, 0.0).
        """
        if self.bins is None:
            return self.code_of(value), 0.0
        number = self._inside(value)
        x = (number - self.low) / self.step
        below = math.floor(x)
        return (self.bins, 0.0) if number == self.high or below >= self.bins else (below, x - below)

    def describe(self) -> str:
        """The domain in words."""
        if self.bins is None:
            return f"integers {plain(self.low)}..{plain(self.high)}"
        apart = plain(self.step) if self.step.is_integer() else f"{self.step:.6g}"
        return f"numbers {plain(self.low)}..{plain(self.high)} on {self.size} knots, {apart} apart"

    def _inside(self, value: Any) -> float:
        """The value as a number of the domain: an integer without bins, a float with them."""
        number = as_number(value)
        if number is None:
            raise BadRecord(f"{self.name} = {value!r} is not a number; allowed are {self.describe()}.")
        if not self.low <= number <= self.high:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}. "
                "Clip the value or leave the record out."
            )
        if self.bins is not None:
            return float(number) + 0.0  # no negative zero
        if number != int(number):
            raise BadRecord(
                f"{self.name} = {value!r} is not an integer; allowed are {self.describe()}. "
                "Round it, or give the attribute bins in the plan."
            )
        return int(number)
