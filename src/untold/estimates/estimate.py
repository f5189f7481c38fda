"""From moments to numbers with errors: variances of totals, the delta method for formulas, Fieller's interval for ratios."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, nan, sqrt
from statistics import NormalDist

import numpy as np

from untold.errors import UntoldError
from untold.question.model import Apply, Constant, Floats, Formula, TotalOf
from untold.scores.over_time import Sampling
from untold.scores.scan import Moments

EVERYBODY = Sampling()
FEW = 30  # users: an estimated variance may come out negative among so few


@dataclass(frozen=True)
class Estimated:
    """A number with its standard error and interval."""

    value: float
    se: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Totals:
    """Estimates of some totals with their covariances: `values[i]`, `covariance[i, j]`."""

    values: Floats
    covariance: Floats


def totals_from(
    moments: Moments,
    numbers: Sequence[int],
    pairs: Mapping[tuple[int, int], int],
    squares: Mapping[tuple[int, int], int],
    sampling: Sampling = EVERYBODY,
) -> Totals:
    """Values and covariances of the totals with these numbers.

    Users are independent, so with z a user's score and w its mean, Cov = sum z_i z_j - sum w_i w_j. The second sum is
    itself a total, estimated as any other (`squares`); where it is not one (several rows per user), (sum z_i)(sum
    z_j) / n takes its place, which never makes the error look smaller than it is on average. Where a share p of people take
    part, totals are divided by p, the first sum by p^2 and the second, which is one over those who do, by p: the sampling
    is in the error.
    """
    values, share = moments.first[list(numbers)], sampling.share
    covariance = np.zeros((len(numbers), len(numbers)))
    for a, i in enumerate(numbers):
        for b, j in enumerate(numbers[: a + 1]):
            pair = (i, j) if (i, j) in pairs else (j, i)
            if pair not in pairs:
                continue
            together, n = float(moments.second[pairs[pair]]) / share**2, moments.users
            if pair in squares:
                found = together - float(moments.first[squares[pair]]) / share
            else:
                spread = sampling.spread * values[a] * values[b] / (n * share**2) if n > 1 else 0.0
                found = (together - spread) * n / (n - 1) if n > 1 else together
            if a == b and found < 0:  # a handful of users, by chance: their whole second moment bounds it
                found = together if n < FEW else 0.0
            covariance[a, b] = covariance[b, a] = found
    return Totals(values / share, covariance)


def value_and_gradient(formula: Formula, totals: Totals) -> tuple[float, Floats]:
    """The value of a formula and its gradient in the totals."""
    if isinstance(formula, Constant):
        return formula.value, np.zeros(len(totals.values))
    if isinstance(formula, TotalOf):
        return float(totals.values[formula.index]), np.eye(1, len(totals.values), formula.index)[0]
    assert isinstance(formula, Apply)
    parts = [value_and_gradient(each, totals) for each in formula.arguments]
    return RULES[formula.operation](*parts)


Part = tuple[float, Floats]


def _divide(a: Part, b: Part) -> Part:
    if b[0] == 0:
        return nan, a[1] * nan
    return a[0] / b[0], (a[1] - a[0] / b[0] * b[1]) / b[0]


def _root(a: Part) -> Part:
    return (sqrt(a[0]), a[1] / (2 * sqrt(a[0]))) if a[0] > 0 else (nan, a[1] * nan)


RULES: dict[str, Callable[..., Part]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "div": _divide,
    "neg": lambda a: (-a[0], -a[1]),
    "sqrt": _root,
    "abs": lambda a: (abs(a[0]), a[1] if a[0] >= 0 else -a[1]),
}


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
    """The formula with its error. The interval of a ratio of totals is Fieller's: it stays right when the denominator
    is uncertain."""
    z = normal_quantile(confidence)
    if isinstance(formula, TotalOf):  # by far the most frequent: no gradient is needed
        value, variance = float(totals.values[formula.index]), float(totals.covariance[formula.index, formula.index])
        se = sqrt(max(variance, 0.0)) if isfinite(variance) else nan
        return Estimated(value, se, value - z * se, value + z * se)
    value, gradient = value_and_gradient(formula, totals)
    variance = float(gradient @ totals.covariance @ gradient)
    se = sqrt(max(variance, 0.0)) if isfinite(variance) else nan
    ratio = linear_ratio(formula, totals)
    if ratio is not None:
        low, high = fieller(*ratio, totals, z)
        return Estimated(value, se, low, high)
    return Estimated(value, se, value - z * se, value + z * se)


def linear_ratio(formula: Formula, totals: Totals) -> tuple[Part, Part, float] | None:
    """(numerator, denominator, scale) if the formula is a constant times a quotient of two linear formulas."""
    if not isinstance(formula, Apply):
        return None
    if formula.operation == "div":
        above, below = formula.arguments
        if is_linear(above) and is_linear(below) and not isinstance(below, Constant):
            return value_and_gradient(above, totals), value_and_gradient(below, totals), 1.0
        if isinstance(below, Constant) and below.value:
            inner = linear_ratio(above, totals)
            return inner and (inner[0], inner[1], inner[2] / below.value)
    if formula.operation == "mul":
        for constant, other in (formula.arguments, formula.arguments[::-1]):
            if isinstance(constant, Constant):
                inner = linear_ratio(other, totals)
                return inner and (inner[0], inner[1], inner[2] * constant.value)
    return None


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


def fieller(above: Part, below: Part, scale: float, totals: Totals, z: float) -> tuple[float, float]:
    """All ratios r for which above - r * below is within z standard errors of zero.

        (N - r D)^2 <= z^2 (V_NN - 2 r V_ND + r^2 V_DD)

    Where the denominator may be zero the set is unbounded, and so is the interval.
    """
    (n, gn), (d, gd) = above, below
    vnn, vnd, vdd = (float(x @ totals.covariance @ y) for x, y in ((gn, gn), (gn, gd), (gd, gd)))
    a, b = d * d - z * z * vdd, n * d - z * z * vnd
    root = (
        z * z * (d * d * vnn - 2 * n * d * vnd + n * n * vdd - z * z * (vnn * vdd - vnd * vnd))
    )  # b^2 - a c, no cancelling
    if not isfinite(a) or a <= 0:
        return -inf, inf
    root = max(root, 0.0)  # below zero by rounding alone: with a > 0 the set is never empty
    ends = sorted((scale * (b - sqrt(root)) / a, scale * (b + sqrt(root)) / a))
    return ends[0], ends[1]
