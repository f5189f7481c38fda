"""From a compiled question to its result: a scan, estimates, notes, one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from untold import arrow
from untold.connection.found import Found, most_rows
from untold.connection.notes import notes_of, unknown_notes
from untold.connection.reports import Reports
from untold.estimates.estimate import Estimated
from untold.estimates.rows import Row, rows_of
from untold.estimates.unknown import possible
from untold.question.epochs import of_epochs_alone
from untold.question.model import EstimateOutput, KeyOutput, Output, PublicKey, Quantile, Question
from untold.results import OutputColumn, Result
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
    rows = _rows(reports, asked, compiled, found, wanted)
    shown = [[row.estimated(output.formula) for output in _estimates(asked)] for row in rows]
    users, most = found.users, found.users * most_rows(reports, compiled)
    ends = [possible(output.formula, asked, most) for output in _estimates(asked)]
    notes = [*asked.notes, *found.notes, *notes_of(reports, compiled, users)]
    notes += unknown_notes(reports, asked, compiled, users, shown, ends, wanted.confidence)
    number = reports.number(compiled.question.services)
    by_name = dict(zip((output.name for output in _estimates(asked)), ends, strict=True))
    return Result(
        tuple(_column(asked, output, by_name) for output in asked.outputs),
        _table(asked, rows, shown),
        wanted.confidence,
        tuple(notes),
        number,
        users,
        perf_counter() - began,
        f"{found.source} of {number:,} reports",
    )


def poisoned_table(
    reports: Reports, asked: Question, compiled: Compiled, found: Found, wanted: Wanted, share: float
) -> pa.Table:
    """The keys of an answer, and how far a share of its people could move each number."""
    from untold.estimates.poison import moved
    from untold.estimates.reach import reaches

    rows, reach = _rows(reports, asked, compiled, found, wanted), list(reaches(compiled))
    columns: dict[str, Any] = {}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list([row.keys[output.key] for row in rows])
        else:
            most = [moved(output.formula, row.totals, reach[row.number], share * found.users) for row in rows]
            columns[f"{output.name}_moved"] = arrow.of_numpy(np.array(most, dtype=np.float64))
    return pa.table(columns)


def _rows(reports: Reports, asked: Question, compiled: Compiled, found: Found, wanted: Wanted) -> list[Row]:
    def quantile(formula: Quantile, group: int, key: tuple[object, ...]) -> Estimated:
        from untold.connection.further import further_total, of_group
        from untold.estimates.quantiles import invert

        counted = of_group(compiled.question, compiled.question.totals[formula.total], group)
        own = reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
        measure = partial(further_total, reports, compiled, wanted.estimator, key)
        return invert(counted, formula.column, own.numbers, own.size, formula.probability, measure, wanted.confidence)

    return rows_of(asked, found.groups, wanted.confidence, quantile)


def _column(asked: Question, output: Output, ends: Mapping[str, tuple[float, float]]) -> OutputColumn:
    if isinstance(output, EstimateOutput):
        return OutputColumn(output.name, "estimate", possible=ends[output.name])
    key = asked.keys[output.key]
    return OutputColumn(output.name, "key", is_time=isinstance(key, PublicKey) and of_epochs_alone(key.expression))


def _estimates(asked: Question) -> list[EstimateOutput]:
    return [output for output in asked.outputs if isinstance(output, EstimateOutput)]


def _table(asked: Question, rows: Sequence[Row], shown: Sequence[Sequence[Estimated]]) -> pa.Table:
    columns: dict[str, Any] = {}
    estimates = {output.name: i for i, output in enumerate(_estimates(asked))}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list([row.keys[output.key] for row in rows])
            continue
        cells = [each[estimates[output.name]] for each in shown]
        for suffix, field in (("", "value"), ("_se", "se"), ("_low", "low"), ("_high", "high")):
            columns[output.name + suffix] = arrow.of_numpy(
                np.array([getattr(cell, field) for cell in cells], dtype=np.float64)
            )
    return pa.table(columns)
