"""A coloured cell for each pair of keys. While cells are few, each shows its value and error; the pointer shows them always."""

from __future__ import annotations

from typing import Any

from tacit.answers.result import OutputColumn, Result
from tacit.plots.choose import is_scale
from tacit.plots.look import INK, altair, tooltip
from tacit.plots.rows import Rows

MOST_WRITTEN = 60  # cells with their numbers in them
CELL, SMALL_CELL = (112, 46), (18, 18)  # pixels


def heatmap(result: Result, estimate: OutputColumn, rows: Rows) -> Any:
    """The first key from top to bottom, the second from left to right: numbers by size, others as the answer has them."""
    alt = altair()
    written = len(rows) <= MOST_WRITTEN
    width, height = CELL if written else SMALL_CELL

    def axis(channel: Any, i: int, **more: Any) -> Any:
        ranked = is_scale(result.values(result.keys[i].name))
        field, order = (f"key{i}", "ascending") if ranked else (f"label{i}", None)
        look = alt.Axis(ticks=False, domain=False, labelPadding=6, **more)
        return channel(field=field, type="ordinal", sort=order, title=result.keys[i].label, axis=look)

    base = alt.Chart(alt.Data(values=[row | {"cell": _two_lines(row["text"])} for row in rows])).encode(
        x=axis(alt.X, 1, labelAngle=0 if written else -60), y=axis(alt.Y, 0), tooltip=tooltip(result, estimate)
    )
    legend = alt.Legend(title=estimate.label, gradientLength=max(90, min(240, height * 6)))
    colour = alt.Color(field="value", type="quantitative", scale=alt.Scale(scheme="blues"), legend=legend)
    layers = [base.mark_rect(stroke="white", strokeWidth=1).encode(color=colour)]
    if written:
        values = [row["value"] for row in rows]
        dark = f"datum.value > {min(values) + 0.6 * (max(values) - min(values))}"
        ink = alt.condition(dark, alt.value("white"), alt.value(INK))
        text = alt.Text(field="cell", type="nominal")
        layers.append(base.mark_text(fontSize=13, lineBreak="\n", lineHeight=16, dy=-8).encode(text=text, color=ink))
    return alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height))


def _two_lines(text: str) -> str:
    """The value above, its error below."""
    for sign in (" ±", " ("):
        text = text.replace(sign, f"\n{sign[1:]}", 1)
    return text
