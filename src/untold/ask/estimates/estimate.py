"""From totals to numbers with errors: the delta method for formulas, and an interval that fits the form of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import inf, nan
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from untold.ask.estimates.bent import Box, bends, boxed, leaves, together, width_as_error
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.ratios import fieller, interval_of, ratio_sum
from untold.ask.estimates.squares import few_less, is_square, less_square
from untold.ask.estimates.totals import Totals
from untold.ask.question.formulas import cut_totals, rewritten
from untold.ask.question.model import Apply, Constant, Floats, Formula, Quantile, Ranked, TotalOf
from untold.errors import UntoldError


@dataclass(frozen=True)
class Estimated:
    """A number with its standard error and interval; beside it a best guess and its typical error, nan where there is none."""

    value: float
    se: float
    low: float
    high: float
    best: float = nan
    typical: float = nan


@dataclass(frozen=True, eq=False)
class Estimates:
    """The same number in all groups."""

    value: Floats
    se: Floats
    low: Floats
    high: Floats

    def at(self, place: int | tuple[()]) -> Estimated:
        """That of one group."""
        return Estimated(*(float(each[place]) for each in (self.value, self.se, self.low, self.high)))


def of_one(found: Estimated) -> Estimates:
    """A number of one group as arrays."""
    return Estimates(*(np.array(each) for each in (found.value, found.se, found.low, found.high)))


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
    """The formula with its error, in one group."""
    return estimates(formula, totals, confidence).at(())


Cut = Callable[[Formula, Estimates], Estimates]  # an interval, cut to what the formula can be


def uncut(formula: Formula, found: Estimates) -> Estimates:
    """Where nobody says what is possible."""
    return found


def estimates(formula: Formula, totals: Totals, confidence: float, cut: Cut = uncut) -> Estimates:
    """The formula with its error, in all groups. Where it is put together from the intervals of its parts, these are `cut` before.

    total, sum of totals    value +- z se
    sums of ratios          see ratios.py
    f - g^2 (VARIANCE)      see squares.py
    f / g (AVG / AVG)       Fieller's interval of the two
    g^2                     the interval of g, squared; see `_squared`
    SQRT, ABS               the interval of what is inside, mapped; see `_root`
    LN, GREATEST, CASE ...  see bent.py
    a + b f, f any formula  the interval of f, mapped
    counts that cut classes see `_within_cuts`
    anything else           value +- z se by the delta method, without end where that of a part has none
    """
    with np.errstate(all="ignore"):  # what cannot be computed is nan, and says so
        if isinstance(formula, TotalOf) or not bends(formula):
            return _within_cuts(formula, totals, normal_quantile(confidence))
        return estimates_over(formula, lambda part, sure: cut(part, estimates(part, totals, sure)), confidence, totals)


def estimates_over(
    formula: Formula, leaf: Callable[[Formula, float], Estimates], confidence: float, totals: Totals | None = None
) -> Estimates:
    """A formula from the intervals of its parts; see bent.py. `leaf` estimates a part with a confidence."""
    line = _line_in(formula)
    if line is not None:
        inner, slope, shift = line
        return _line(estimates_over(inner, leaf, confidence, totals), slope, shift)
    if isinstance(formula, Quantile | Ranked):
        return leaf(formula, confidence)
    sure = together(confidence, len(leaves(formula)))

    def box(part: Formula) -> Box:
        found = leaf(part, sure)
        return found.value, found.low, found.high

    with np.errstate(all="ignore"):
        shape = () if totals is None else totals.values.shape[:-1]
        value, low, high = (np.broadcast_to(each, shape) for each in boxed(formula, box))
        return Estimates(value, width_as_error((value, low, high), normal_quantile(confidence)), low, high)


def _within_cuts(formula: Formula, totals: Totals, z: float) -> Estimates:
    """A formula some of whose totals cut classes: an even share of these as its value. Its interval covers those of the formula
    for every choice of what is wholly inside or all that is touched; it only rises, or only falls, with each of them, so that
    the truth lies between two of these."""
    found_cut = cut_totals(formula)
    if not found_cut:
        return _estimates(formula, totals, z)
    cut = sorted(set(found_cut), key=lambda each: each.index)
    choices = [
        {},
        *(dict(zip((each.index for each in cut), ends, strict=True)) for ends in product(*map(_bounds, cut))),
    ]
    found = [_estimates(_at_ends(formula, each), totals, z) for each in choices]
    value = found[0].value
    low, high = np.min([each.low for each in found], axis=0), np.max([each.high for each in found], axis=0)
    return Estimates(value, width_as_error((value, low, high), z), low, high)


def _bounds(total: TotalOf) -> tuple[int, int]:
    assert total.between is not None
    return total.between


def _at_ends(formula: Formula, ends: Mapping[int, int]) -> Formula:
    """A formula with other totals in place of some; none of them cuts a class."""
    return rewritten(formula, lambda total: TotalOf(ends.get(total.index, total.index)))


def _estimates(formula: Formula, totals: Totals, z: float) -> Estimates:
    if isinstance(formula, TotalOf):  # by far the most frequent: no gradient is needed
        return _normal(totals.values[..., formula.index], totals.variances[..., formula.index], z)
    ratios = ratio_sum(formula, totals)
    if ratios is None and isinstance(formula, Apply):
        mapped = _mapped(formula, totals, z)
        if mapped is not None:
            return mapped
    value, gradient = value_and_gradient(formula, totals)
    found = _normal(value, totals.variance_of(gradient), z)
    if ratios is not None:
        return Estimates(value, found.se, *interval_of(ratios, totals, z))
    assert isinstance(formula, Apply)
    ends = less_square(formula, totals, value, z)
    if ends is not None:
        return Estimates(value, found.se, *ends)
    endless = np.isnan(found.se) | _endless(formula, totals, z)
    if formula.operation == "div" and not isinstance(formula.arguments[1], Constant):
        (above, slope), (below, other) = (value_and_gradient(each, totals) for each in formula.arguments)
        low, high = fieller(above, below, totals.joint(np.stack([slope, other], axis=-2)), z)
        return Estimates(value, found.se, np.where(endless, -inf, low), np.where(endless, inf, high))
    return Estimates(value, found.se, np.where(endless, -inf, found.low), np.where(endless, inf, found.high))


def _normal(value: Floats, variance: Floats, z: float) -> Estimates:
    se = np.where(np.isfinite(variance) & ~np.isnan(value), np.sqrt(np.maximum(variance, 0.0)), nan)
    return Estimates(value, se, value - z * se, value + z * se)


def _mapped(formula: Apply, totals: Totals, z: float) -> Estimates | None:
    """A function of one formula; None if it is one of several."""
    if formula.operation in ("sqrt", "abs"):
        inner = _estimates(formula.arguments[0], totals, z)
        return _root(inner, z) if formula.operation == "sqrt" else _size(inner)
    line = _line_in(formula)
    if line is not None:
        return _line(_estimates(line[0], totals, z), *line[1:])
    if is_square(formula):
        return _squared(
            _estimates(formula.arguments[0], totals, z), value_and_gradient(formula, totals)[0], totals.known
        )
    if formula.operation == "mul" and few_less(formula.arguments[1]):
        return _line(
            _estimates(formula.arguments[0], totals, z), value_and_gradient(formula.arguments[1], totals)[0], 0.0
        )
    return None


def _line_in(formula: Formula) -> tuple[Formula, float, float] | None:
    """(f, slope, shift) of slope * f + shift, with f any formula; None if it has another form."""
    if not isinstance(formula, Apply) or formula.operation not in ("neg", "add", "sub", "mul", "div"):
        return None
    if formula.operation == "neg":
        return formula.arguments[0], -1.0, 0.0
    left, right = formula.arguments
    if isinstance(right, Constant):
        other, constant = left, right.value
    elif isinstance(left, Constant) and formula.operation != "div":
        other, constant = right, left.value
    else:
        return None
    slope, shift = {
        "add": (1.0, constant),
        "sub": (1.0, -constant) if right is not other else (-1.0, constant),
        "mul": (constant, 0.0),
        "div": (1 / constant if constant else nan, 0.0),
    }[formula.operation]
    return other, slope, shift


def _line(inner: Estimates, slope: float | Floats, shift: float) -> Estimates:
    slope = np.asarray(slope, dtype=np.float64)
    ends = shift + slope * inner.low, shift + slope * inner.high
    low, high = np.minimum(*ends), np.maximum(*ends)
    return Estimates(shift + slope * inner.value, np.abs(slope) * inner.se, low, high)


def _root(inner: Estimates, z: float) -> Estimates:
    """The square root of what cannot be negative, though an estimate of it can.

    Both ends are cut at 0 before the root is taken, the upper one at a standard error: a variance that came out far below
    0 by chance is small, but not known to be 0. The standard error is the one whose normal interval would be as wide.
    """
    low, high = np.sqrt(np.maximum(inner.low, 0.0)), np.sqrt(np.maximum(inner.high, inner.se))
    value = np.sqrt(np.maximum(inner.value, 0.0))
    bounded, unknown = np.isfinite(high), np.isnan(inner.value) | np.isnan(inner.se)
    se = np.where(bounded, (high - low) / (2 * z), np.where(value > 0, inner.se / (2 * value), inf))
    low, high = np.where(bounded & ~unknown, low, 0.0), np.where(bounded & ~unknown, high, inf)
    return Estimates(np.where(unknown, nan, value), np.where(unknown, nan, se), low, high)


def _squared(inner: Estimates, value: Floats, known: bool) -> Estimates:
    """The square g^2 of an estimate, whose unbiased `value` is g^2 - s^2, s its error; it may lie below the squared interval.

    The delta method says 2 |g| s, which is nothing where g came out as 0. For a normal g the variance is 4 m^2 s^2 + 2 s^4, with m
    the mean: unbiased is 4 g^2 s^2 - 2 s^4, and it is never less than 2 s^4.
    """
    size, spread = _size(inner), inner.se**2
    variance = 4 * inner.value**2 * spread
    if not known:
        variance = np.maximum(variance - 2 * spread**2, 2 * spread**2)
    return Estimates(value, np.sqrt(variance), np.minimum(size.low**2, value), np.maximum(size.high**2, value))


def _size(inner: Estimates) -> Estimates:
    """The absolute value."""
    near, far = np.minimum(abs(inner.low), abs(inner.high)), np.maximum(abs(inner.low), abs(inner.high))
    around = (inner.low < 0) & (inner.high > 0)
    return Estimates(abs(inner.value), inner.se, np.where(around, 0.0, near), far)


def _endless(formula: Apply, totals: Totals, z: float) -> npt.NDArray[np.bool_]:
    """Where a part may be anything, or a denominator zero: no interval of the whole can have an end there."""
    parts = [_estimates(each, totals, z) for each in formula.arguments if not isinstance(each, Constant)]
    out = np.zeros(totals.values.shape[:-1], dtype=bool)
    for part in parts:
        out |= ~(np.isfinite(part.low) & np.isfinite(part.high))
    if formula.operation == "div" and not isinstance(formula.arguments[1], Constant):
        out |= (parts[-1].low <= 0) & (parts[-1].high >= 0)
    return out
