"""Plots of errors on a log scale, one line or set of points per mechanism."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "figures"
COLOURS = ["#D55E00", "#E69F00", "#009E73", "#767676", "#CC79A7", "#56B4E9"]
OURS = "#0072B2"


def save(name: str, title: str, published: str, panels: Sequence[tuple[str, list[dict[str, Any]]]]) -> None:
    """One PNG."""
    import altair as alt

    names = list(dict.fromkeys(p["mechanism"] for _, points in panels for p in points))
    others = iter(COLOURS)
    scale = alt.Scale(domain=names, range=[OURS if n == "tuned" else next(others) for n in names])
    charts = []
    for axis, points in panels:
        x = alt.X("x:O", title=axis, sort=None, axis=alt.Axis(labelAngle=0))
        y = alt.Y(
            "error:Q", title="NMSE (AVG: mean relative error)", scale=alt.Scale(type="log"), axis=alt.Axis(format="~e")
        )
        base = alt.Chart(alt.Data(values=points)).encode(
            x=x, y=y, color=alt.Color("mechanism:N", title=None, scale=scale)
        )
        charts.append(base.mark_line(point=True).properties(width=240, height=220))
    chart = alt.hconcat(*charts).properties(
        title=alt.TitleParams(title, subtitle=published, anchor="start"), background="white"
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    chart.configure_axis(grid=True, gridColor="#E6E6E6").configure_view(stroke=None).save(
        str(FOLDER / f"{name}.png"), format="png", scale_factor=1.3
    )


def keep(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A CSV beside the plots."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
