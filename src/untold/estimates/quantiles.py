"""Quantiles of a sensitive ordinal, by inverting estimated counts.

For a value x let D(x) = (tuples at or below x) - p (all tuples): a total like any other, with its own standard error.
The quantile is the least x with D(x) >= 0; the interval holds every x that D cannot tell from zero: from the least x
with D(x) + z se(x) >= 0 to the least with D(x) - z se(x) >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import nan
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
    """The quantile with its interval; the standard error is the one whose normal interval would be as wide.

    `values` are those of the first codes; one of a missing value may follow, which the total does not count."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    size = len(values)

    @cache
    def at(code: int) -> tuple[float, float]:
        return measure(below(total, column, codes, code, probability))

    def least(shift: float) -> int:
        """Bisection for the least code with D + shift * se >= 0; D is below zero before code 0 and not below it at the last one."""
        low, high = -1, size - 1
        while high - low > 1:
            middle = (low + high) // 2
            value, se = at(middle)
            low, high = (low, middle) if value + shift * se >= 0 else (middle, high)
        return high

    middle, first, last = least(0.0), least(z), least(-z)
    low, high = float(values[min(first, middle)]), float(values[max(last, middle)])
    return Estimated(float(values[middle]), (high - low) / (2 * z) if z else nan, low, high)
