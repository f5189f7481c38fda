"""Numbers on a grid, rounded at random to a neighbouring knot so that their mean is kept."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.kinds.attribute import Bad, Positions, ValueType
from untold.plan.schema.kinds.range import Range, read_bounds
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.words import plain

FINEST = 2**10  # units in the last place that two knots must be apart, for a fraction between them to mean something


@dataclass(frozen=True)
class Knots(Range):
    """Any number from low to high, kept on a grid of bins + 1 knots.

    knot_i = low + i (high - low) / bins        i = 0..bins

    computed in exact arithmetic from the decimals of the plan and then rounded once, to the nearest double: the first
    knot of ten from 0 to 0.3 is 0.03, and prints so.
    """

    bins: int

    keys: ClassVar[tuple[str, ...]] = ("low", "high", "bins")
    rounds: ClassVar[bool] = True

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """kind = "ordinal" with bins."""
        return super().claims(declared) and "bins" in declared and not {"cuts", "digits"} & {*declared}

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From two numbers and the number of bins between them."""
        bins = table.integer("bins", 1, MAX_DOMAIN - 1, "Write a whole number of bins, such as bins = 100")
        bounds = read_bounds(table, whole=False)
        if bounds is None or bins is None:
            return None
        low, high = bounds
        attribute = cls(name, float(low), float(high), bins)
        finest = max(FINEST * math.ulp(max(abs(low), abs(high))), sys.float_info.min)
        if attribute.step < finest or bins * (attribute.high - attribute.low) == math.inf:
            reason = f"{bins} bins between {plain(low)} and {plain(high)} are finer or wider than doubles can hold"
            table.note("bins", reason, "Use fewer bins, or subtract a constant from the values and scale them")
            return None
        return attribute

    def dump(self) -> dict[str, Any]:
        """Bounds and bins."""
        return {**super().dump(), "bins": self.bins}

    @property
    def size(self) -> int:
        """Number of knots."""
        return self.bins + 1

    @property
    def step(self) -> float:
        """Distance of two neighbouring knots."""
        return (self.high - self.low) / self.bins

    @property
    def value_type(self) -> ValueType:
        """Doubles."""
        return "number"

    @cached_property
    def _line(self) -> tuple[int, int, int]:
        """Integers a, b, c with knot_i = (a + b i) / c, exactly."""
        low, high = Fraction(repr(self.low)), Fraction(repr(self.high))  # repr: the decimals that were declared
        first, apart = low, (high - low) / self.bins
        common = math.lcm(first.denominator, apart.denominator)
        return int(first * common), int(apart * common), common

    def value(self, code: int) -> float:
        """A knot."""
        first, apart, common = self._line
        return (first + int(code) * apart) / common

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """All knots, in order."""
        first, apart, common = self._line
        return np.array([(first + code * apart) / common for code in range(self.size)], dtype=np.float64)

    def code_of(self, value: Any) -> int:
        """The code of a number that is exactly a knot."""
        number = float(self._inside(value))
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
        more than that.
        """
        number = float(self._inside(value)) + 0.0  # no negative zero
        x = (number - self.low) / self.step
        below = math.floor(x)
        return (self.bins, 0.0) if number == self.high or below >= self.bins else (below, x - below)

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """x = i + f as `position` finds it, high included."""
        numbers = values.astype(np.float64)
        bad = ~((numbers >= self.low) & (numbers <= self.high))  # NaN is neither
        x = (np.where(bad, self.low, numbers) - self.low) / self.step
        return np.where(numbers == self.high, float(self.bins), np.minimum(x, self.bins)), bad

    def describe(self) -> str:
        """The domain in words."""
        apart = plain(self.step) if self.step.is_integer() else f"{self.step:.6g}"
        return f"numbers {plain(self.low)}..{plain(self.high)} on {self.size} knots, {apart} apart"

    @property
    def caution(self) -> str:
        """What rounding leaves unchanged, and what it does not."""
        return (
            f"{self.name} is rounded at random to knots {plain(self.step)} apart: sums and means are those of the "
            "true numbers; conditions, groups, squares and quantiles are those of the rounded ones."
        )
