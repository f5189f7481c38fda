"""The right chart for an answer, and what is in it."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from helpers.made_up import by_state, one_number, result
from untold.answers.optional import MissingLibrary
from untold.answers.plots import draw
from untold.answers.plots.choose import choose_kind
from untold.answers.result import Result
from untold.errors import UntoldError

AGES = list(range(20, 30))
PAIRS = {"state": ["NY", "NY", "WA", "WA"], "os": ["ios", "android", "ios", "android"]}


def numbers(count: int) -> list[tuple[float, float]]:
    return [(100.0 * i, 10.0) for i in range(count)]


def spec(of: Result, kind: str | None = None) -> dict[str, Any]:
    chart: dict[str, Any] = draw(of, kind).to_dict()
    json.dumps(chart, allow_nan=False)  # whatever the numbers, the file is valid JSON
    return chart


def parts(chart: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All marks, however nested."""
    for inner in (part for name in ("layer", "hconcat", "vconcat") for part in chart.get(name, [])):
        yield inner
        yield from parts(inner)


def marks(chart: dict[str, Any]) -> list[str]:
    return [part["mark"]["type"] for part in parts(chart) if "mark" in part]


def data(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of all data sets, without the line at 0."""
    inline = [part["data"]["values"] for part in [chart, *parts(chart)] if "values" in part.get("data", {})]
    return [row for rows in [*inline, *chart.get("datasets", {}).values()] for row in rows if "zero" not in row]


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ({}, "points"),
        ({"state": ["NY", "WA", "CA", "TX"]}, "points"),
        ({"age": [20, 21, 22, 23]}, "line"),
        ({"age": [23, 22, 21, 20]}, "line"),
        ({"age": [20, 23, 21, 22]}, "points"),  # ordered by something else: kept
        ({"age": [20, 21, None, 22]}, "points"),
        ({"new": [True, False, True, False]}, "points"),
        ({"age": [20, 21]}, "points"),
        ({"day": [datetime.date(2026, 1, d) for d in (1, 2, 3, 4)]}, "line"),
        (PAIRS, "heatmap"),
        (PAIRS | {"age": [1, 2, 3, 4]}, "points"),
    ],
)
def test_the_kind_follows_from_the_keys(keys: dict[str, list[Any]], kind: str) -> None:
    rows = max([1, *map(len, keys.values())])
    assert choose_kind(result(keys, {"n": numbers(rows)})) == kind


def test_points_show_every_row_in_order_with_its_interval() -> None:
    chart = spec(by_state())
    assert {"rule", "tick", "point", "text"} <= set(marks(chart))
    assert "bar" not in marks(chart)
    rows = data(chart)
    assert [row["label"] for row in rows[:3]] == ["NY", "WA", "NULL"]
    assert rows[0]["text"] == "12,350 ± 680"
    assert (rows[1]["low"], rows[1]["high"]) == pytest.approx((-610.0, 190.0))
    assert (rows[2]["low"], rows[2]["bounded"]) == (None, False)
    encoding = next(part["encoding"] for part in parts(chart) if "encoding" in part and "y" in part["encoding"])
    assert encoding["y"]["sort"] is None
    text = next(part for part in parts(chart) if part.get("mark", {}).get("type") == "text")
    assert text["encoding"]["text"]["field"] == "text"


def test_the_title_states_the_estimate_and_the_confidence() -> None:
    title = spec(by_state(["Biased: clamped."]))["title"]
    assert title["text"] == "n by state, with 95% intervals"
    assert title["subtitle"] == [
        "1,000,000 reports of 500,000 users",
        "n: 1 row without a value not drawn.",
        "n: 1 row with an unbounded interval drawn without it.",
        "Biased: clamped.",
    ]
    assert spec(one_number())["title"]["text"] == "spend, with its 95% interval"


def test_bars_start_at_zero() -> None:
    chart = spec(result({"state": ["NY", "WA"]}, {"n": [(900.0, 1.0), (1000.0, 1.0)]}), "bars")
    bar = next(part for part in parts(chart) if part.get("mark", {}).get("type") == "bar")
    assert bar["encoding"]["x"]["scale"]["zero"] is True
    without = spec(result({"state": ["NY", "WA"]}, {"n": [(900.0, 1.0), (1000.0, 1.0)]}))
    point = next(part for part in parts(without) if part.get("mark", {}).get("type") == "point")
    assert point["encoding"]["x"]["scale"]["zero"] is False


@pytest.mark.parametrize("kind", ["points", "line"])
def test_one_row_does_not_stretch_the_axis(kind: str) -> None:
    """Nine groups of about 40 +- 2 and one of which nearly nothing is known: the axis is that of the nine."""
    cells = [(40.0 + i, 1.0) for i in range(9)] + [(90.0, 60.0, 0.0, 125.0)]
    chart = spec(result({"age": AGES[:10]}, {"mean": cells}), kind)
    axis = "x" if kind == "points" else "y"
    scales = [part["encoding"][axis]["scale"] for part in parts(chart) if "scale" in part["encoding"].get(axis, {})]
    assert all(35 < scale["domain"][0] < scale["domain"][1] < 55 and scale["clamp"] for scale in scales)
    assert "mean: 1 row with an interval beyond the axis." in chart["title"]["subtitle"]
    alike = spec(result({"age": AGES[:10]}, {"mean": [(40.0 + i, 1.0) for i in range(10)]}), kind)
    assert "domain" not in json.dumps(list(parts(alike)))


def test_a_number_that_is_not_possible_is_drawn_at_the_nearest_that_is() -> None:
    chart = spec(result({"state": ["NY", "WA"]}, {"n": [(-31.0, 90.0, 0.0, 145.0), (900.0, 90.0)]}))
    assert [(row["value"], row["text"]) for row in data(chart)] == [(0.0, "0* (0 to 140)"), (900.0, "900 ± 180")]


def test_a_line_has_a_band() -> None:
    chart = spec(result({"age": AGES}, {"n": numbers(10)}))
    assert {"area", "line"} <= set(marks(chart))
    area = next(part for part in parts(chart) if part.get("mark", {}).get("type") == "area")
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")
    assert area["encoding"]["x"]["type"] == "quantitative"


def over_time(**keys: list[Any]) -> Result:
    made = result(keys, {"n": [(10.0 * i, 1.0) for i in range(1, 7)]})
    return replace(made, columns=tuple(replace(c, is_time=c.name == "epoch") for c in made.columns))


def test_epochs_have_a_line_for_each_value_of_another_key() -> None:
    made = over_time(epoch=[0, 0, 1, 1, 2, 2], os=["ios", "web"] * 3)
    assert choose_kind(made) == "line"
    chart = draw(made).to_dict()
    band, course = chart["layer"]
    assert band["mark"]["type"] == "area"
    assert course["encoding"]["color"]["field"] == "label1"
    assert course["encoding"]["x"]["field"] == "key0"
    assert choose_kind(over_time(epoch=[2, 1, 0, 3, 4, 5])) == "line"  # in whatever order
    assert choose_kind(over_time(epoch=[0] * 6, os=list("abcdef"))) != "line"  # one epoch is no trend


def test_dates_are_drawn_as_dates() -> None:
    days = [datetime.date(2026, 1, d) for d in range(1, 11)]
    chart = spec(result({"day": days}, {"n": numbers(10)}))
    assert data(chart)[0]["key0"] == "2026-01-01"
    assert any(part.get("encoding", {}).get("x", {}).get("type") == "temporal" for part in parts(chart))


def test_a_heat_map_has_its_errors_in_cells_and_tooltips() -> None:
    chart = spec(result(PAIRS, {"n": numbers(4)}))
    assert marks(chart) == ["rect", "text"]
    rect = next(part for part in parts(chart) if part.get("mark", {}).get("type") == "rect")
    assert {tip["field"] for tip in rect["encoding"]["tooltip"]} == {"label0", "label1", "text", "se"}
    assert data(chart)[1]["cell"] == "100\n± 20"


def test_a_large_heat_map_says_its_typical_error() -> None:
    keys = {"a": [i for i in range(20) for _ in range(20)], "b": [j for _ in range(20) for j in range(20)]}
    chart = spec(result(keys, {"n": [(1.0 * i, 10.0 if i else 100.0) for i in range(400)]}))
    assert marks(chart) == ["rect"]
    assert "n: ± 20 for a typical cell, ± 200 at most." in chart["title"]["subtitle"]


def test_several_estimates_have_a_panel_each() -> None:
    two = {"n": numbers(4), "spend": numbers(4)}
    assert len(spec(result({"age": [1, 2, 3, 4]}, two))["vconcat"]) == 2
    assert len(spec(result(PAIRS, two))["hconcat"]) == 2
    assert spec(result(PAIRS, two))["title"]["text"] == "n and spend by state and os, with 95% intervals"


def test_too_many_rows_are_cut_and_it_says_so() -> None:
    chart = spec(result({"word": [f"w{i}" for i in range(100)]}, {"n": numbers(100)}))
    assert "The first 60 of 100 rows." in chart["title"]["subtitle"]
    assert len({row["label"] for row in data(chart)}) == 60


@pytest.mark.parametrize(
    ("of", "kind", "message"),
    [
        (by_state(), "pie", r"'pie' is not(.|\n)*points(.|\n)*heatmap"),
        (by_state(), "line", "needs one key that is a number"),
        (by_state(), "heatmap", "needs two keys; this answer has 1"),
        (result({"a": []}, {"n": []}), None, "no rows"),
        (result({"a": ["x"]}, {}), None, r"no estimated column(.|\n)*COUNT"),
        (result({"a": ["x"]}, {"n": [(nan, inf)]}), None, "no estimate of this answer has a finite value"),
    ],
)
def test_what_cannot_be_drawn(of: Result, kind: str | None, message: str) -> None:
    with pytest.raises(UntoldError, match=message):
        draw(of, kind)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingLibrary, match=r'pip install "untold\[plots\]"'):
        draw(by_state())
