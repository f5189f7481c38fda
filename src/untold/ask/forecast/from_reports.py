"""Forecasts from the reports that are there: their own errors, for more or fewer people like those who have reported.

With k times the people a total is k times as large, and so is its variance, since people are independent. The part of a star
join's variance that comes from the things' reports, whose number stays, grows with k^2: `Totals.floor` of a star join is
the part that comes from people.

The error of an average or a deviation also depends on what people hold: a denominator, a variance. Few reports may put these
near 0, or below it, and the reports where they do not would speak for all. So these values are read from the closest plausible
table (likely_totals.py), where there is one. A quantile's error goes with the root of k, as if people were spread alike around it
(likely_quantiles.py).

How well it is known what people hold limits such a forecast. So it is made again, from values that reports might have led to
instead. With f_0 the forecast from the values around which these are drawn, and f_b the others,

    factor = exp(1.5 q),    q the least number that 90% of the |log(f_b / f_0)| do not exceed

The 1.5 makes up for what the redrawn values do not show: the table around which they are drawn is flatter than people are,
and other people might have reported first. It was found by measuring how often forecasts are right to their factor
(`scripts/bench accuracy forecasts`), which is to be in nine of ten cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite, sqrt

import numpy as np
import numpy.typing as npt

from untold.ask.estimates.estimate import Estimates, estimates
from untold.ask.estimates.measured import totals_of
from untold.ask.estimates.rows import AnswerRows, Invert
from untold.ask.estimates.totals import Totals
from untold.ask.forecast.errors_wanted import fewest_users, share_of
from untold.ask.forecast.forecast import Expected, Forecast
from untold.ask.forecast.likely_totals import LikelyTotals
from untold.ask.question.formulas import has_quantile, has_rank, is_linear
from untold.ask.question.model import EstimateOutput, Floats, Formula, Question

ASSUMED = "as in the reports of {:,} people that are there"
SURE = 0.9  # of all forecasts are right to the factor that they say
WIDER = 1.5
Bools = npt.NDArray[np.bool_]
Redrawn = Callable[[], list[Invert]]  # quantiles as reports might have told them instead; first as they are taken to be


def from_rows(
    asked: Question,
    rows: AnswerRows,
    people: int,
    users: float | None,
    error: float | None,
    star: bool,
    known: LikelyTotals,
    redrawn: Redrawn,
) -> Forecast | None:
    """The forecast; None if what is there does not tell the error of some column in any group.

    known   the totals of all groups; where they are measured ones, they tell only where intervals have ends already
    """
    if not rows.numbers or any(has_rank(each.formula) for each in asked.outputs if isinstance(each, EstimateOutput)):
        return None
    outputs = [output for output in asked.outputs if isinstance(output, EstimateOutput)]
    here = totals_of(rows.groups).at(rows.numbers)

    def cells(formula: Formula, k: float, totals: Totals, own: AnswerRows) -> Estimates:
        if has_quantile(formula):
            found = own.column(formula)
            return replace(found, se=found.se / sqrt(k))
        return estimates(formula, times(totals, k, star), rows.confidence)

    def column(formula: Formula, k: float, totals: Totals, own: AnswerRows) -> tuple[Floats, Floats]:
        """The mean value and standard error of the groups whose interval has ends: elsewhere an error tells nothing."""
        found = cells(formula, k, totals, own)
        tells = _tells(found)
        if not known.likely:
            tells &= _tells(cells(formula, min(k, 1.0), totals, own))
        return _mean(found.value, tells, 0.0), _mean(found.se, tells, inf)

    def factor(formula: Formula, k: float) -> float:
        if is_linear(formula):
            return 1.0
        if has_quantile(formula):
            own = [replace(rows, invert=invert, known={}) for invert in redrawn()]
            return spread_of(np.array([column(formula, k, here, each)[1] for each in own]))
        return spread_of(column(formula, k, _with_values(here, known.redrawn[:, rows.numbers]), rows)[1])

    def expected(n: float) -> Forecast:
        columns = []
        for output in outputs:
            value, se = map(float, column(output.formula, n / people, here, rows))
            columns.append(Expected(output.name, value, se, is_linear(output.formula), share_of(output.formula, asked)))
        return Forecast(asked.sql, int(n), tuple(columns), len(rows.numbers), ASSUMED.format(people), error)

    found = expected(float(users or people))
    if any(not isfinite(each.se) for each in found.columns):
        return None
    found = found if error is None else fewest_users(expected, error)
    factors = [factor(output.formula, found.users / people) for output in outputs]
    columns = tuple(replace(each, factor=own) for each, own in zip(found.columns, factors, strict=True))
    return replace(found, columns=columns)


def spread_of(errors: Floats) -> float:
    """The factor to which a forecast is right; `errors` are the one around which others were drawn, and those.

    >>> round(spread_of(np.array([1.0, 0.5, 1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.21])), 3)  # 1.21 ** 1.5
    1.331
    """
    with np.errstate(all="ignore"):
        apart = np.abs(np.log(errors[1:] / errors[0]))
        far = np.sort(np.where(np.isnan(apart), inf, apart))
        return float(np.exp(WIDER * far[int(np.ceil(SURE * len(far))) - 1]))


def _tells(found: Estimates) -> Bools:
    return np.isfinite(found.low) & np.isfinite(found.high) & np.isfinite(found.se)


def _mean(numbers: Floats, where: Bools, otherwise: float) -> Floats:
    """Over groups, the last axis."""
    count = where.sum(axis=-1)
    return np.where(count > 0, np.where(where, numbers, 0.0).sum(axis=-1) / np.maximum(count, 1), otherwise)


def _with_values(totals: Totals, values: Floats) -> Totals:
    """The same errors for several sets of values, along a first axis."""

    def often(numbers: Floats | None) -> Floats | None:
        return None if numbers is None else np.broadcast_to(numbers, (len(values), *numbers.shape))

    covariance = np.broadcast_to(totals.covariance, (len(values), *totals.covariance.shape))
    return Totals(values, covariance, often(totals.floor), often(totals.alone), totals.known)


def times(totals: Totals, k: float, star: bool = False) -> Totals:
    """The totals of k times the people, each as these are on average."""
    covariance, alone = k * totals.covariance, k * totals.variances
    if star and totals.floor is not None:
        own = np.diagonal(totals.floor, axis1=-2, axis2=-1)
        covariance = k * totals.floor + k**2 * (totals.covariance - totals.floor)
        alone = k * own + k**2 * np.maximum(totals.variances - own, 0.0)
    floor = None if totals.floor is None else k * totals.floor
    return replace(totals, values=k * totals.values, covariance=covariance, floor=floor, alone=alone, known=True)
