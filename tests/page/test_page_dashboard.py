"""The analyst's page of a plan that was made for questions: it opens with their answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from site_under_test import SHOP, Site, serving
from test_page_access import is_narrow_enough, violations

import untold
from untold.ask.dashboard.improved import improved_plan
from untold.commands.demo.people import people
from untold.plan.schema.service import Declared

QUESTIONS = (
    "SELECT COUNT(*) AS young FROM users WHERE age < 35",
    "SELECT state, COUNT(*) AS people FROM users GROUP BY state",
    "SELECT 100.0 * COUNT(*) FILTER (WHERE income >= 60000) / COUNT(*) AS percent FROM users",
)
PEOPLE = 3000
DONE = "#cards .card[aria-busy=false]"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("dashboard")
    plan = improved_plan(untold.Plan.load(SHOP), [Declared(sql) for sql in QUESTIONS], undeclared=0.2, parts=4)
    (folder / "plan.json").write_text(plan.to_json())
    untold.perturb(plan, "users", people(PEOPLE)[0], out=folder / "reports")
    with serving(folder / "reports", "--query-seconds", "60", plan=folder / "plan.json") as site:
        site.wait_until_ready()
        yield site


@pytest.fixture
def board(browser: Any, asked: Site) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=asked.url)
    context.set_default_timeout(60_000)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def test_it_opens_with_the_answers_of_its_questions(board: Any, asked: Site) -> None:
    board.goto(f"/#token={asked.tokens['analyst']}")
    board.locator(DONE).nth(len(QUESTIONS) - 1).wait_for()
    assert board.locator("#cards h2").all_inner_texts() == ["young where age < 35", "people by state", "percent"]
    assert board.is_hidden("#answer")  # nobody has asked anything else yet
    assert board.is_hidden("#examples-section")
    answers = [asked.ask("/query", {"sql": sql})[1]["rows"] for sql in QUESTIONS]
    assert board.locator("#cards .big").all_inner_texts() == [answers[0][0][0]["text"], answers[2][0][0]["text"]]
    rows = board.locator("#cards svg .row title").all_text_contents()
    assert rows == [f"{row[0]['text']} {row[1]['text']}" for row in answers[1]]

    board.fill("#more-people", str(100 * PEOPLE))
    board.locator("#cards .foreseen", has_text=f"with {100 * PEOPLE:,} people").nth(len(QUESTIONS) - 1).wait_for()
    now, then = board.locator("#cards .foreseen").first.locator("b").all_inner_texts()
    # a hundred times the people, a tenth of the error; both are rounded to two digits
    assert float(then.strip("± %")) == pytest.approx(float(now.strip("± %")) / 10, rel=0.1)

    for scheme, width in (("light", 1280), ("dark", 390)):
        board.emulate_media(color_scheme=scheme)
        board.set_viewport_size({"width": width, "height": 900})
        assert violations(board) == []
        assert is_narrow_enough(board, width)

    with board.expect_response("**/query"):
        board.locator("#cards button").nth(1).click()
    board.wait_for_selector("#charts svg")
    assert board.input_value("#sql") == QUESTIONS[1]


def test_a_link_opens_its_question_and_the_dashboard_waits(board: Any, asked: Site) -> None:
    queries: list[str] = []
    board.on("request", lambda request: queries.append(request.url) if request.url.endswith("/query") else None)
    board.goto(f"/#token={asked.tokens['analyst']}&q={QUESTIONS[0].replace(' ', '+')}")
    board.wait_for_selector("#charts svg")
    assert len(queries) == 1
    board.locator("#dashboard summary").click()
    board.locator(DONE).nth(len(QUESTIONS) - 1).wait_for()
    assert len(queries) == 1 + len(QUESTIONS)


def test_forecasts_come_from_reports_or_from_the_plan(asked: Site) -> None:
    con, plan = untold.connect(asked.folder), untold.Plan.load(asked.folder / "plan.json")
    body = {"sql": QUESTIONS[0], "users": 10 * PEOPLE}
    told = {way: asked.ask("/forecast", {**body, "reports": way})[1]["columns"][0] for way in (True, False)}
    assert told[True]["se"] == pytest.approx(con.forecast(QUESTIONS[0], users=10 * PEOPLE).columns[0].se)
    assert told[False]["se"] == pytest.approx(plan.forecast(QUESTIONS[0], users=10 * PEOPLE).columns[0].se)
    for of in told.values():
        assert of["share_of"] == "people"
        assert of["share"] == pytest.approx(of["se"] / (10 * PEOPLE))
    con.close()
    status, refused = asked.ask("/forecast", {**body, "reports": True, "sample": True})
    assert status == 400
    assert "takes nobody as a sample" in json.dumps(refused)
