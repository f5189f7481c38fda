"""The analyst's page in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet
import pytest
from site_under_test import SHOP, Site, serving

import untold
from untold.commands.demo.people import people

STATES = "SELECT state, COUNT(*) AS people FROM users GROUP BY state"


def test_signing_in(page: Any, site: Site) -> None:
    page.goto("/")
    page.get_by_label("Analyst's token").fill("0" * 64)
    page.keyboard.press("Enter")
    page.get_by_text("This token does not open this collector.").wait_for()
    page.get_by_label("Analyst's token").fill(site.tokens["analyst"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#charts svg")
    assert re.fullmatch(r"5,0\d\d people have reported", page.inner_text("#people"))  # the survey's tests add some
    assert page.inner_text("#promise").startswith("ε = 2")
    page.get_by_role("button", name="Sign out").click()
    assert page.is_visible("#sign-in")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_token_in_the_address_is_removed_from_it(desk: Any, site: Site) -> None:
    assert desk.url == f"{site.url}/"


def test_chart_and_table_show_what_the_server_answered(desk: Any, site: Site) -> None:
    ask(desk, STATES)
    answer = site.ask("/query", {"sql": STATES})[1]
    expected = [f"{row[0]['text']} {row[1]['text']}" for row in answer["rows"]]
    assert len(expected) == 3
    assert [" ".join(t.split()) for t in desk.locator("#charts svg .row title").all_text_contents()] == expected
    assert [" ".join(t.split()) for t in desk.locator("#table tbody tr").all_inner_texts()] == expected
    for row, cells in zip(desk.locator("#charts svg .row").all(), answer["rows"], strict=True):
        interval, dot = row.locator(".interval"), row.locator(".estimate")
        left, wide, middle = (
            float(v) for v in (interval.get_attribute("x"), interval.get_attribute("width"), dot.get_attribute("cx"))
        )
        share = (cells[1]["value"] - cells[1]["low"]) / (cells[1]["high"] - cells[1]["low"])
        assert (middle - left) / wide == pytest.approx(share, abs=1e-6)


def test_epochs_are_drawn_as_lines_with_bands(desk: Any) -> None:
    """The very module of the page, with an answer over epochs; the site under test has one epoch."""
    cell = "(v) => ({ value: v, low: v - 2, high: v + 2, text: String(v) })"
    rows = "[3, 1, 2].flatMap((e) => ['a', 'b'].map((os) => [{ value: e, text: String(e) }, { value: os, text: os }, cell(e)]))"
    columns = [
        {"kind": "key", "time": True, "label": "epoch"},
        {"kind": "key", "label": "os"},
        {"kind": "estimate", "label": "n"},
    ]
    found = desk.evaluate(
        f"""async () => {{
          const {{ chart }} = await import("/static/ask/chart.js");
          const cell = {cell};
          const figure = chart({{ columns: {json.dumps(columns)}, rows: {rows} }}, 2, 600);
          const course = figure.querySelectorAll(".course");
          const x = course[0].getAttribute("points").split(" ").map((p) => Number(p.split(",")[0]));
          return [course.length, figure.querySelectorAll(".band").length, x];
        }}"""
    )
    assert found[:2] == [2, 2]
    assert found[2] == sorted(found[2])
    assert len(found[2]) == 3


def test_an_error_is_underlined_where_it_is(desk: Any) -> None:
    desk.fill("#sql", "SELECT '😀' AS x,\n       AVG(state) AS y\nFROM users")
    desk.wait_for_selector("#fault:not(.stale)")
    desk.wait_for_selector("mark.wrong")
    ask(desk, "SELECT state, AVG(state) AS y\nFROM users\nGROUP BY state", fault=True)
    assert "".join(desk.locator("mark.wrong").all_text_contents()) == "AVG(state)"
    assert "'state' is categorical" in desk.inner_text("#fault")
    assert desk.get_attribute("#sql", "aria-invalid") == "true"
    style = desk.evaluate("getComputedStyle(document.querySelector('mark.wrong')).textDecorationStyle")
    assert style == "wavy"
    desk.fill("#sql", STATES)
    desk.wait_for_selector("#fault", state="hidden")
    assert desk.locator("mark.wrong").count() == 0


def test_underlining_counts_characters_as_people_do(desk: Any) -> None:
    ask(desk, "SELECT COUNT(*) AS n FROM users WHERE os = '😀😀' AND nobody = 1", fault=True)
    assert "".join(desk.locator("mark.wrong").all_text_contents()) == "nobody"


def test_names_are_completed_by_keyboard(desk: Any) -> None:
    desk.fill("#sql", "")
    desk.focus("#sql")
    desk.keyboard.type("SELECT COUNT(*) AS n FROM us")
    assert desk.get_attribute("#sql", "aria-activedescendant") == "suggestion-0"
    desk.keyboard.press("Enter")
    desk.keyboard.type(" WHERE stat")
    desk.keyboard.press("Tab")
    desk.keyboard.type(" = ")
    assert desk.locator("#suggestions .what").all_inner_texts() == ["'NY'", "'WA'", "'CA'"]
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("Enter")
    assert desk.input_value("#sql") == "SELECT COUNT(*) AS n FROM users WHERE state = 'WA'"
    desk.keyboard.type(" AND a")
    desk.keyboard.press("Escape")
    assert desk.is_hidden("#suggestions")
    desk.keyboard.press("Control+Space")
    assert "age" in desk.locator("#suggestions .what").all_inner_texts()
    desk.keyboard.press("Escape")
    desk.keyboard.press("Tab")  # no trap: Tab leaves the editor
    assert desk.evaluate("document.activeElement.id") == "run"


def test_the_forecast_follows_the_text_and_the_people(desk: Any) -> None:
    desk.fill("#users", "1000000")
    desk.fill("#sql", "SELECT COUNT(*) AS young FROM users WHERE age < 30")
    desk.locator("#forecast", has_text="young ±").wait_for()
    few = number(desk)
    desk.fill("#users", "100000000")
    desk.locator("#forecast", has_not_text=f"{few:,.0f}").wait_for()
    assert number(desk) == pytest.approx(10 * few, rel=1e-3)


AGES = "SELECT age, COUNT(*) AS people FROM users WHERE state = 'NY' GROUP BY age"


def test_the_best_guess_is_a_switch(desk: Any, site: Site) -> None:
    label = "best guess with its typical error, beside the guaranteed interval"
    ask(desk, AGES)
    plain = [" ".join(t.split()) for t in desk.locator("#table tbody tr").all_inner_texts()]
    with desk.expect_response("**/query") as told:
        desk.get_by_label(label).check()
    answer = told.value.json()
    desk.locator("#notes", has_text="best guess: a biased number").wait_for()
    shown = [" ".join(t.split()) for t in desk.locator("#table tbody tr").all_inner_texts()]
    assert answer["rows"] == site.ask("/query", {"sql": AGES, "plausible": True})[1]["rows"]
    assert shown == [f"{row[0]['text']} {row[1]['text']}" for row in answer["rows"]]
    assert shown != plain
    assert any("*" in row for row in plain)  # unbiased: some counts of a few people are below 0, and shown as 0
    assert all(row[1]["low"] >= 0 and row[1]["best"] >= 0 and row[1]["typical"] > 0 for row in answer["rows"])
    assert desk.locator("#charts .typical").count() > len(answer["rows"])  # thick, one in each row and in the legend
    desk.get_by_label(label).uncheck()
    desk.locator("#notes", has_not_text="best guess").wait_for(state="attached")
    assert desk.locator("#charts .typical").count() == 0


def test_people_may_be_taken_as_a_sample(desk: Any, site: Site) -> None:
    ask(desk, STATES)
    desk.get_by_label("people are a sample of others").check()
    desk.locator("#notes", has_text="who happened to report").wait_for()
    plain, sample = (site.ask("/query", {"sql": STATES, **how})[1]["rows"] for how in ({}, {"sample": True}))
    assert all(wide[1]["se"] > narrow[1]["se"] for wide, narrow in zip(sample, plain, strict=True))
    narrow, wide = (
        site.ask("/forecast", {"sql": STATES, "users": 5000, "sample": sample})[1]["columns"][0]["se"]
        for sample in (False, True)
    )
    assert wide > narrow


def test_intervals_may_hold_together_or_each_by_itself(desk: Any, site: Site) -> None:
    chosen = f"{STATES} ORDER BY people DESC LIMIT 1"
    ask(desk, chosen)
    desk.locator("#notes", has_text="Their intervals hold for all").wait_for()
    with desk.expect_response("**/query") as told:
        desk.get_by_label("Intervals hold").select_option("0")
    desk.locator("#notes", has_text="for a row by itself").wait_for()
    assert told.value.json()["rows"] == site.ask("/query", {"sql": chosen, "simultaneous": False})[1]["rows"]
    assert "simultaneous=0" in desk.evaluate("location.hash")
    single, together = (site.ask("/query", {"sql": chosen, "simultaneous": how})[1]["rows"] for how in (False, True))
    assert together[0][1]["low"] < single[0][1]["low"]


@pytest.mark.parametrize("name", ["plausible", "sample", "simultaneous"])
def test_a_switch_is_on_or_off(name: str, site: Site) -> None:
    status, answer = site.ask("/query", {"sql": STATES, name: "yes"})[:2]
    assert status == 400
    assert f"{name} is true or false" in json.dumps(answer)


def test_answers_are_downloaded(desk: Any, site: Site) -> None:
    ask(desk, STATES)
    answer = [row[1]["value"] for row in site.ask("/query", {"sql": STATES})[1]["rows"]]
    for form, read in (("csv", pyarrow.csv.read_csv), ("parquet", pyarrow.parquet.read_table)):
        with desk.expect_download() as found:
            desk.click(f"#{form}")
        assert found.value.suggested_filename == f"answer.{form}"
        table = read(found.value.path())
        assert table.column_names == ["state", "people", "people_se", "people_low", "people_high"]
        assert table["people"].to_pylist() == pytest.approx(answer)


def test_examples_are_answered(desk: Any) -> None:
    buttons = desk.locator("#examples button")
    assert buttons.count() == 8
    for button in buttons.all():
        with desk.expect_response("**/query") as found:
            button.click()
        assert found.value.status == 200
        assert button.get_attribute("aria-pressed") == "true"


def test_a_name_that_is_html_stays_text(desk: Any) -> None:
    ask(desk, 'SELECT COUNT(*) AS "<img src=x onerror=alert(1)>" FROM users WHERE age < 50')
    assert desk.locator("#table img, #charts img").count() == 0
    assert "<img src=x" in desk.inner_text("#table thead")


def test_epochs_are_chosen_where_there_are_several(browser: Any, tmp_path: Path) -> None:
    plan, (users, _) = untold.Plan.load(SHOP), people(1500)
    for epoch, some in ((0, users), (1, users.slice(0, 1000))):
        untold.perturb(plan, "users", some, out=tmp_path / "reports", epoch=epoch)
    with serving(tmp_path / "reports", "--query-seconds", "60") as site:
        context = browser.new_context(base_url=site.url)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.goto(f"/#token={site.tokens['analyst']}")
        page.wait_for_selector("#charts svg")
        ask(page, "SELECT COUNT(*) AS n FROM users")
        counts = {}
        for choice in ("1", "0", ""):
            with page.expect_response("**/query"):
                page.select_option("#epochs", choice)
            page.wait_for_selector("#run:enabled")
            counts[choice] = page.inner_text("#table td")
        context.close()
    assert counts == {"": "2,500 ± 0", "1": "1,000 ± 0", "0": "1,500 ± 0"}  # how many reported is known


def ask(desk: Any, sql: str, fault: bool = False) -> None:
    """Run a query by keyboard; wait for its answer, or its refusal, to be shown."""
    desk.fill("#sql", sql)
    with desk.expect_response("**/query") as found:
        desk.keyboard.press("Control+Enter")
    assert (found.value.status != 200) is fault
    desk.wait_for_selector("#run:enabled")
    assert desk.is_visible("#fault:not(.stale)") is fault


def number(desk: Any) -> float:
    """The ± of the forecast."""
    return float(desk.inner_text("#forecast b").lstrip("± ").replace(",", ""))
