"""The value of a formula over totals, and how it moves with each of them, in all groups at once."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from untold.ask.estimates.bent import Box, bends, boxed
from untold.ask.estimates.totals import Totals
from untold.ask.question.model import Apply, Constant, Floats, Formula, TotalOf

Part = tuple[Floats, Floats]  # values by group, and their gradients in the totals along one more axis


def value_and_gradient(formula: Formula, totals: Totals) -> Part:
    """The value of a formula and its gradient in the totals.

    A product of two estimates A, B of the same reports is too large by their covariance on average, which is taken off:

        E[A B] = a b + Cov(A, B)        Cov(A, B) = grad A' Cov grad B

    So VARIANCE, mean of squares minus squared mean, has the squared standard error of the mean added.
    """
    if isinstance(formula, Constant):
        return np.full(totals.values.shape[:-1], formula.value), np.zeros_like(totals.values)
    if isinstance(formula, TotalOf):
        gradient = np.zeros_like(totals.values)
        gradient[..., formula.index] = 1.0
        return totals.values[..., formula.index], gradient
    if bends(formula):  # of which only the value is known, see bent.py

        def value_of(part: Formula) -> Box:
            found = value_and_gradient(part, totals)[0]
            return found, found, found

        return np.broadcast_to(boxed(formula, value_of)[0], totals.values.shape[:-1]), np.full_like(totals.values, nan)
    assert isinstance(formula, Apply)
    parts = [value_and_gradient(each, totals) for each in formula.arguments]
    value, gradient = RULES[formula.operation](*parts)
    if formula.operation == "mul" and not totals.known:
        value = value - np.einsum("...i,...ij,...j->...", parts[0][1], totals.covariance, parts[1][1])
    return value, gradient


def _times(factor: Floats, gradient: Floats) -> Floats:
    return np.asarray(factor)[..., None] * gradient


def _divide(a: Part, b: Part) -> Part:
    below = np.where(b[0] == 0, nan, b[0])
    ratio = a[0] / below
    return ratio, _times(1 / below, a[1] - _times(ratio, b[1]))


def _root(a: Part) -> Part:
    positive = a[0] > 0
    root = np.sqrt(np.where(positive, a[0], 1.0))
    value = np.where(positive, root, np.where(a[0] <= 0, 0.0, nan))
    return value, _times(np.where(positive, 1 / (2 * root), nan), a[1])


RULES: dict[str, Callable[..., Part]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": lambda a, b: (a[0] * b[0], _times(b[0], a[1]) + _times(a[0], b[1])),
    "div": _divide,
    "neg": lambda a: (-a[0], -a[1]),
    "sqrt": _root,
    "abs": lambda a: (abs(a[0]), _times(np.where(a[0] >= 0, 1.0, -1.0), a[1])),
}
