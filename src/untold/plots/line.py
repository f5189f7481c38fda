"""A line through the estimates, over a band of their intervals, along a key that is a number or a date."""

from __future__ import annotations

from typing import Any

from untold.plots.look import BLUE, GREY, WIDTH, altair, crosses_zero, starts_at_zero, tooltip
from untold.plots.rows import Rows
from untold.results.result import OutputColumn, Result

HEIGHT = 300
MOST_POINTS = 60  # marked one by one


def line(result: Result, estimate: OutputColumn, rows: Rows) -> Any:
    """Where an interval is unbounded the band has a gap."""
    alt = altair()
    key, values = result.keys[0].label, [row["key0"] for row in rows]
    if isinstance(values[0], str):
        dates = alt.Axis(grid=False, tickCount=7)
        x = alt.X(field="key0", type="temporal", title=key, scale=alt.Scale(type="utc"), axis=dates)
    else:
        whole = all(value == int(value) for value in values)
        axis = alt.Axis(grid=False, format="d", tickMinStep=1) if whole else alt.Axis(grid=False)
        x = alt.X(field="key0", type="quantitative", title=key, scale=alt.Scale(zero=False, nice=False), axis=axis)
    scale = alt.Scale(zero=starts_at_zero(rows))
    y = alt.Y(field="value", type="quantitative", title=estimate.label, scale=scale, axis=alt.Axis(tickCount=6))
    low = alt.Y(field="low", type="quantitative", title=estimate.label, scale=scale)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, tooltip=tooltip(result, estimate))
    dot = {"size": 36 if len(rows) <= MOST_POINTS else 8, "color": BLUE, "filled": True}
    layers = [
        base.mark_area(color=BLUE, opacity=0.22).encode(y=low, y2=alt.Y2(field="high")),
        base.mark_line(color=BLUE, strokeWidth=2, point=dot).encode(y=y),
    ]
    if crosses_zero(rows):
        zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=GREY, strokeWidth=1)
        layers.insert(0, zero.encode(y=alt.Y(field="zero", type="quantitative")))
    return alt.layer(*layers).properties(width=WIDTH + 120, height=HEIGHT)
