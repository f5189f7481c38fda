"""Pictures of the book: lines or points of errors, a panel for each setting, in the colours and shapes of the mechanisms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10
from typing import Any

OURS = "#0072B2"
COLOURS = ("#D55E00", "#E69F00", "#009E73", "#767676", "#CC79A7", "#56B4E9", "#8C564B", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
SPARE = r' (aria-[a-z]+|role|pointer-events|stroke-miterlimit|class)="[^"]*"'
LETTERS = {1: 11, 2: 11, 3: 13, 4: 15}  # size of letters by number of columns: wide pictures are shown smaller
STEPS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8))  # from coarse to fine
PLAIN = (
    "!datum.value || inrange(abs(datum.value), [1e-4, 1e5]) ? format(datum.value, ',~r') : format(datum.value, '~e')"
)
MANY = "datum.value >= 100000 ? format(datum.value / 1000000, ',~r') + ' M' : format(datum.value, ',~r')"


@dataclass(frozen=True)
class Point:
    """One point of a line; `error` is its own standard error."""

    x: str | int | float
    y: float
    line: str
    error: float = 0.0


@dataclass(frozen=True)
class Panel:
    """One set of axes. `across` and `up` are their titles; `log_x` and `log_y` choose the scales."""

    title: str
    across: str
    up: str
    points: Sequence[Point]
    log_x: bool = False
    log_y: bool = True

    def ends(self) -> tuple[float, float]:
        """What the upright axis shows. On a log scale a bar may go down to a third of its point and no further."""
        low = min(max(p.y - 2 * p.error, p.y / 3 if self.log_y else -inf) for p in self.points)
        high = max(p.y + 2 * p.error for p in self.points)
        return (low / 1.25, high * 1.25) if self.log_y else (low, high)


def ticks(low: float, high: float) -> list[float]:
    """At least three round numbers on a log scale: powers of ten, 1, 2 and 5 times these, or evenly spaced ones; at most eight.

    >>> ticks(0.09, 0.42), ticks(0.8, 2000), ticks(0.077, 0.16)
    ([0.1, 0.15, 0.2, 0.3, 0.4], [1.0, 10.0, 100.0, 1000.0], [0.08, 0.1, 0.12, 0.14, 0.16])
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in STEPS:
        found = [float(f"{step * 10.0**d:.3g}") for d in decades for step in steps]
        inside = [x for x in found if low <= x <= high]
        if len(inside) >= (3 if len(steps) < 4 else 5):
            return inside[:: ceil(len(inside) / 8)]
    wide = 10.0 ** floor(log10(high - low))
    step = next(wide * part for part in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (wide * part) <= 8)
    return [float(f"{step * i:.6g}") for i in range(ceil(low / step), floor(high / step) + 1)]


def lines(panels: Sequence[Panel], ours: Sequence[str] = ("default",), columns: int = 3) -> Any:
    """A chart: one line per mechanism (points side by side where the x axis has words), and bars of two standard errors."""
    import altair as alt

    names = list(dict.fromkeys(p.line for panel in panels for p in panel.points))
    others = iter(COLOURS)
    colours = alt.Scale(domain=names, range=[OURS if name in ours else next(others) for name in names])
    shapes = alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in range(len(names))])
    key = alt.Legend(title=None, orient="top", columns=2 * columns, symbolSize=90, labelLimit=400)
    charts = []
    for panel in panels:
        low, high = panel.ends()
        words = isinstance(panel.points[0].x, str)
        data = [
            {"x": p.x, "y": p.y, "line": p.line, "low": max(p.y - 2 * p.error, low), "high": p.y + 2 * p.error}
            for p in panel.points
        ]
        base = alt.Chart(alt.Data(values=data)).encode(
            x=across(panel, words),
            color=alt.Color("line:N", scale=colours, sort=names, legend=key),
        )
        if words:
            own = [name for name in names if any(p.line == name for p in panel.points)]
            base = base.encode(xOffset=alt.XOffset("line:N", sort=own, scale=alt.Scale(domain=own)))
        y = upright(panel, low, high)
        marks: Any = base.mark_point(filled=True, size=38, opacity=1).encode(
            y=y, shape=alt.Shape("line:N", scale=shapes, sort=names, legend=key)
        )
        if not words:
            marks = base.mark_line(strokeWidth=1.4).encode(y=y) + marks
        if any(p.error for p in panel.points):
            marks = base.mark_rule(strokeWidth=1).encode(y=alt.Y("low:Q", title=panel.up), y2="high:Q") + marks
        charts.append(marks.properties(width=230, height=190, title=panel.title))
    return arranged(charts, columns)


def across(panel: Panel, words: bool) -> Any:
    """The x axis."""
    import altair as alt

    if words:
        return alt.X("x:O", title=panel.across, sort=None, axis=alt.Axis(labelAngle=0, labelOverlap="greedy"))
    scale = alt.Scale(type="log" if panel.log_x else "linear", nice=False, zero=False, padding=10)
    values = sorted({p.x for p in panel.points})
    axis = alt.Axis(values=values, labelExpr=MANY, labelOverlap="greedy", labelSeparation=3)
    return alt.X("x:Q", title=panel.across, scale=scale, axis=axis)


def upright(panel: Panel, low: float, high: float) -> Any:
    """The y axis."""
    import altair as alt

    if not panel.log_y:
        return alt.Y("y:Q", title=panel.up, scale=alt.Scale(zero=False), axis=alt.Axis(labelExpr=PLAIN, tickCount=5))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.Y("y:Q", title=panel.up, scale=scale, axis=alt.Axis(values=ticks(low, high), labelExpr=PLAIN))


def arranged(charts: Sequence[Any], columns: int = 3) -> Any:
    """Charts in rows, with the look of all pictures here."""
    import altair as alt

    size = LETTERS[min(columns, len(charts))]
    rows = [alt.hconcat(*charts[i : i + columns]) for i in range(0, len(charts), columns)]
    chart = alt.vconcat(*rows).properties(background="white")
    return (
        chart.configure_axis(grid=True, gridColor="#E6E6E6", labelFontSize=size, titleFontSize=size)
        .configure_legend(labelFontSize=size)
        .configure_title(fontSize=size + 1)
        .configure_view(stroke=None)
    )


def svg(chart: Any) -> str:
    """The text of the picture, half as long: without words for screen readers at every mark, two digits after the point."""
    import vl_convert

    text = re.sub(SPARE, "", str(vl_convert.vegalite_to_svg(chart.to_json())))
    return re.sub("<[^>]*>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), text)
