"""The value of a formula over totals, and how it moves with each of them."""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt

import numpy as np

from untold.estimates.totals import Totals
from untold.question.model import Apply, Constant, Floats, Formula, TotalOf

Part = tuple[float, Floats]  # a value, and its gradient in the totals


def value_and_gradient(formula: Formula, totals: Totals) -> Part:
    """The value of a formula and its gradient in the totals.

    A product of two estimates A, B of the same reports is too large by their covariance on average, which is taken off:

        E[A B] = a b + Cov(A, B)        Cov(A, B) = grad A' Cov grad B

    So VARIANCE, mean of squares minus squared mean, has the squared standard error of the mean added.
    """
    if isinstance(formula, Constant):
        return formula.value, np.zeros(len(totals.values))
    if isinstance(formula, TotalOf):
        return float(totals.values[formula.index]), np.eye(1, len(totals.values), formula.index)[0]
    assert isinstance(formula, Apply)
    parts = [value_and_gradient(each, totals) for each in formula.arguments]
    value, gradient = RULES[formula.operation](*parts)
    if formula.operation == "mul" and not totals.known:
        value -= float(parts[0][1] @ totals.covariance @ parts[1][1])
    return value, gradient


def _divide(a: Part, b: Part) -> Part:
    if b[0] == 0:
        return nan, a[1] * nan
    return a[0] / b[0], (a[1] - a[0] / b[0] * b[1]) / b[0]


def _root(a: Part) -> Part:
    return (sqrt(a[0]), a[1] / (2 * sqrt(a[0]))) if a[0] > 0 else (0.0 if a[0] <= 0 else nan, a[1] * nan)


RULES: dict[str, Callable[..., Part]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "div": _divide,
    "neg": lambda a: (-a[0], -a[1]),
    "sqrt": _root,
    "abs": lambda a: (abs(a[0]), a[1] if a[0] >= 0 else -a[1]),
}


def is_linear(formula: Formula) -> bool:
    """Whether a formula is a constant plus multiples of totals."""
    if isinstance(formula, Constant | TotalOf):
        return True
    if not isinstance(formula, Apply):
        return False
    if formula.operation in ("add", "sub", "neg"):
        return all(map(is_linear, formula.arguments))
    if formula.operation == "mul":
        return all(map(is_linear, formula.arguments)) and any(isinstance(each, Constant) for each in formula.arguments)
    return formula.operation == "div" and is_linear(formula.arguments[0]) and isinstance(formula.arguments[1], Constant)
