"""The line that a number must pass to agree with the paper, and whether it does, does not, or cannot be told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

SURE = 2  # standard errors by which a number must be on one side of a line


class Uncertain(Protocol):
    """A number with its standard error, and the unit that is printed behind it."""

    @property
    def value(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def unit(self) -> str: ...


@dataclass(frozen=True)
class Line:
    """Between two ends, or beyond one; `closed`: the ends themselves agree, too. In the unit of the number."""

    low: float = -math.inf
    high: float = math.inf
    closed: bool = False

    def holds(self, ours: Uncertain) -> bool | None:
        """None where it cannot be told: an end is within two standard errors of the number.

        >>> from benchmarks.evidence.exhibit import Estimate
        >>> above(1).holds(Estimate(1.5, 0.2)), above(1).holds(Estimate(1.3, 0.2)), above(1).holds(Estimate(0.5, 0.2))
        (True, None, False)
        """
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        if ours.error and any(abs(ours.value - end) < SURE * ours.error for end in ends):
            return None
        if self.closed and ours.value in ends:
            return True
        return self.low < ours.value < self.high

    def words(self, unit: str = "") -> str:
        """As the book prints it.

        >>> above(1).words(), at_most(5).words("%"), between(2.4, 3.6).words(), exactly(0).words(" of 24")
        ('above 1', 'at most 5%', '2.4 to 3.6', '0 of 24')
        """
        low, high = (f"{end:g}{unit}" for end in (self.low, self.high))
        if self.low == self.high:
            return low
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"{self.low:g} to {high}"
        if math.isfinite(self.low):
            return f"{'at least' if self.closed else 'above'} {low}"
        return f"{'at most' if self.closed else 'below'} {high}"


def above(low: float) -> Line:
    return Line(low=low)


def below(high: float) -> Line:
    return Line(high=high)


def at_least(low: float) -> Line:
    return Line(low=low, closed=True)


def at_most(high: float) -> Line:
    return Line(high=high, closed=True)


def between(low: float, high: float) -> Line:
    return Line(low, high, closed=True)


def exactly(value: float) -> Line:
    return Line(value, value, closed=True)
