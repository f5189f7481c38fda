"""From a compiled question to its result: a scan, estimates, notes, one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from untold.answers.result import BEST, SUFFIXES, OutputColumn, Result
from untold.ask.connection.introspection import Described
from untold.ask.connection.notes import choice_notes, notes_of, unknown_notes
from untold.ask.estimates.estimate import Estimated, Estimates
from untold.ask.estimates.possible import Ends, Possible, PossibleInAny
from untold.ask.estimates.rows import AnswerRows, rows_of
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import Found, most_rows
from untold.ask.question.epochs import of_epochs_alone
from untold.ask.question.model import EstimateOutput, FunctionOutput, KeyOutput, Output, PublicKey, Quantile, Question
from untold.ask.scores.coefficients import Estimator
from untold.ask.scores.compile import Compiled
from untold.tables import arrow

if TYPE_CHECKING:
    from untold.ask.evidence.quantiles import Below


@dataclass(frozen=True)
class Wanted:
    """How an answer is wanted. `simultaneous` intervals hold for all rows together; None: where estimates choose rows."""

    estimator: Estimator
    confidence: float
    plausible: bool
    simultaneous: bool | None = None


def result_of(
    reports: Reports,
    asked: Question,
    compiled: Compiled,
    found: Found,
    wanted: Wanted,
    began: float,
    within: Possible | PossibleInAny | None = None,
) -> Result:
    """The answer to `asked`, of which `compiled` is the part about people that was scanned; `began` by `perf_counter`.

    within   says what is possible; None: what `asked` says
    """
    users = found.users
    within = within or Possible(asked, users * most_rows(compiled))
    rows = estimated_rows(reports, asked, compiled, found, wanted, within)
    shown: dict[str, Estimates] = {}
    ends: dict[str, Ends] = {}
    for output in _estimates(asked):
        shown[output.name], ends[output.name] = rows.column(output.formula), within.over_all(output.formula)
    notes = [*asked.notes, *found.notes]
    if rows.choice is not None or rows.family is not None:
        notes += choice_notes(rows, shown)
    notes += notes_of(reports, compiled, users)
    if reports.plan.schema.clips:
        from untold.ask.connection.clipped_ends import notes_of_ends

        notes += notes_of_ends(reports, compiled.question)
    notes += unknown_notes(reports, asked, users, rows, shown, ends)
    number = reports.number(compiled.question.services)
    return Result(
        tuple(_column(asked, output, ends, wanted.plausible) for output in asked.outputs),
        _table(asked, rows, shown, wanted.plausible),
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
    from untold.ask.estimates.poison import moved
    from untold.ask.estimates.reach import reaches

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


def estimated_rows(
    reports: Reports,
    asked: Question,
    compiled: Compiled,
    found: Found,
    wanted: Wanted,
    within: Possible | PossibleInAny | None = None,
) -> AnswerRows:
    """The rows of an answer, their numbers worked out when they are asked for."""

    asked_below: dict[Quantile, Below] = {}

    def quantile(formula: Quantile, group: int, key: tuple[object, ...], confidence: float) -> Estimated:
        from untold.ask.estimates.quantiles import inverted
        from untold.ask.evidence.quantiles import Below

        if formula not in asked_below:
            asked_below[formula] = Below(reports, compiled, formula, wanted.plausible)
        own = reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
        below = asked_below[formula]
        found = inverted(partial(below.at, key, group), own, confidence, step=below.step)
        if not below.has_best:
            return found
        best = inverted(partial(below.best_at, key, group), own, confidence, step=below.step)
        return replace(found, best=best.value, typical=best.se)

    return rows_of(asked, found.groups, wanted.confidence, quantile, wanted.simultaneous, within)


def _estimates(asked: Question) -> list[EstimateOutput]:
    return [output for output in asked.outputs if isinstance(output, EstimateOutput)]


def _column(asked: Question, output: Output, ends: Mapping[str, tuple[float, float]], best: bool) -> OutputColumn:
    if isinstance(output, EstimateOutput):
        return OutputColumn(output.name, "estimate", possible=ends[output.name], has_best=best, digits=output.digits)
    if isinstance(output, FunctionOutput):
        return OutputColumn(output.name, "key")
    key = asked.keys[output.key]
    return OutputColumn(output.name, "key", is_time=isinstance(key, PublicKey) and of_epochs_alone(key.expression))


def _table(asked: Question, rows: AnswerRows, shown: Mapping[str, Estimates], best: bool) -> pa.Table:
    columns: dict[str, Any] = {}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = arrow.of_list(rows.keys(output.key))
            continue
        if isinstance(output, FunctionOutput):
            columns[output.name] = rows.function(output.function)
            continue
        found = shown[output.name]
        numbers = [found.value, found.se, found.low, found.high, *(rows.best(output.formula) if best else ())]
        for suffix, each in zip((*SUFFIXES, *(BEST if best else ())), numbers, strict=True):
            rounded = suffix in ("", "_best") and output.digits is not None
            columns[output.name + suffix] = arrow.of_numpy(np.round(each, output.digits or 0) if rounded else each)
    return pa.table(columns)


def described(found: Described) -> Result:
    """A table about the plan as a result; nothing in it is estimated."""
    columns = {name: [row[i] for row in found.rows] for i, name in enumerate(found.columns)}
    notes = (found.note,) if found.note else ()
    return Result(tuple(OutputColumn(name, "key") for name in columns), pa.table(columns), 0.95, notes, source="plan")
