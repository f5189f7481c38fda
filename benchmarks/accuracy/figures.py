"""Figures 4 to 8 and 12 of SIGMOD'19 as plots under docs/figures, with the published conclusion as the title of each.

Every point is an exact variance (no sampling): COUNT of evenly spread records, n = 1e6, OLH and fan-out near 5 as
published, up to 30 random queries each. What the paper says and what came out is in docs/papers_queries.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.png import repack
from benchmarks.queries.mechanisms import Point, by_epsilon, by_type, by_volume
from benchmarks.table import Value, show

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "figures"
SHARPNESS = 1.5  # pixels of a PNG per pixel of the chart
VOLUMES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
EPSILONS = (0.5, 1.0, 2.0, 5.0)
TYPES = {
    "1+0": "below 1",
    "0+1": "",
    "1+1": "below 1",
    "2+0": "below 1",
    "0+2": "",
    "2+1": "above 1",
    "1+2": "",
    "2+2": "",
}
NAMES = {"mg": "MG", "hi": "HI", "hio": "HIO", "sc": "SC", "default": "untold (default)"}
COLOURS = {"MG": "#E69F00", "HI": "#767676", "HIO": "#D55E00", "SC": "#009E73", "untold (default)": "#0072B2"}


def main(argv: list[str]) -> None:
    quick = "--quick" in argv
    queries = 6 if quick else 30
    all_four = ("mg", "hi", "hio", "default")
    one = by_volume(all_four, [1024], 2.0, VOLUMES, queries)
    one_epsilon = by_epsilon(all_four, [1024], EPSILONS, 0.25)
    draw(
        "sigmod19_fig4_fig5",
        "One ordinal attribute of 1024 values",
        "Published: HIO is best, MG only for volumes under 0.1; three times HIO's error at 0.8.",
        [("volume of the range, epsilon = 2", one), ("epsilon, volume 0.25", one_epsilon)],
    )
    two = by_volume(all_four, [256, 256], 2.0, VOLUMES, min(queries, 10))
    wide = by_volume(all_four, [1024, 64], 2.0, VOLUMES, min(queries, 10))
    draw(
        "sigmod19_fig7",
        "Two ordinal attributes: 256 x 256 (left) and 1024 x 64 (right), epsilon = 2",
        "Published: MG is better up to volumes of 0.01, far worse than HIO beyond.",
        [("volume, 256 x 256", two), ("volume, 1024 x 64", wide)],
    )
    three = by_volume(("mg", "hio", "default"), [256, 256, 64], 2.0, (0.01, 0.05, 0.1, 0.2, 0.5, 0.8), 2)
    draw(
        "sigmod19_fig8",
        "Three ordinal attributes: 256 x 256 x 64, epsilon = 2",
        "Published: HIO is three times more accurate than MG for volumes of 0.5 and more.",
        [("volume", three)],
    )
    many = by_type([25] * 4, [5] * 4, 5.0, list(TYPES), 0.1)
    few = by_type([25] * 2, [5] * 2, 5.0, ("1+0", "1+1", "2+0", "2+2"), 0.1)
    draw(
        "sigmod19_fig12_fig14",
        "HIO and SC, relative error by type of query (ranges + categorical conditions), epsilon = 5",
        "Published: SC wins only where a query touches few of many dimensions (left: 4 + 4, right: 2 + 2).",
        [("type of query, 8 attributes", many), ("type of query, 4 attributes", few)],
    )
    report(one, two, three, many, few)


def draw(name: str, title: str, published: str, panels: Sequence[tuple[str, list[Point]]]) -> None:
    """One PNG with a panel for each set of points, errors on a log scale."""
    import altair as alt

    names = [NAMES[m] for m in dict.fromkeys(point.mechanism for _, points in panels for point in points)]
    scale = alt.Scale(domain=names, range=[COLOURS[each] for each in names])
    charts = []
    for axis, points in panels:
        typed = isinstance(points[0].x, str)
        data = [{"x": p.x, "error": 100 * p.error, "mechanism": NAMES[p.mechanism]} for p in points]
        x = (
            alt.X("x:O", title=axis, sort=None, axis=alt.Axis(labelAngle=0))
            if typed
            else alt.X(
                "x:Q",
                title=axis,
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=alt.Axis(values=sorted({p.x for p in points}), format="~g"),
            )
        )
        unit = "mean relative error, %" if typed else "mean error, % of all users"
        y = alt.Y("error:Q", title=unit, scale=alt.Scale(type="log"), axis=alt.Axis(format="~g"))
        base = alt.Chart(alt.Data(values=data)).encode(
            x=x, y=y, color=alt.Color("mechanism:N", title=None, scale=scale)
        )
        marks: Any = base.mark_point(filled=True, size=60, opacity=1) if typed else base.mark_line(point=True)
        charts.append(marks.properties(width=330, height=250))
    chart = alt.hconcat(*charts).properties(
        title=alt.TitleParams(title, subtitle=published, anchor="start"), background="white"
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{name}.png"
    finished = chart.configure_axis(grid=True, gridColor="#E6E6E6").configure_view(stroke=None)
    finished.save(str(file), format="png", scale_factor=SHARPNESS)
    repack(file)


def report(one: list[Point], two: list[Point], three: list[Point], many: list[Point], few: list[Point]) -> None:
    """The published conclusions as numbers."""

    def at(points: list[Point], mechanism: str, x: float | str) -> float:
        return next(p.error for p in points if p.mechanism == mechanism and p.x == x)

    def ratio(points: list[Point], a: str, b: str, x: float | str) -> float:
        return at(points, a, x) / at(points, b, x)

    rows: list[list[Value]] = [
        ["4", "HI / HIO, volume 0.2, d = 1", "HI is much worse", ratio(one, "hi", "hio", 0.2)],
        ["4", "MG / HIO, volume 0.01, d = 1", "below 1", ratio(one, "mg", "hio", 0.01)],
        ["4", "MG / HIO, volume 0.1, d = 1", "about 1", ratio(one, "mg", "hio", 0.1)],
        ["4", "MG / HIO, volume 0.8, d = 1", "about 3", ratio(one, "mg", "hio", 0.8)],
        ["7", "HI / HIO, volume 0.2, d = 2", "an order of magnitude", ratio(two, "hi", "hio", 0.2)],
        ["7", "MG / HIO, volume 0.01, d = 2", "below 1", ratio(two, "mg", "hio", 0.01)],
        ["7", "MG / HIO, volume 0.8, d = 2", "far above 1", ratio(two, "mg", "hio", 0.8)],
        ["8", "MG / HIO, volume 0.5, d = 3", "at least 3", ratio(three, "mg", "hio", 0.5)],
        ["14", "SC / HIO, type 1+0, d = 4", "about 1", ratio(few, "sc", "hio", "1+0")],
        ["14", "SC / HIO, type 2+2, d = 4", "far above 1", ratio(few, "sc", "hio", "2+2")],
    ]  # fmt: skip
    rows += [["12", f"SC / HIO, type {t}, d = 8", said, ratio(many, "sc", "hio", t)] for t, said in TYPES.items()]
    show("accuracy-figures", "SIGMOD'19: ratios of mean absolute errors", ["figure", "what", "published", "here"], rows)
