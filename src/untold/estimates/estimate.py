"""From totals to numbers with errors: the delta method for formulas, and an interval that fits the form of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, isnan, nan, sqrt
from statistics import NormalDist

from untold.errors import UntoldError
from untold.estimates.gradients import value_and_gradient
from untold.estimates.ratios import interval_of, ratio_sum
from untold.estimates.squares import few_less, less_square
from untold.estimates.totals import Totals
from untold.question.model import Apply, Constant, Formula, TotalOf


@dataclass(frozen=True)
class Estimated:
    """A number with its standard error and interval."""

    value: float
    se: float
    low: float
    high: float


def check_confidence(confidence: object) -> None:
    """Refuse what is no confidence, or so near to 1 that it is rounded to certainty."""
    if not isinstance(confidence, int | float) or not 0.5 < 0.5 + min(max(confidence, 0), 1) / 2 < 1:
        raise UntoldError(f"confidence = {brief(confidence)}: a number between 0 and 1, such as 0.95, is needed.")


def brief(value: object) -> str:
    """A value as a message shows it, however long it is.

    >>> brief(10**5000), brief("a" * 500)
    ('an integer of many digits', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...")
    """
    if isinstance(value, int) and abs(value) >= 10**40:
        return "an integer of many digits"
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."


@lru_cache(maxsize=16)
def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided interval of this confidence reaches."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def estimate(formula: Formula, totals: Totals, confidence: float) -> Estimated:
    """The formula with its error.

    total, sum of totals    value +- z se
    sums of ratios          see ratios.py
    f - g^2 (VARIANCE)      see squares.py
    SQRT, ABS               the interval of what is inside, mapped; see `_root`
    a + b f, f any formula  the interval of f, mapped
    anything else           value +- z se by the delta method, without end where that of a part has none
    """
    z = normal_quantile(confidence)
    if isinstance(formula, TotalOf):  # by far the most frequent: no gradient is needed
        return _normal(float(totals.values[formula.index]), float(totals.variances[formula.index]), z)
    ratios = ratio_sum(formula, totals)
    if ratios is None and isinstance(formula, Apply):
        mapped = _mapped(formula, totals, confidence)
        if mapped is not None:
            return mapped
    value, gradient = value_and_gradient(formula, totals)
    found = _normal(value, totals.variance_of(gradient), z)
    if ratios is not None:
        return Estimated(value, found.se, *interval_of(ratios, totals, z))
    assert isinstance(formula, Apply)
    ends = less_square(formula, totals, value, z)
    if ends is not None:
        return Estimated(value, found.se, *ends)
    if isnan(found.se) or _endless(formula, totals, confidence):
        return Estimated(value, found.se, -inf, inf)
    return found


def _normal(value: float, variance: float, z: float) -> Estimated:
    se = sqrt(max(variance, 0.0)) if isfinite(variance) else nan
    return Estimated(value, se, value - z * se, value + z * se)


def _mapped(formula: Apply, totals: Totals, confidence: float) -> Estimated | None:
    """A function of one formula; None if it is one of several."""
    if formula.operation in ("sqrt", "abs"):
        inner = estimate(formula.arguments[0], totals, confidence)
        return (_root if formula.operation == "sqrt" else _size)(inner, normal_quantile(confidence))
    if formula.operation == "neg":
        return _line(estimate(formula.arguments[0], totals, confidence), -1.0, 0.0)
    left, right = formula.arguments
    if isinstance(right, Constant):
        other, constant = left, right.value
    elif isinstance(left, Constant) and formula.operation != "div":
        other, constant = right, left.value
    elif formula.operation == "mul" and few_less(right):
        other, constant = left, value_and_gradient(right, totals)[0]
    else:
        return None
    slope, shift = {
        "add": (1.0, constant),
        "sub": (1.0, -constant) if right is not other else (-1.0, constant),
        "mul": (constant, 0.0),
        "div": (1 / constant if constant else nan, 0.0),
    }[formula.operation]
    return _line(estimate(other, totals, confidence), slope, shift)


def _line(inner: Estimated, slope: float, shift: float) -> Estimated:
    low, high = sorted((shift + slope * inner.low, shift + slope * inner.high))
    return Estimated(shift + slope * inner.value, abs(slope) * inner.se, low, high)


def _root(inner: Estimated, z: float) -> Estimated:
    """The square root of what cannot be negative, though an estimate of it can.

    Both ends are cut at 0 before the root is taken, the upper one at a standard error: a variance that came out far below
    0 by chance is small, but not known to be 0. The standard error is the one whose normal interval would be as wide.
    """
    if isnan(inner.value) or isnan(inner.se):
        return Estimated(nan, nan, 0.0, inf)
    low, high = sqrt(max(inner.low, 0.0)), sqrt(max(inner.high, inner.se))
    value = sqrt(max(inner.value, 0.0))
    if isfinite(high):
        return Estimated(value, (high - low) / (2 * z), low, high)
    return Estimated(value, inner.se / (2 * value) if value else inf, 0.0, inf)


def _size(inner: Estimated, z: float) -> Estimated:
    """The absolute value."""
    ends = sorted((abs(inner.low), abs(inner.high)))
    return Estimated(abs(inner.value), inner.se, 0.0 if inner.low < 0 < inner.high else ends[0], ends[1])


def _endless(formula: Apply, totals: Totals, confidence: float) -> bool:
    """Whether a part may be anything, or a denominator zero: no interval of the whole can have an end then."""
    parts = [estimate(each, totals, confidence) for each in formula.arguments if not isinstance(each, Constant)]
    if any(not isfinite(part.low) or not isfinite(part.high) for part in parts):
        return True
    return (
        formula.operation == "div"
        and not isinstance(formula.arguments[1], Constant)
        and parts[-1].low <= 0 <= parts[-1].high
    )
