"""Extra totals that an answer needs while it is made: a quantile counts several ranges until it has its place."""

from __future__ import annotations

import numpy as np

from untold.connection.found import found_for
from untold.connection.reports import Reports
from untold.question.model import Total
from untold.question.within import further_question
from untold.scores.coefficients import Estimator
from untold.scores.compile import Compiled


def measured_total(reports: Reports, compiled: Compiled, key: tuple[object, ...]) -> tuple[float, float]:
    """The only total of a question, in the rows of one combination of public keys, and its standard error."""
    totals = next(group.totals for group in found_for(reports, compiled).groups if group.key == key)
    return float(totals.values[0]), float(totals.variance_of(np.ones(1))) ** 0.5


def further_total(
    reports: Reports, compiled: Compiled, estimator: Estimator, key: tuple[object, ...], total: Total
) -> tuple[float, float]:
    """One more total, in the rows of one combination of public keys, and its standard error."""
    inner = reports.compile(further_question(compiled.question, total), estimator, compiled.sample)
    return measured_total(reports, inner, key)
