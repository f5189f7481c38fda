"""Quantiles of a sensitive ordinal, by inverting estimated counts.

For a value x let D(x) = (tuples at or below x) - p (all tuples): a total like any other, with its own standard error.
The quantile is the least x with D(x) >= 0. A value x may be it unless D(x) is surely below zero, or surely above it already at
the value before x, by z standard errors. The interval reaches from the first to the last value that may be it. All values are
looked at: estimated counts are not in order, and where nobody is (half of people at 16, half at 239) a bisection follows the
first count that noise has moved to the wrong side.

Both ends are declared values, and often the same one. The standard error is half of the way between the places where D is one
of its own errors away from zero, if people are spread evenly between a value and the one before it: such a place may lie
between two values, and so no error is 0 by rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

from untold.ask.estimates.estimate import Estimated
from untold.ask.question.algebra import multiply
from untold.ask.question.model import Column, Factor, Floats, Term, Total
from untold.plan.schema import Sensitive

Measure = Callable[[Total], tuple[float, float]]  # a total -> its estimate and standard error


def below(total: Total, column: Column, size: int, code: int, probability: float) -> Total:
    """The integrand 1[value <= x] - p, times the integrand of a count."""
    step = Factor(column, np.where(np.arange(size) <= code, 1.0 - probability, -probability))
    return Total(tuple(multiply(term, Term(factors=(step,))) for term in total.terms))


def invert(
    total: Total, column: Column, attribute: Sensitive, probability: float, measure: Measure, confidence: float
) -> Estimated:
    """The quantile with its error and interval. A missing value, which has the last code, is not counted by the total."""

    @cache
    def at(code: int) -> tuple[float, float]:
        return measure(below(total, column, attribute.size, code, probability))

    return inverted(at, attribute, confidence)


def inverted(
    at: Callable[[int], tuple[float, float]],
    attribute: Sensitive,
    confidence: float,
    reach: float = 1.0,
    step: int = 1,
) -> Estimated:
    """The same from D and its error at every code; at(-1) is below all values.

    reach   of how many of its errors D is away from zero where the standard error is measured
    step    every so-manieth value is looked at, and then what lies between: where each look costs much, or D is in order

    Of an attribute in classes D is known at the end of each class. The interval is made of whole classes, and the point lies in
    one of them as if people were spread evenly over it.
    """
    if attribute.halves:
        starts, ends = attribute.numbers.reshape(-1, 2).T
        return _inverted(lambda code: at(2 * code + 1), ends, confidence, reach, max(step // 2, 1), starts)
    return _inverted(at, attribute.numbers, confidence, reach, step)


def _inverted(
    at: Callable[[int], tuple[float, float]],
    values: Floats,
    confidence: float,
    reach: float,
    step: int,
    starts: Floats | None = None,
) -> Estimated:
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
        first = 2 * values[0] - values[min(1, size - 1)] if starts is None else starts[0]
        lower = values[code - 1] if code else first
        return float(lower + part * (values[code] - lower))

    def surely(code: int, sign: int) -> bool:
        value, se = at(code)
        return sign * value > z * se

    middle = least(0.0)
    first = min(first_of(lambda code: not surely(code, -1), range(size), step), middle)
    # Where D may be zero or less, the quantile may be the value after it.
    below = first_of(lambda code: code < 0 or not surely(code, 1), range(size - 1, -2, -1), step)
    last = max(min(below + 1, size - 1), middle)
    low, high = float((values if starts is None else starts)[first]), float(values[last])
    return Estimated(
        float(values[middle]) if starts is None else place(0.0), (place(-reach) - place(reach)) / (2 * reach), low, high
    )


def first_of(holds: Callable[[int], bool], codes: range, step: int) -> int:
    """The first code for which something holds; the last one if it does for none. Every `step`th is looked at, and then what lies
    between that one and the one before.

    >>> first_of(lambda code: code in (3, 9), range(20), 1), first_of(lambda code: code >= 1000, range(65_536), 64)
    (3, 1000)
    """
    looked = codes[step - 1 :: step]
    place = next((place for place, code in enumerate(looked) if holds(code)), len(looked))
    low, high = place * step - 1, min(place * step + step - 1, len(codes) - 1)
    while high - low > 1:
        half = (low + high) // 2
        low, high = (low, half) if holds(codes[half]) else (half, high)
    return codes[high]
