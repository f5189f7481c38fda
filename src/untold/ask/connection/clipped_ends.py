"""A note on columns with `clip`: which share of people lies at the ends, where a value stands for all beyond it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from untold.ask.estimates.estimate import normal_quantile
from untold.ask.estimates.measured import totals_of
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import measure
from untold.ask.question.algebra import restricted
from untold.ask.question.model import Column, EstimateOutput, Factor, Question, SensitiveKey, TotalOf
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.sql.question import question
from untold.errors import UntoldError
from untold.plan.schema import Sensitive


def notes_of_ends(reports: Reports, asked: Question) -> list[str]:
    """One sentence for each column with `clip` that a question touches. The shares come from reports, as all else."""
    found = []
    for column in _touched(asked):
        attribute = reports.plan.service(column.service).perturbed(column.attribute)
        if attribute.beyond and (shares := _shares(reports, column, attribute)):
            low, high = (attribute.value(code) for code in (0, attribute.known - 1))
            below, above = (_within(share, normal_quantile(0.95) * error) for share, error in shares)
            found.append(
                f"{column.attribute} is clipped: {below} of all rows lie below {low} or have no value, and count as {low}; "
                f"{above} lie above {high}, and count as {high}."
            )
    return found


def _within(share: float, half: float) -> str:
    """A share with its interval, neither beyond what shares can be."""
    share = min(share, 1.0)
    return f"{_percent(share)} ± {_percent(min(half, max(share, 1 - share)))}"


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.1 else f"{100 * share:.1f}%"


def _touched(asked: Question) -> list[Column]:
    factors = (factor.column for total in asked.totals for term in total.terms for factor in term.factors)
    keys = (key.column for key in asked.keys if isinstance(key, SensitiveKey))
    return list(dict.fromkeys([*factors, *keys]))


def _shares(reports: Reports, column: Column, attribute: Sensitive) -> tuple[tuple[float, float], ...]:
    """Below and above, each with its standard error; nothing where reports cannot tell. Asked once of the same reports."""
    name = "ends", column, reports.number((column.service,))
    if name not in reports.expected:
        try:
            reports.expected[name] = _asked(reports, column, attribute)
        except UntoldError:
            reports.expected[name] = ()
    known = reports.expected[name]
    return tuple(zip(known[::2], known[1::2], strict=True))


def _asked(reports: Reports, column: Column, attribute: Sensitive) -> tuple[float, ...]:
    every = question(f'SELECT COUNT(*) FROM "{column.service}"', reports.plan)
    code, ends = np.arange(attribute.size), attribute.beyond
    sides = (code < ends, (code >= attribute.known - ends) & (code < attribute.known))
    totals = tuple(restricted(every.totals[0], Factor(column, side.astype(np.float64))) for side in sides)
    outputs = tuple(
        EstimateOutput(name, TotalOf(number), "") for number, name in enumerate(("every", "below", "above"))
    )
    asked = replace(every, totals=(*every.totals, *totals), outputs=outputs)
    compiled = reports.compile(asked, ESTIMATORS["blue"])
    found = totals_of(measure(reports, compiled).groups)
    all_rows, values = float(found.values[0, 0]), found.values[0, 1:]
    if all_rows <= 0:
        return ()
    errors = np.sqrt(np.maximum(found.variances[0, 1:], 0.0))
    return tuple(float(each) / all_rows for pair in zip(np.maximum(values, 0.0), errors, strict=True) for each in pair)
