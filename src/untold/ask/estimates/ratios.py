"""Sums of ratios of totals: an average, 1 - a share, the difference of two averages; their intervals.

The interval of one ratio is Fieller's: it stays right where the denominator is uncertain, and has no end where the
denominator may be zero. The interval of a sum of several, and of other totals, is put together from theirs (MOVER: Zou &
Donner, Statistics in Medicine 27, 2008): with r_i the parts, l_i and u_i the ends of their intervals, and c_ij the
correlations of their errors,

    low = sum r_i - sqrt(sum_ij c_ij (r_i - l_i)(r_j - l_j))        high = sum r_i + sqrt(sum_ij c_ij (u_i - r_i)(u_j - r_j))

which is the ordinary interval where all parts have ordinary ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from untold.ask.estimates.gradients import Part, value_and_gradient
from untold.ask.estimates.totals import Totals
from untold.ask.question.formulas import is_linear
from untold.ask.question.model import Apply, Constant, Floats, Formula

Ends = tuple[Floats, Floats]  # by group


@dataclass(frozen=True)
class RatioSum:
    """linear + sum over denominators D of (numerator of D) / D: a formula of this form, with gradients in the totals."""

    linear: Part
    numerators: Mapping[Formula, Part] = field(default_factory=dict)

    def times(self, factor: float) -> RatioSum:
        """A multiple."""
        return RatioSum(_scaled(self.linear, factor), {d: _scaled(n, factor) for d, n in self.numerators.items()})

    def plus(self, other: RatioSum) -> RatioSum:
        """The sum of two; numerators over the same denominator are one."""
        numerators = dict(self.numerators)
        for below, above in other.numerators.items():
            numerators[below] = _added(numerators[below], above) if below in numerators else above
        return RatioSum(_added(self.linear, other.linear), numerators)


def ratio_sum(formula: Formula, totals: Totals) -> RatioSum | None:
    """The formula in this form; None if it has none."""
    if is_linear(formula):
        return RatioSum(value_and_gradient(formula, totals))
    if not isinstance(formula, Apply) or formula.operation not in ("add", "sub", "neg", "mul", "div"):
        return None
    left, right = formula.arguments[0], formula.arguments[-1]
    if formula.operation in ("mul", "div"):
        return _multiple(formula.operation, left, right, totals)
    parts = [ratio_sum(each, totals) for each in formula.arguments]
    if any(part is None for part in parts):
        return None
    first, last = parts[0], parts[-1]
    assert first is not None
    assert last is not None
    if formula.operation == "neg":
        return first.times(-1.0)
    return first.plus(last if formula.operation == "add" else last.times(-1.0))


def _multiple(operation: str, left: Formula, right: Formula, totals: Totals) -> RatioSum | None:
    if operation == "mul" and isinstance(left, Constant):
        left, right = right, left
    if isinstance(right, Constant):
        inner = ratio_sum(left, totals)
        if inner is None or (operation == "div" and right.value == 0):
            return None
        return inner.times(right.value if operation == "mul" else 1 / right.value)
    if operation == "div" and is_linear(left) and is_linear(right):
        nothing = (np.zeros(totals.values.shape[:-1]), np.zeros_like(totals.values))
        return RatioSum(nothing, {right: value_and_gradient(left, totals)})
    return None


def interval_of(found: RatioSum, totals: Totals, z: float) -> Ends:
    """All values that are within z standard errors."""
    value, slope = found.linear
    items: list[tuple[Floats, Ends, Floats]] = []  # of each part: value, interval, gradient
    if slope.any():
        half = z * np.sqrt(np.maximum(totals.variance_of(slope), 0.0))
        items.append((value, (value - half, value + half), slope))
        value = np.zeros_like(value)
    endless = np.zeros(value.shape, dtype=bool)
    for formula, above in found.numerators.items():
        below = value_and_gradient(formula, totals)
        ends = fieller(above[0], below[0], totals.joint(np.stack([above[1], below[1]], axis=-2)), z)
        endless |= ~(np.isfinite(ends[0]) & np.isfinite(ends[1]))
        under = np.where(endless, 1.0, below[0])
        ratio = above[0] / under
        items.append((ratio, ends, (above[1] - ratio[..., None] * below[1]) / under[..., None]))
    low, high = items[0][1] if len(items) == 1 else recovered(items, totals, value.shape)
    return np.where(endless, -inf, value + low), np.where(endless, inf, value + high)


def recovered(items: Sequence[tuple[Floats, Ends, Floats]], totals: Totals, shape: tuple[int, ...]) -> Ends:
    """The interval of a sum from those of its parts; see the module's docstring."""
    if not items:
        return np.zeros(shape), np.zeros(shape)
    middle = sum((ratio for ratio, _, _ in items), start=np.zeros(shape))
    covariance = totals.joint(np.stack([gradient for _, _, gradient in items], axis=-2))
    errors = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0))
    errors = np.where(errors == 0, 1.0, errors)
    correlation = covariance / (errors[..., :, None] * errors[..., None, :])

    def half(side: int) -> Floats:
        reach = np.stack([np.abs(ends[side] - ratio) for ratio, ends, _ in items], axis=-1)
        return np.asarray(np.sqrt(np.maximum(np.einsum("...i,...ij,...j->...", reach, correlation, reach), 0.0)))

    return middle - half(0), middle + half(1)


def fieller(n: Floats, d: Floats, covariance: Floats, z: float) -> Ends:
    """All ratios r for which n - r d is within z standard errors of zero; `covariance` is that of n and d.

        (N - r D)^2 <= z^2 (V_NN - 2 r V_ND + r^2 V_DD)

    Where the denominator may be zero the set is unbounded, and so is the interval.
    """
    vnn, vnd, vdd = covariance[..., 0, 0], covariance[..., 0, 1], covariance[..., 1, 1]
    a, b = d * d - z * z * vdd, n * d - z * z * vnd
    bounded = np.isfinite(a) & (a > 0)
    a = np.where(bounded, a, 1.0)
    spread = d * d * vnn - 2 * n * d * vnd + n * n * vdd - z * z * (vnn * vdd - vnd * vnd)  # b^2 - a c, no cancelling
    root = z * np.sqrt(np.maximum(spread, 0.0))  # below zero by rounding alone: with a > 0 the set is never empty
    return np.where(bounded, (b - root) / a, -inf), np.where(bounded, (b + root) / a, inf)


def _scaled(part: Part, factor: float) -> Part:
    return factor * part[0], factor * part[1]


def _added(a: Part, b: Part) -> Part:
    return a[0] + b[0], a[1] + b[1]
