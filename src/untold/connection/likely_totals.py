"""What is measured, but with values of closest plausible tables: what forecasts take people to be like.

Each total is read from the table over its own attributes. One table over all of them would be further off for a total of few.
"""

from __future__ import annotations

from dataclasses import replace

from untold.connection.found import Found, found_for
from untold.connection.reports import Reports
from untold.errors import UnsupportedQuery
from untold.estimates.gradients import is_linear
from untold.estimates.plausible import Plausible
from untold.question.model import EstimateOutput
from untold.scores.compile import Compiled


def likely_found(reports: Reports, compiled: Compiled) -> tuple[Found, bool]:
    """Totals of all groups, and whether their values are likely ones. Sums of totals have errors that do not depend on their
    values: these stay as measured."""
    outputs = [output for output in compiled.question.outputs if isinstance(output, EstimateOutput)]
    found = None if all(is_linear(output.formula) for output in outputs) else _likely(reports, compiled)
    return (found_for(reports, compiled), False) if found is None else (found, True)


def _likely(reports: Reports, compiled: Compiled) -> Found | None:
    """None where no table of people stands behind the question: joins, several reports of a person, too many cells."""
    if not compiled.from_counts or any(total.within is not None for total in compiled.question.totals):
        return None
    try:
        found = found_for(reports, compiled, plausible=True, together=False)
    except UnsupportedQuery:
        return None
    groups = []
    for group in found.groups:
        if not isinstance(group.adjust, Plausible) or group.adjust.values is None:
            return None
        groups.append(replace(group, adjust=None, totals=replace(group.totals, values=group.adjust.values)))
    return replace(found, groups=groups)
