"""A point and its interval for each row, in the order of the answer; or bars. One row alone is a single interval."""

from __future__ import annotations

from typing import Any

from untold.answers.plots.look import (
    BLUE,
    GREY,
    INK,
    PALE,
    WIDTH,
    altair,
    crosses_zero,
    scale_of,
    starts_at_zero,
    tooltip,
)
from untold.answers.plots.rows import Rows
from untold.answers.result import OutputColumn, Result

ROW = 30  # pixels
THICK = 9  # of a typical error; the guaranteed interval is thin


def points(result: Result, estimate: OutputColumn, rows: Rows, bars: bool = False) -> Any:
    """Rows from top to bottom; the value with its error is written at the right of each."""
    alt = altair()
    labels = " · ".join(key.label for key in result.keys) or None
    axis = alt.Axis(grid=False, ticks=False, labelPadding=8, labels=bool(result.keys))
    y = alt.Y(field="label", type="nominal", sort=None, title=labels, axis=axis)
    scale = scale_of(rows, bars or starts_at_zero(rows))
    x = alt.X(
        field="value",
        type="quantitative",
        title=estimate.label,
        scale=scale,
        axis=alt.Axis(tickCount=6, labelFlush=False, labelOverlap=True),
    )
    hover = tooltip(result, estimate)
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, tooltip=hover)
    bounded = base.transform_filter("datum.bounded")
    layers = []
    if bars:
        layers.append(base.mark_bar(color=PALE, height={"band": 0.7}).encode(x=x))
    if bars or crosses_zero(rows):
        zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=GREY, strokeWidth=1)
        layers.append(zero.encode(x=alt.X(field="zero", type="quantitative")))
    x_low = alt.X(field="low", type="quantitative", title=estimate.label, scale=scale)
    x_high = alt.X(field="high", type="quantitative", title=estimate.label, scale=scale)
    cap = {"color": BLUE, "thickness": 2, "size": 9, "opacity": 1, "orient": "vertical"}
    layers += [
        bounded.mark_rule(color=BLUE, strokeWidth=2).encode(x=x_low, x2=alt.X2(field="high")),
        bounded.mark_tick(**cap).encode(x=x_low),
        bounded.mark_tick(**cap).encode(x=x_high),
        *_thick(bounded, estimate, scale),
        base.mark_point(color=BLUE, size=64, opacity=1).encode(
            x=x, fill=alt.condition("datum.bounded", alt.value(BLUE), alt.value("white"))
        ),
        base.mark_text(align="left", fontSize=13, color=INK).encode(
            x=alt.value(WIDTH + 12), text=alt.Text(field="text", type="nominal")
        ),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW) if len(rows) > 1 else 2 * ROW)


def _thick(base: Any, estimate: OutputColumn, scale: Any) -> list[Any]:
    """A thick bar for the typical error of a best guess; nothing where there is none."""
    if not estimate.has_best:
        return []
    alt = altair()
    near = alt.X(field="near", type="quantitative", title=estimate.label, scale=scale)
    known = base.transform_filter("isValid(datum.near)")
    return [known.mark_rule(color=PALE, strokeWidth=THICK).encode(x=near, x2=alt.X2(field="far"))]
