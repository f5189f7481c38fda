"""Forecasts from the reports that are there: their own errors, for more or fewer people like those who have reported.

With k times the people a total is k times as large, and so is its variance, since people are independent. The part of a star
join's variance that comes from the things' reports, whose number stays, grows with k^2: `Totals.floor` of a star join is
the part that comes from people.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt

import numpy as np

from untold.estimates.errors_wanted import fewest_users, share_of
from untold.estimates.estimate import estimate
from untold.estimates.forecast import Expected, Forecast
from untold.estimates.gradients import is_linear
from untold.estimates.rows import Rows
from untold.estimates.totals import Totals
from untold.question.model import EstimateOutput, Formula, Quantile, Question

ASSUMED = "as in the reports of {:,} people that are there"


def from_rows(
    asked: Question,
    rows: Rows,
    people: int,
    users: float | None,
    error: float | None,
    star: bool,
) -> Forecast | None:
    """The forecast; None if what is there does not tell the error of some column in any group."""
    outputs = [output for output in asked.outputs if isinstance(output, EstimateOutput)]
    usable = [[number for number in rows.numbers if _tells(rows, output.formula, number)] for output in outputs]
    if not all(usable):
        return None

    def expected(n: float) -> Forecast:
        columns = []
        for output, own in zip(outputs, usable, strict=True):
            cells = [_scaled(rows, output.formula, number, n / people, star) for number in own]
            value, se = (float(np.mean([cell[i] for cell in cells])) for i in (0, 1))
            kind = share_of(output.formula, asked)
            columns.append(Expected(output.name, value, se, is_linear(output.formula), kind))
        return Forecast(asked.sql, int(n), tuple(columns), len(rows.numbers), ASSUMED.format(people), error)

    return fewest_users(expected, error) if error is not None else expected(float(users or people))


def _tells(rows: Rows, formula: Formula, number: int) -> bool:
    """Whether the interval has ends: where a denominator may be 0, its error tells nothing."""
    found = rows.estimated(formula, number)
    return isfinite(found.low) and isfinite(found.high) and isfinite(found.se)


def _scaled(rows: Rows, formula: Formula, number: int, k: float, star: bool) -> tuple[float, float]:
    """Value and standard error of a formula with k times the people."""
    if isinstance(formula, Quantile):
        found = rows.estimated(formula, number)
        return found.value, found.se / sqrt(k)
    cell = estimate(formula, times(rows.groups[number].totals, k, star), rows.confidence)
    return cell.value, cell.se


def times(totals: Totals, k: float, star: bool = False) -> Totals:
    """The totals of k times the people, each as these are on average."""
    covariance, alone = k * totals.covariance, k * totals.variances
    if star and totals.floor is not None:
        covariance = k * totals.floor + k**2 * (totals.covariance - totals.floor)
        alone = k * np.diag(totals.floor) + k**2 * np.maximum(totals.variances - np.diag(totals.floor), 0.0)
    floor = None if totals.floor is None else k * totals.floor
    return replace(totals, values=k * totals.values, covariance=covariance, floor=floor, alone=alone, known=True)
