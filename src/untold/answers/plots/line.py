"""A line through the estimates, over a band of their intervals, along a key that is a number or a date."""

from __future__ import annotations

from typing import Any

from untold.answers.plots.choose import along_time
from untold.answers.plots.look import BLUE, GREY, LINES, WIDTH, altair, crosses_zero, scale_of, starts_at_zero, tooltip
from untold.answers.plots.rows import Rows
from untold.answers.result import OutputColumn, Result

HEIGHT = 300
MOST_POINTS = 60  # marked one by one


def line(result: Result, estimate: OutputColumn, rows: Rows) -> Any:
    """Where an interval is unbounded the band has a gap. A second key has a line for each of its values."""
    alt = altair()
    at = along_time(result) or 0
    field, key, values = f"key{at}", result.keys[at].label, [row[f"key{at}"] for row in rows]
    if isinstance(values[0], str):
        dates = alt.Axis(grid=False, tickCount=7)
        x = alt.X(field=field, type="temporal", title=key, scale=alt.Scale(type="utc"), axis=dates)
    else:
        whole = all(value == int(value) for value in values)
        axis = alt.Axis(grid=False, format="d", tickMinStep=1) if whole else alt.Axis(grid=False)
        x = alt.X(field=field, type="quantitative", title=key, scale=alt.Scale(zero=False, nice=False), axis=axis)
    scale = scale_of(rows, starts_at_zero(rows))
    y = alt.Y(field="value", type="quantitative", title=estimate.label, scale=scale, axis=alt.Axis(tickCount=6))
    low = alt.Y(field="low", type="quantitative", title=estimate.label, scale=scale)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, tooltip=tooltip(result, estimate))
    dot = {"size": 36 if len(rows) <= MOST_POINTS else 8, "filled": True}
    if len(result.keys) == 1:
        colour = alt.value(BLUE)
    else:
        other = 1 - at
        scale_of_lines = alt.Scale(range=list(LINES))
        colour = alt.Color(field=f"label{other}", type="nominal", title=result.keys[other].label, scale=scale_of_lines)
    layers = [
        base.mark_area(opacity=0.22).encode(y=low, y2=alt.Y2(field="high"), color=colour),
        *([_typical(base, estimate, scale, colour)] if estimate.has_best else []),
        base.mark_line(strokeWidth=2, point=dot).encode(y=y, color=colour),
    ]
    if crosses_zero(rows):
        zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=GREY, strokeWidth=1)
        layers.insert(0, zero.encode(y=alt.Y(field="zero", type="quantitative")))
    return alt.layer(*layers).properties(width=WIDTH + 120, height=HEIGHT)


def _typical(base: Any, estimate: OutputColumn, scale: Any, colour: Any) -> Any:
    """A darker band for the typical error of best guesses."""
    alt = altair()
    near = alt.Y(field="near", type="quantitative", title=estimate.label, scale=scale)
    return base.mark_area(opacity=0.35).encode(y=near, y2=alt.Y2(field="far"), color=colour)
