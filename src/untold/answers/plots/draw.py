"""Draws a result as a chart."""

from __future__ import annotations

from typing import Any

from untold.answers.numbers import count_text
from untold.answers.plots.choose import choose_kind
from untold.answers.plots.heatmap import heatmap, typical_error
from untold.answers.plots.line import line
from untold.answers.plots.look import finish, wild
from untold.answers.plots.offline import offline
from untold.answers.plots.points import points
from untold.answers.plots.rows import Rows, chart_rows
from untold.answers.result import Result
from untold.errors import UntoldError

MOST_ROWS = 60  # of a chart with one line per row


def draw(result: Result, kind: str | None = None) -> Any:
    """An altair chart with intervals, one panel for each estimate. What is left out is said below the title."""
    kind = choose_kind(result, kind)
    panels = []
    remarks: dict[str, None] = {}  # a set that keeps its order
    for estimate in result.estimates:
        rows = chart_rows(result, estimate)
        remarks.update(dict.fromkeys(_left_out(result, estimate.name, rows, kind != "heatmap")))
        if not rows:
            continue
        if kind == "heatmap":
            panels.append(heatmap(result, estimate, rows))
            remarks.update(dict.fromkeys(typical_error(estimate, rows)))
        elif kind == "line":
            panels.append(line(result, estimate, rows))
        else:
            if len(rows) > MOST_ROWS:
                remarks[f"The first {MOST_ROWS} of {count_text(len(rows), 'row')}."] = None
            panels.append(points(result, estimate, rows[:MOST_ROWS], bars=kind == "bars"))
    if not panels:
        raise UntoldError(
            "There is nothing to draw: no estimate of this answer has a finite value.\nHint: see .show()."
        )
    return offline(finish(result, panels, across=kind == "heatmap", remarks=list(remarks)))


def _left_out(result: Result, name: str, rows: Rows, has_axis: bool) -> list[str]:
    missing = result.table.num_rows - len(rows)
    beyond = wild(rows)
    unbounded = sum(not row["bounded"] for row in rows)
    remarks = []
    if missing:
        remarks.append(f"{name}: {count_text(missing, 'row')} without a value not drawn.")
    if beyond and has_axis:
        remarks.append(f"{name}: {count_text(len(beyond), 'row')} with an interval beyond the axis.")
    if unbounded:
        remarks.append(f"{name}: {count_text(unbounded, 'row')} with an unbounded interval drawn without it.")
    return remarks
