"""From a compiled question to its result: a scan, estimates, notes, one table."""

from __future__ import annotations

from collections.abc import Mapping
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
from untold.estimates.estimate import Estimated, Estimates
from untold.estimates.rows import Rows, rows_of
from untold.estimates.unknown import possible
from untold.question.epochs import of_epochs_alone
from untold.question.model import EstimateOutput, FunctionOutput, KeyOutput, Output, PublicKey, Quantile, Question
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
    rows = estimated_rows(reports, asked, compiled, found, wanted)
    shown = {output.name: rows.column(output.formula) for output in _estimates(asked)}
    users, most = found.users, found.users * most_rows(reports, compiled)
    ends = {output.name: possible(output.formula, asked, most) for output in _estimates(asked)}
    notes = [*asked.notes, *found.notes, *notes_of(reports, compiled, users)]
    notes += unknown_notes(reports, asked, users, shown, ends, wanted.confidence)
    number = reports.number(compiled.question.services)
    return Result(
        tuple(_column(asked, output, ends) for output in asked.outputs),
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

    rows, reach = estimated_rows(reports, asked, compiled, found, wanted), list(reaches(compiled))
    groups = [rows.groups[number] for number in rows.numbers]
    columns: dict[str, Any] = {}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list(rows.keys(output.key))
        elif isinstance(output, FunctionOutput):
            columns[output.name] = rows.function(output.function)
        else:
            most = [moved(output.formula, group.totals, reach[group.number], share * found.users) for group in groups]
            columns[f"{output.name}_moved"] = arrow.of_numpy(np.array(most, dtype=np.float64))
    return pa.table(columns)


def estimated_rows(reports: Reports, asked: Question, compiled: Compiled, found: Found, wanted: Wanted) -> Rows:
    """The rows of an answer, their numbers worked out when they are asked for."""

    def quantile(formula: Quantile, group: int, key: tuple[object, ...], confidence: float) -> Estimated:
        from untold.connection.further import further_total
        from untold.estimates.quantiles import invert
        from untold.question.within import of_group

        counted = of_group(compiled.question, compiled.question.totals[formula.total], group)
        own = reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
        measure = partial(further_total, reports, compiled, wanted.estimator, key)
        return invert(counted, formula.column, own.numbers, own.size, formula.probability, measure, confidence)

    return rows_of(asked, found.groups, wanted.confidence, quantile)


def _estimates(asked: Question) -> list[EstimateOutput]:
    return [output for output in asked.outputs if isinstance(output, EstimateOutput)]


def _column(asked: Question, output: Output, ends: Mapping[str, tuple[float, float]]) -> OutputColumn:
    if isinstance(output, EstimateOutput):
        return OutputColumn(output.name, "estimate", possible=ends[output.name])
    if isinstance(output, FunctionOutput):
        return OutputColumn(output.name, "key")
    key = asked.keys[output.key]
    return OutputColumn(output.name, "key", is_time=isinstance(key, PublicKey) and of_epochs_alone(key.expression))


def _table(asked: Question, rows: Rows, shown: Mapping[str, Estimates]) -> pa.Table:
    columns: dict[str, Any] = {}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list(rows.keys(output.key))
            continue
        if isinstance(output, FunctionOutput):
            columns[output.name] = rows.function(output.function)
            continue
        found = shown[output.name]
        for suffix, each in zip(SUFFIXES, (found.value, found.se, found.low, found.high), strict=True):
            rounded = suffix == "" and output.digits is not None
            columns[output.name + suffix] = arrow.of_numpy(np.round(each, output.digits or 0) if rounded else each)
    return pa.table(columns)
