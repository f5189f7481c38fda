"""The interval of f - g^2, a variance: f is a mean of squares and g a mean.

A variance moves with the mean by 2 g, so where g came out near 0 by chance, the delta method takes it for better known than it
is. Here the interval of f and that of g^2, the squares of g's interval, are put together (MOVER, see ratios.py). With s^2
the squared error of g, g^2 - s^2 is unbiased for the squared mean, and that is what the distances are measured from:

    low  = value - sqrt(a^2 + b^2 - 2 c a b'),    a = f - f's low end,    b = (|g| + z s)^2 - g^2 + s^2
    high = value + sqrt(a^2 + b^2 - 2 c a b'),    a = f's high end - f,   b = g^2 - s^2 - max(|g| - z s, 0)^2, or 0

c is the correlation of the errors of f and g, times the sign of g. Where it makes the interval shorter, b' is how far g^2 moves at
the end of g's interval that is nearest to 0, and not b: an f that is too large comes with a |g| that is too large.
"""

from __future__ import annotations

from math import copysign, inf, isfinite, sqrt

import numpy as np

from untold.estimates.gradients import value_and_gradient
from untold.estimates.ratios import Ends, interval_of, ratio_sum
from untold.estimates.totals import Totals
from untold.question.model import Apply, Constant, Formula


def less_square(formula: Apply, totals: Totals, value: float, z: float) -> Ends | None:
    """The interval of a formula of this form, whose value is known; None if it is of another."""
    if formula.operation != "sub" or not _square(formula.arguments[1]):
        return None
    inner = formula.arguments[1].arguments[0]  # type: ignore[union-attr]
    first, second = ratio_sum(formula.arguments[0], totals), ratio_sum(inner, totals)
    if first is None or second is None:
        return None
    low, high = interval_of(first, totals, z)
    ends = interval_of(second, totals, z)
    if not all(map(isfinite, (low, high, *ends))):
        return -inf, inf
    (f, of_f), (g, of_g) = (value_and_gradient(each, totals) for each in (formula.arguments[0], inner))
    covariance = totals.joint(np.stack([of_f, of_g]))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    c = copysign(1.0, g) * float(covariance[0, 1] / max(float(errors.prod()), 1e-300))
    square, added = g * g, 0.0 if totals.known else float(errors[1]) ** 2
    near, far = sorted(map(abs, ends))
    near = 0.0 if ends[0] <= 0 <= ends[1] else near
    up, down = max(square - added - near**2, 0.0), far**2 - square + added
    careful = 2 * near * (far - abs(g))
    return (
        value - _side(f - low, down, min(careful, down) if c > 0 else down, c),
        value + _side(high - f, up, min(careful, up) if c > 0 else up, c),
    )


def few_less(formula: Formula) -> bool:
    """Whether a formula is n / (n - 1), which hardly moves."""
    match formula:
        case Apply("div", (count, Apply("sub", (other, Constant(1.0))))):
            return count == other
    return False


def _square(formula: Formula) -> bool:
    return isinstance(formula, Apply) and formula.operation == "mul" and formula.arguments[0] == formula.arguments[1]


def _side(a: float, b: float, along: float, c: float) -> float:
    return sqrt(max(a * a + b * b - 2 * c * a * along, 0.0))
