"""Pictures like the paper's Figures 4, 5, 6, 7 and 9, under docs/figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.marginals.sse import Row
from benchmarks.png import repack

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "figures"
COLOURS = {
    "CALM": "#d62728",
    "CALM blue": "#ff9896",
    "FT": "#1f77b4",
    "FC": "#2ca02c",
    "AM": "#9467bd",
    "EM": "#8c564b",
    "Uni": "#7f7f7f",
    "NoNoise": "#000000",
    "Majority": "#bcbd22",
}


def save(chart: Any, name: str) -> Path:
    """As PNG, small."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{name}.png"
    chart.save(str(file), scale_factor=1.2)
    repack(file)
    return file


def _colour(alt: Any, names: Sequence[str]) -> Any:
    shown = [name for name in COLOURS if name in names]
    scale = alt.Scale(domain=shown, range=[COLOURS[name] for name in shown])
    return alt.Color("method:N", scale=scale, sort=shown, title=None)


def sse(rows: Sequence[Row], name: str, title: str) -> Path:
    """Error against epsilon, a panel for each (d, k) and n; a dashed line is Uni."""
    import altair as alt

    data = [
        {
            "panel": f"{r.setting.data}, n = 2^{r.setting.users.bit_length() - 1}",
            "shape": f"d = {r.setting.d}, k = {r.setting.k}",
            "epsilon": r.setting.epsilon,
            "method": r.method,
            "error": r.error,
        }
        for r in rows
    ]
    shapes = list(dict.fromkeys(row["shape"] for row in data))
    panels = list(dict.fromkeys(row["panel"] for row in data))
    chart = (
        alt.Chart(alt.Data(values=data))
        .mark_line(point=alt.OverlayMarkDef(size=14), strokeWidth=1.4)
        .encode(
            x=alt.X("epsilon:Q", title="epsilon"),
            y=alt.Y("error:Q", scale=alt.Scale(type="log"), title="SSE", axis=alt.Axis(format=".0e", tickCount=5)),
            color=_colour(alt, [r.method for r in rows]),
            strokeDash=alt.condition("datum.method == 'Uni'", alt.value([4, 3]), alt.value([1, 0])),
        )
        .properties(width=150, height=125)
        .facet(
            row=alt.Row("panel:N", sort=panels, title=None),
            column=alt.Column("shape:N", sort=shapes, title=None),
            title=alt.TitleParams(title, anchor="start"),
        )
        .resolve_scale(y="independent")
    )
    return save(chart, name)


def heat(data: Sequence[dict[str, Any]], across: str, name: str, title: str) -> Path:
    """Figure 7: SSE of every l (down) and m or epsilon (across); what Algorithm 1 chooses is framed."""
    import altair as alt

    base = alt.Chart().encode(x=alt.X("across:O", title=across, axis=alt.Axis(labelAngle=0)), y=alt.Y("l:O", title="l"))
    cells = base.mark_rect().encode(
        color=alt.Color("error:Q", scale=alt.Scale(type="log", scheme="blues", reverse=True), legend=None),
        stroke=alt.condition("datum.chosen", alt.value("#d62728"), alt.value("white")),
        strokeWidth=alt.condition("datum.chosen", alt.value(3), alt.value(0.5)),
    )
    middle = sorted(row["error"] for row in data)[len(data) // 2]
    text = base.mark_text(fontSize=10).encode(
        text=alt.Text("label:N"),
        color=alt.condition(f"datum.error < {middle}", alt.value("white"), alt.value("#222")),
    )
    shown = [row | {"label": f"{row['error']:.2g}"} for row in data]
    chart = (
        alt.layer(cells, text, data=alt.Data(values=shown))
        .properties(width=alt.Step(46), height=alt.Step(24))
        .facet(column=alt.Column("data:N", title=None), title=alt.TitleParams(title, anchor="start"))
        .resolve_scale(color="independent")
    )
    return save(chart, name)


def by_k(data: Sequence[dict[str, Any]], name: str, title: str) -> Path:
    """Figure 9: SSE against k, for views chosen for k' = 3 and for k' = k."""
    import altair as alt

    chart = (
        alt.Chart(alt.Data(values=list(data)))
        .mark_line(point=True)
        .encode(
            x=alt.X("k:O", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("error:Q", scale=alt.Scale(type="log"), title="SSE", axis=alt.Axis(format=".0e", tickCount=5)),
            color=alt.Color("epsilon:N"),
            strokeDash=alt.StrokeDash("views:N", title="views chosen for", legend=alt.Legend(symbolType="stroke")),
        )
        .properties(width=260, height=220)
        .facet(column=alt.Column("data:N", title=None), title=alt.TitleParams(title, anchor="start"))
    )
    return save(chart, name)


def wrong(data: Sequence[dict[str, Any]], name: str, title: str) -> Path:
    """Figure 6: misclassification against epsilon."""
    import altair as alt

    chart = (
        alt.Chart(alt.Data(values=list(data)))
        .mark_line(point=alt.OverlayMarkDef(size=14))
        .encode(
            x=alt.X("epsilon:Q"),
            y=alt.Y("wrong:Q", title="misclassified", scale=alt.Scale(zero=False), axis=alt.Axis(format="%")),
            color=_colour(alt, [row["method"] for row in data]),
            strokeDash=alt.condition(
                "datum.method == 'NoNoise' || datum.method == 'Majority'", alt.value([4, 3]), alt.value([1, 0])
            ),
        )
        .properties(width=170, height=130)
        .facet(
            row=alt.Row("table:N", title=None),
            column=alt.Column("copies:N", title=None, sort=["x1", "x4", "x16"]),
            title=alt.TitleParams(title, anchor="start"),
        )
        .resolve_scale(y="independent")
    )
    return save(chart, name)
