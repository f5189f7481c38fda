"""Pictures of the book: lines or points of errors, a panel for each setting, in the colours of the mechanisms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

OURS = "#0072B2"
COLOURS = ("#D55E00", "#E69F00", "#009E73", "#767676", "#CC79A7", "#56B4E9", "#8C564B", "#000000")
SPARE = r' (aria-[a-z]+|role|pointer-events|stroke-miterlimit|class)="[^"]*"'


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


def lines(panels: Sequence[Panel], ours: Sequence[str] = ("default",), columns: int = 3) -> Any:
    """A chart: one line per mechanism (points where the x axis has words), and bars of two standard errors."""
    import altair as alt

    names = list(dict.fromkeys(p.line for panel in panels for p in panel.points))
    others = iter(COLOURS)
    scale = alt.Scale(domain=names, range=[OURS if name in ours else next(others) for name in names])
    charts = []
    for panel in panels:
        floor = min(p.y for p in panel.points) / 10 if panel.log_y else None
        data = [
            {
                "x": p.x,
                "y": p.y,
                "line": p.line,
                "low": max(p.y - 2 * p.error, floor) if floor else p.y - 2 * p.error,
                "high": p.y + 2 * p.error,
            }
            for p in panel.points
        ]
        words = isinstance(panel.points[0].x, str)
        if words:
            x = alt.X("x:O", title=panel.across, sort=None, axis=alt.Axis(labelAngle=0))
        else:
            ticks = sorted({p.x for p in panel.points})
            kind = alt.Scale(type="log" if panel.log_x else "linear", nice=False, zero=False, padding=10)
            x = alt.X(
                "x:Q", title=panel.across, scale=kind, axis=alt.Axis(values=ticks, format="~g", labelOverlap=True)
            )
        y_scale = alt.Scale(type="log") if panel.log_y else alt.Scale(zero=False)
        y_axis = alt.Axis(format="~g" if not panel.log_y else "~e", tickCount=5)
        base = alt.Chart(alt.Data(values=data)).encode(
            x=x, color=alt.Color("line:N", title=None, scale=scale, sort=names)
        )
        mark = (
            base.mark_point(filled=True, size=45, opacity=1)
            if words
            else base.mark_line(point=alt.OverlayMarkDef(size=25), strokeWidth=1.4)
        )
        marks: Any = mark.encode(y=alt.Y("y:Q", title=panel.up, scale=y_scale, axis=y_axis))
        if any(p.error for p in panel.points):
            marks = (
                base.mark_rule(strokeWidth=1).encode(y=alt.Y("low:Q", title=panel.up, scale=y_scale), y2="high:Q")
                + marks
            )
        charts.append(marks.properties(width=230, height=190, title=panel.title))
    return arranged(charts, columns)


def arranged(charts: Sequence[Any], columns: int = 3) -> Any:
    """Charts in rows, with the look of all pictures here."""
    import altair as alt

    rows = [alt.hconcat(*charts[i : i + columns]) for i in range(0, len(charts), columns)]
    chart = alt.vconcat(*rows).properties(background="white")
    return chart.configure_axis(grid=True, gridColor="#E6E6E6").configure_view(stroke=None)


def svg(chart: Any) -> str:
    """The text of the picture, half as long: without words for screen readers at every mark, two digits after the point."""
    import vl_convert

    text = re.sub(SPARE, "", str(vl_convert.vegalite_to_svg(chart.to_json())))
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", text)
