"""A coloured cell for each pair of keys. While cells are few, each shows its value and error; tooltips always do."""

from __future__ import annotations

from statistics import median
from typing import Any

from untold.answers.numbers import number_text
from untold.answers.plots.choose import is_scale
from untold.answers.plots.look import INK, altair, tooltip
from untold.answers.plots.rows import Rows
from untold.answers.result import OutputColumn, Result

MOST_WRITTEN, MOST_ACROSS = 60, 10  # cells, and cells side by side, that are large enough for numbers
LARGE_CELL = (112, 46)  # pixels
SMALL_CELL, LEAST_CELL, SIDE = 18, 3, 900


def heatmap(result: Result, estimate: OutputColumn, rows: Rows) -> Any:
    """The first key from top to bottom, the second from left to right: numbers by size, others in the order given."""
    alt = altair()
    high, wide = (len({row[f"label{i}"] for row in rows}) for i in (0, 1))
    small = max(LEAST_CELL, min(SMALL_CELL, SIDE // max(high, wide)))
    written = is_written(rows)
    width, height = LARGE_CELL if written else (small, small)

    def axis(channel: Any, i: int, **more: Any) -> Any:
        ranked = is_scale(result.values(result.keys[i].name))
        field, order = (f"key{i}", "ascending") if ranked else (f"label{i}", None)
        look = alt.Axis(ticks=False, domain=False, labelPadding=6, labelOverlap=not written, **more)
        return channel(field=field, type="ordinal", sort=order, title=result.keys[i].label, axis=look)

    base = alt.Chart(alt.Data(values=[row | {"cell": _two_lines(row["text"])} for row in rows])).encode(
        x=axis(alt.X, 1, labelAngle=0 if written else -60), y=axis(alt.Y, 0), tooltip=tooltip(result, estimate)
    )
    length = max(60, min(240, high * height))
    legend = None if written else alt.Legend(title=estimate.label, gradientLength=length, tickCount=5)
    colour = alt.Color(field="value", type="quantitative", scale=alt.Scale(scheme="blues"), legend=legend)
    layers = [base.mark_rect(stroke="white", strokeWidth=1 if small > 6 else 0).encode(color=colour)]
    if written:
        values = [row["value"] for row in rows]
        dark = f"datum.value > {min(values) + 0.6 * (max(values) - min(values))}"
        ink = alt.condition(dark, alt.value("white"), alt.value(INK))
        text = alt.Text(field="cell", type="nominal")
        layers.append(base.mark_text(fontSize=13, lineBreak="\n", lineHeight=16, dy=-8).encode(text=text, color=ink))
    chart = alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height))
    several = len(result.estimates) > 1
    return chart.properties(title=alt.TitleParams(estimate.label, fontSize=14)) if several else chart


def is_written(rows: Rows) -> bool:
    """Whether cells are few enough to hold their numbers."""
    return len(rows) <= MOST_WRITTEN and len({row["label1"] for row in rows}) <= MOST_ACROSS


def typical_error(estimate: OutputColumn, rows: Rows) -> list[str]:
    """A sentence that stands for the errors where cells are too small to show them."""
    halves = [(row["high"] - row["low"]) / 2 for row in rows if row["bounded"]]
    if is_written(rows) or not halves:
        return []
    middle, largest = (number_text(half, half) for half in (median(halves), max(halves)))
    return [f"{estimate.label}: ± {middle} for a typical cell, ± {largest} at most."]


def _two_lines(text: str) -> str:
    """The value above, its error below."""
    for sign in (" ±", " ("):
        text = text.replace(sign, f"\n{sign[1:]}", 1)
    return text
