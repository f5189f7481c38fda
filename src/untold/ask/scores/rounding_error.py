"""What random rounding to knots adds to the error of a sum.

A number x between two knots h apart is reported as one of them, X, with mean x. Scores know X alone: they estimate the
sum of X^2, which exceeds that of x^2 by the rounding's own variance, (x - lower)(upper - x) <= h^2 / 4. No more than the
sum of x^2 may be taken off, so a product (a X + c)(b X + d) is lowered by a b h^2 / 4: the error is then never too small, and too
large by at most that.

Of classes, h is the width of each. This is the tangent to x^2 at the middle m of a class, x^2 >= 2 m x - m^2, which sums of X tell
without bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from untold.ask.question.algebra import multiply, product_of
from untold.ask.question.model import Column, Factor, Floats, Term, Total
from untold.plan.schema import Sensitive


def touches(total: Total, rounded: Mapping[Column, Sensitive]) -> bool:
    """Whether a total depends on a number that is rounded."""
    return any(factor.column in rounded for term in total.terms for factor in term.factors)


def square(left: Total, right: Total, rounded: Mapping[Column, Sensitive]) -> Total:
    """The total of the product of two integrands, as it was, at least, before numbers were rounded."""
    return product_of(left, right, partial(_product, rounded=rounded))


def _product(left: Term, right: Term, rounded: Mapping[Column, Sensitive]) -> Term:
    both = multiply(left, right)
    others = {factor.column: factor.values for factor in right.factors}
    lowered = {
        factor.column: lowered_by(factor.values[None], others[factor.column][None], rounded[factor.column])[0]
        for factor in left.factors
        if factor.column in rounded and factor.column in others
    }
    factors = tuple(Factor(f.column, f.values - lowered.get(f.column, 0.0)) for f in both.factors)
    return Term(both.coefficient, factors, both.publics)


def lowered_by(left: Floats, right: Floats, attribute: Sensitive) -> Floats:
    """a b h^2 / 4 at every knot, or at both ends of a class that is h wide, and nothing where a value is missing; for each row
    of functions by itself."""
    knots, ends = attribute.known, attribute.beyond
    if attribute.halves:
        heights = [np.diff(rows[:, :knots].reshape(len(rows), -1, 2), axis=2) for rows in (left, right)]
        lowered = np.zeros(np.broadcast_shapes(left.shape, right.shape))
        lowered[:, :knots] = np.repeat((heights[0] * heights[1])[:, :, 0] / 4, 2, axis=1)
        return lowered
    steps = _steps_of(attribute.inside(left)) * _steps_of(attribute.inside(right)) / 4
    code = np.arange(left.shape[1])
    return np.where((code >= ends) & (code < knots - ends), steps[:, None], 0.0)


def _steps_of(rows: Floats) -> Floats:
    """How much linear functions grow from knot to knot; 0 for all others: they are functions of the rounded number."""
    if rows.shape[1] < 2:
        return np.zeros(len(rows))
    steps = np.diff(rows, axis=1)
    linear = np.ptp(steps, axis=1) <= 1e-9 * np.abs(rows).max(axis=1)
    return np.where(linear, steps[:, 0], 0.0)
