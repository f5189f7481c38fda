"""Forecasts from the reports that are there: their own errors, for more or fewer people like those who have reported.

With k times the people a total is k times as large, and so is its variance, since people are independent. The part of a star
join's variance that comes from the things' reports, whose number stays, grows with k^2: `Totals.floor` of a star join is
the part that comes from people.

The error of an average or a deviation also depends on what people hold: a denominator, a variance. Few reports may put these
near 0, or below it, and the reports where they do not would speak for all. So these values are read from the closest plausible
table (likely_totals.py), where there is one. A quantile's error goes with the root of k, as if people were spread alike around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite, sqrt

import numpy as np

from untold.estimates.errors_wanted import fewest_users, share_of
from untold.estimates.estimate import Estimated, estimate
from untold.estimates.forecast import Expected, Forecast
from untold.estimates.gradients import is_linear
from untold.estimates.rows import Rows
from untold.estimates.totals import Totals
from untold.question.formulas import has_quantile
from untold.question.model import EstimateOutput, Formula, Question

ASSUMED = "as in the reports of {:,} people that are there"


def from_rows(
    asked: Question,
    rows: Rows,
    people: int,
    users: float | None,
    error: float | None,
    star: bool,
    likely: bool,
) -> Forecast | None:
    """The forecast; None if what is there does not tell the error of some column in any group.

    likely   whether the values of totals are likely ones; estimates themselves tell only where intervals have ends already
    """
    outputs = [output for output in asked.outputs if isinstance(output, EstimateOutput)]

    def cell(formula: Formula, number: int, k: float) -> Estimated:
        if has_quantile(formula):
            found = rows.estimated(formula, number)
            return replace(found, se=found.se / sqrt(k))
        return estimate(formula, times(rows.groups[number].totals, k, star), rows.confidence)

    def column(formula: Formula, k: float) -> tuple[float, float]:
        """The mean value and standard error of the groups whose interval has ends: elsewhere an error tells nothing."""
        known = [number for number in rows.numbers if likely or _tells(cell(formula, number, min(k, 1.0)))]
        told = [found for number in known if _tells(found := cell(formula, number, k))]
        return (_mean(told, "value"), _mean(told, "se")) if told else (0.0, inf)

    def expected(n: float) -> Forecast:
        columns = []
        for output in outputs:
            kind = share_of(output.formula, asked)
            columns.append(Expected(output.name, *column(output.formula, n / people), is_linear(output.formula), kind))
        return Forecast(asked.sql, int(n), tuple(columns), len(rows.numbers), ASSUMED.format(people), error)

    now = expected(float(users or people))
    if any(not isfinite(each.se) for each in now.columns):
        return None
    return now if error is None else fewest_users(expected, error)


def _tells(found: Estimated) -> bool:
    return isfinite(found.low) and isfinite(found.high) and isfinite(found.se)


def _mean(cells: Sequence[Estimated], name: str) -> float:
    return float(np.mean([getattr(cell, name) for cell in cells]))


def times(totals: Totals, k: float, star: bool = False) -> Totals:
    """The totals of k times the people, each as these are on average."""
    covariance, alone = k * totals.covariance, k * totals.variances
    if star and totals.floor is not None:
        covariance = k * totals.floor + k**2 * (totals.covariance - totals.floor)
        alone = k * np.diag(totals.floor) + k**2 * np.maximum(totals.variances - np.diag(totals.floor), 0.0)
    floor = None if totals.floor is None else k * totals.floor
    return replace(totals, values=k * totals.values, covariance=covariance, floor=floor, alone=alone, known=True)
