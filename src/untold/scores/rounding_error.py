"""What random rounding to knots adds to the error of a sum.

A number x between two knots h apart is reported as one of them, X, with mean x. Scores know X alone: they estimate the
sum of X^2, which exceeds that of x^2 by the rounding's own variance, (x - lower)(upper - x) <= h^2 / 4. No more than the
sum of x^2 may be taken off, so a product (a X + c)(b X + d) is lowered by a b h^2 / 4: the error is then never too small, and too
large by at most that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from untold.plan import Plan
from untold.question.algebra import multiply, vanishes
from untold.question.model import Column, Factor, Floats, Term, Total


def rounded_columns(plan: Plan, services: Sequence[str]) -> dict[Column, int]:
    """Attributes whose values are rounded at random, and how many of their codes are knots: that of missing values is none."""
    return {
        Column(name, attribute.name): attribute.known
        for name in services
        for attribute in plan.service(name).sensitive
        if attribute.rounds
    }


def touches(total: Total, rounded: Mapping[Column, int]) -> bool:
    """Whether a total depends on a number that is rounded."""
    return any(factor.column in rounded for term in total.terms for factor in term.factors)


def square(left: Total, right: Total, rounded: Mapping[Column, int]) -> Total:
    """The total of the product of two integrands, as it was, at least, before numbers were rounded."""
    terms = (_product(a, b, rounded) for a in left.terms for b in right.terms)
    return Total(tuple(t for t in terms if not vanishes(t)), left.is_count and right.is_count)


def _product(left: Term, right: Term, rounded: Mapping[Column, int]) -> Term:
    both = multiply(left, right)
    others = {factor.column: factor.values for factor in right.factors}
    lowered = {
        factor.column: lowered_by(factor.values[None], others[factor.column][None], rounded[factor.column])[0]
        for factor in left.factors
        if factor.column in rounded and factor.column in others
    }
    factors = tuple(Factor(f.column, f.values - lowered.get(f.column, 0.0)) for f in both.factors)
    return Term(both.coefficient, factors, both.publics)


def lowered_by(left: Floats, right: Floats, knots: int) -> Floats:
    """a b h^2 / 4 at every knot, and nothing where a value is missing; for each row of functions by itself."""
    steps = _steps_of(left[:, :knots]) * _steps_of(right[:, :knots]) / 4
    return np.where(np.arange(left.shape[1]) < knots, steps[:, None], 0.0)


def _steps_of(rows: Floats) -> Floats:
    """How much linear functions grow from knot to knot; 0 for all others: they are functions of the rounded number."""
    if rows.shape[1] < 2:
        return np.zeros(len(rows))
    steps = np.diff(rows, axis=1)
    linear = np.ptp(steps, axis=1) <= 1e-9 * np.abs(rows).max(axis=1)
    return np.where(linear, steps[:, 0], 0.0)
