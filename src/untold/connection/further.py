"""Extra totals that an answer needs while it is made: a quantile counts several ranges until it has its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from untold.connection.found import found_for
from untold.connection.reports import Reports
from untold.question.algebra import restricted
from untold.question.model import EstimateOutput, Factor, PublicKey, Question, SensitiveKey, Total, TotalOf
from untold.scores.coefficients import Estimator
from untold.scores.compile import Compiled


def of_group(asked: Question, total: Total, group: int) -> Total:
    """A total within one combination of sensitive labels, numbered as `Compiled.groups` numbers them."""
    for key in reversed([key for key in asked.keys if isinstance(key, SensitiveKey)]):
        group, label = divmod(group, len(key.labels))
        total = restricted(total, Factor(key.column, key.indicators[label]))
    return total


def further_question(question: Question, total: Total) -> Question:
    """One more total, in the rows of each combination of public keys."""
    return replace(
        question,
        keys=tuple(key for key in question.keys if isinstance(key, PublicKey)),
        totals=(total,),
        outputs=(EstimateOutput("d", TotalOf(0), ""),),
        having=None,
        order=(),
    )


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
