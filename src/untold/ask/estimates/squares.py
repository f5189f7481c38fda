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

from math import inf

import numpy as np

from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.ratios import Ends, interval_of, ratio_sum
from untold.ask.estimates.totals import Totals
from untold.ask.question.model import Apply, Constant, Floats, Formula


def less_square(formula: Apply, totals: Totals, value: Floats, z: float) -> Ends | None:
    """The interval of a formula of this form, whose value is known, in all groups; None if it is of another."""
    if formula.operation != "sub" or not is_square(formula.arguments[1]):
        return None
    inner = formula.arguments[1].arguments[0]  # type: ignore[union-attr]
    first, second = ratio_sum(formula.arguments[0], totals), ratio_sum(inner, totals)
    if first is None or second is None:
        return None
    low, high = interval_of(first, totals, z)
    ends = interval_of(second, totals, z)
    bounded = np.isfinite(low) & np.isfinite(high) & np.isfinite(ends[0]) & np.isfinite(ends[1])
    (f, of_f), (g, of_g) = (value_and_gradient(each, totals) for each in (formula.arguments[0], inner))
    covariance = totals.joint(np.stack([of_f, of_g], axis=-2))
    errors = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    c = np.copysign(1.0, g) * covariance[..., 0, 1] / np.maximum(errors.prod(axis=-1), 1e-300)
    square, added = g * g, 0.0 if totals.known else errors[..., 1] ** 2
    far = np.maximum(np.abs(ends[0]), np.abs(ends[1]))
    near = np.where((ends[0] <= 0) & (ends[1] >= 0), 0.0, np.minimum(np.abs(ends[0]), np.abs(ends[1])))
    up, down = np.maximum(square - added - near**2, 0.0), far**2 - square + added
    careful = 2 * near * (far - np.abs(g))
    below = _side(f - low, down, np.where(c > 0, np.minimum(careful, down), down), c)
    above = _side(high - f, up, np.where(c > 0, np.minimum(careful, up), up), c)
    return np.where(bounded, value - below, -inf), np.where(bounded, value + above, inf)


def few_less(formula: Formula) -> bool:
    """Whether a formula is n / (n - 1), which hardly moves."""
    match formula:
        case Apply("div", (count, Apply("sub", (other, Constant(1.0))))):
            return count == other
    return False


def is_square(formula: Formula) -> bool:
    """Whether a formula is g * g."""
    return isinstance(formula, Apply) and formula.operation == "mul" and formula.arguments[0] == formula.arguments[1]


def _side(a: Floats, b: Floats, along: Floats, c: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(a * a + b * b - 2 * c * a * along, 0.0)))
