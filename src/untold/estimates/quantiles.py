"""Quantiles of a sensitive ordinal, by inverting estimated counts.

For a value x let D(x) = (tuples at or below x) - p (all tuples): a total like any other, with its own standard error.
The quantile is the least x with D(x) >= 0; the interval holds every x that D cannot tell from zero: from the least x
with D(x) + z se(x) >= 0 to the least with D(x) - z se(x) >= 0.

Both ends are declared values, and often the same one. The standard error is half of the way between the places where D is one
of its own errors away from zero, if people are spread evenly between a value and the one before it: such a place may lie
between two values, and so no error is 0 by rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

from untold.estimates.estimate import Estimated
from untold.question.algebra import multiply
from untold.question.model import Column, Factor, Floats, Term, Total

Measure = Callable[[Total], tuple[float, float]]  # a total -> its estimate and standard error


def below(total: Total, column: Column, size: int, code: int, probability: float) -> Total:
    """The integrand 1[value <= x] - p, times the integrand of a count."""
    step = Factor(column, np.where(np.arange(size) <= code, 1.0 - probability, -probability))
    return Total(tuple(multiply(term, Term(factors=(step,))) for term in total.terms))


def invert(
    total: Total, column: Column, values: Floats, codes: int, probability: float, measure: Measure, confidence: float
) -> Estimated:
    """The quantile with its error and interval.

    `values` are those of the first codes; one of a missing value may follow, which the total does not count."""

    @cache
    def at(code: int) -> tuple[float, float]:
        return measure(below(total, column, codes, code, probability))

    return inverted(at, values, confidence)


def inverted(
    at: Callable[[int], tuple[float, float]], values: Floats, confidence: float, reach: float = 1.0
) -> Estimated:
    """The same from D and its error at every code; at(-1) is below all values.

    reach   of how many of its errors D is away from zero where the standard error is measured
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    size = len(values)

    def least(shift: float) -> int:
        """Bisection for the least code with D + shift * se >= 0; D is below zero before code 0 and not below it at the last one."""
        low, high = -1, size - 1
        while high - low > 1:
            middle = (low + high) // 2
            value, se = at(middle)
            low, high = (low, middle) if value + shift * se >= 0 else (middle, high)
        return high

    def place(shift: float) -> float:
        """Where D + shift * se is zero, on its way from a value to the next."""
        code = least(shift)
        (below_it, before), (value, se) = at(code - 1), at(code)
        start, end = below_it + shift * before, value + shift * se
        part = min(max(-start / (end - start), 0.0), 1.0) if end != start else 1.0
        lower = values[code - 1] if code else 2 * values[0] - values[min(1, size - 1)]
        return float(lower + part * (values[code] - lower))

    middle, first, last = least(0.0), least(z), least(-z)
    low, high = float(values[min(first, middle)]), float(values[max(last, middle)])
    return Estimated(float(values[middle]), (place(-reach) - place(reach)) / (2 * reach), low, high)
