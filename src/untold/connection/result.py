"""From a compiled question to its result: a scan, estimates, notes, one table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import pyarrow as pa

from untold import arrow
from untold.connection.found import Found
from untold.connection.notes import notes_of
from untold.connection.reports import Reports
from untold.estimates.estimate import Estimated
from untold.estimates.rows import Rows, rows_of
from untold.question.epochs import of_epochs_alone
from untold.question.model import EstimateOutput, KeyOutput, Output, PublicKey, Quantile, Question
from untold.results import OutputColumn, Result
from untold.results.result import SUFFIXES
from untold.scores.coefficients import Estimator
from untold.scores.compile import Compiled


@dataclass(frozen=True)
class Wanted:
    """How an answer is wanted."""

    estimator: Estimator
    confidence: float
    plausible: bool


def result_of(
    reports: Reports, asked: Question, compiled: Compiled, found: Found, wanted: Wanted, began: float
) -> Result:
    """The answer to `asked`, of which `compiled` is the part about people that was scanned; `began` by `perf_counter`."""

    def quantile(formula: Quantile, group: int, key: tuple[object, ...]) -> Estimated:
        from untold.connection.further import further_total, of_group
        from untold.estimates.quantiles import invert

        counted = of_group(compiled.question, compiled.question.totals[formula.total], group)
        own = reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
        measure = partial(further_total, reports, compiled, wanted.estimator, key)
        return invert(counted, formula.column, own.numbers, own.size, formula.probability, measure, wanted.confidence)

    rows = rows_of(asked, found.groups, wanted.confidence, quantile)
    users = found.users
    notes = [*asked.notes, *found.notes, *notes_of(reports, compiled, users)]
    number = reports.number(compiled.question.services)
    return Result(
        tuple(_column(asked, output) for output in asked.outputs),
        _table(asked, rows),
        wanted.confidence,
        tuple(notes),
        number,
        users,
        perf_counter() - began,
        f"{found.source} of {number:,} reports",
    )


def _column(asked: Question, output: Output) -> OutputColumn:
    if isinstance(output, EstimateOutput):
        return OutputColumn(output.name, "estimate")
    key = asked.keys[output.key]
    return OutputColumn(output.name, "key", is_time=isinstance(key, PublicKey) and of_epochs_alone(key.expression))


def _table(asked: Question, rows: Rows) -> pa.Table:
    columns: dict[str, Any] = {}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list(rows.keys(output.key))
            continue
        found = rows.column(output.formula)
        for suffix, each in zip(SUFFIXES, (found.value, found.se, found.low, found.high), strict=True):
            columns[output.name + suffix] = arrow.of_numpy(each)
    return pa.table(columns)
