"""The survey in a real browser: from a form to a report that a query counts."""

from __future__ import annotations

import json
from math import e
from pathlib import Path
from typing import Any

import pytest
from site_under_test import SHOP, Site, serving

import untold
from untold.oracles import Message
from untold.plan.frozen import oracle_to_dict
from untold.serve.settings import Secrets
from untold.store.logs import HOME

COUNT = "SELECT COUNT(*) AS n FROM {}"


def test_a_report_is_shown_sent_stored_and_counted(page: Any, site: Site) -> None:
    before = counted(site, "users")
    fill(page)
    record, report = page.inner_text("#record"), page.inner_text("#report")
    assert record.split() == ["age", "42", "income", "61500", "state", "NY", "os", "linux"]
    assert "42" not in report.split()
    assert "61500" not in page.inner_text("#body")
    assert page.inner_text("#what").startswith("an example")
    with page.expect_request("**/reports") as sent:
        page.click("#send")
    page.get_by_text("Sent and stored. Thank you.").wait_for()
    assert page.inner_text("#what") == "all that is sent"
    shown = json.loads(page.text_content("#body"))
    assert json.loads(sent.value.post_data) == shown  # what is shown now is what was sent
    assert set(shown["reports"][0]) == {"service", "user", "epoch", "slots", "public"}
    site.flush()
    assert counted(site, "users") == before + 1
    assert counted(site, "users", "os = 'linux'") == 1


def test_within_an_epoch_any_answers_are_the_same_report(page: Any) -> None:
    fill(page)
    page.click("#send")
    page.get_by_text("Sent and stored.").wait_for()
    first = page.text_content("#body")
    page.reload()
    fill(page)
    assert page.text_content("#body") == first
    page.click("#send")
    page.get_by_text("The collector already has this very report.").wait_for()
    fill(page, age="43", load=False)
    assert page.text_content("#body") == first  # one report for an epoch, whatever happens
    page.click("#send")
    page.get_by_text("The collector already has this very report.").wait_for()


def test_where_nobody_is_enrolled_the_page_asks_for_key_and_token(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path / "r", enrol=False) as site:
        context = browser.new_context(base_url=site.url)
        page = context.new_page()
        page.goto("/survey")
        page.fill("#who [name=user]", "u-17")
        tokens = Secrets.load(tmp_path / "r" / HOME).tokens
        page.fill("#who [name=token]", tokens.device("text", "u-17"))
        page.click("#who button")
        page.wait_for_selector("#rows input")
        assert not page.is_visible("#who")
        assert not page.is_visible("#problem")
        context.close()


def test_where_too_many_enrol_the_page_says_when_to_come_back(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path / "r", "--enrol-per-minute", "1") as site:
        assert site.request("POST", "/enrol")[0] == 200
        context = browser.new_context(base_url=site.url)
        page = context.new_page()
        page.goto("/survey")
        page.get_by_text("many people enrol just now. Try again in").wait_for()
        assert not page.is_visible("#who")
        context.close()


MADE = """name = "credits"
user_key = "uid"
epsilon = 2.0
[services.credits]
questions = ["SELECT COUNT(*) FROM credits WHERE rate < 8", "SELECT AVG(rate) FROM credits WHERE status = 'paid'"]
[services.credits.attributes]
rate = { kind = "ordinal", low = 5, high = 31, cuts = [8], parts = 4 }
years = { kind = "ordinal", low = 0, high = 60, cuts = [18, 19], digits = 0, parts = 4, rounded = false }
status = { kind = "categorical", values = ["late", "lost", "paid"], groups = [["late", "lost"]] }
"""


def test_a_plan_made_for_questions_says_what_will_be_asked(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "credits.toml").write_text(MADE)
    with serving(tmp_path / "r", plan=tmp_path / "credits.toml") as site:
        context = browser.new_context(base_url=site.url)
        page = context.new_page()
        page.goto("/survey")
        page.wait_for_selector("#rows input")
        asked = page.text_content("#questions")
        assert "SELECT COUNT(*) FROM credits WHERE rate < 8" in asked
        assert "status = 'paid'" in asked
        page.locator("input[data-name=rate]").fill("12.5")
        page.locator("input[data-name=years]").fill("18")
        page.get_by_label("lost").check()
        page.click("#make")
        page.wait_for_selector("#sides", state="visible")
        assert "NaN" not in page.inner_text("#sides")
        assert "undefined" not in page.inner_text("#sides")
        page.click("#send")
        page.get_by_text("Sent and stored. Thank you.").wait_for()
        context.close()


def test_rows_of_a_service_with_many(page: Any, site: Site) -> None:
    before = counted(site, "transactions")
    page.goto("/survey")
    page.get_by_label("transactions").check()
    page.get_by_role("button", name="Add a row").click()
    assert page.locator("#rows .row").count() == 2
    page.click("#make")
    page.get_by_text("Please enter amount.").wait_for()
    for amount in page.locator("input[data-name=amount]").all():
        amount.fill("20.5")
    for food in page.get_by_label("food").all():
        food.check()
    page.click("#make")
    page.wait_for_selector("#sides:not([hidden])")
    page.click("#send")
    page.get_by_text("Sent and stored.").wait_for()
    site.flush()
    assert counted(site, "transactions", reports=True) == before + 1


def test_a_value_that_the_plan_does_not_allow_is_refused_in_words(page: Any) -> None:
    fill(page, age="126", expect=None)
    page.get_by_text("age = 126 is not in the plan; allowed are integers 1..125.").wait_for()
    assert page.is_hidden("#sides")


def test_what_a_report_speaks_for_is_what_python_says(page: Any) -> None:
    """Messages of every view, taken apart in the browser and by the oracle's own `supports`."""
    plan = untold.Plan.load(SHOP)
    page.goto("/survey")
    for service in plan.services:
        design = plan.design(service)
        for view in design.views:
            for index in (0, view.oracle.indexes // 2, view.oracle.indexes - 1):
                expected = [c for c in range(view.oracle.domain_size) if view.oracle.supports(Message(index), c)]
                frozen = oracle_to_dict(view.oracle)
                found = page.evaluate(
                    """async ([oracle, index]) => {
                        const { supports } = await import("/static/survey/support.js");
                        const speaksFor = supports(oracle, index, []);
                        return Array.from({ length: oracle.cells }, (_, cell) => cell).filter(speaksFor);
                    }""",
                    [frozen, index],
                )
                assert found == expected


def test_the_words_say_what_the_report_tells(page: Any) -> None:
    """Over several visitors: the odds never exceed e^epsilon, and both truths and lies occur and are called so."""
    told = set()
    for age in range(20, 60):
        fill(page, age=str(age), load=age == 20)
        text = page.inner_text("#meaning")
        odds = float(text.partition("That is ")[2].partition(" to 1")[0])
        assert odds == pytest.approx(e, abs=0.01)
        told.add(page.inner_text("#truthful").split(". ")[0])
    assert {"Your own truth is among them", "Your own truth is not among them"} <= told


def fill(page: Any, age: str = "42", load: bool = True, expect: str | None = "#sides:not([hidden])") -> None:
    """Fill in the form, and make the report."""
    if load:
        page.goto("/survey")
        page.locator("input[data-name=income]").fill("61500")
        page.get_by_label("NY").check()
        page.locator("input[data-name=os]").fill("linux")
    page.locator("input[data-name=age]").fill(age)
    page.click("#make")
    if expect:
        page.wait_for_selector(expect)


def counted(site: Site, service: str, where: str = "", reports: bool = False) -> int:
    """How many reports a query counts."""
    if reports or service == "transactions":
        about = site.ask("/about")[1]
        return next(s["reports"] for s in about["services"] if s["name"] == service)
    sql = COUNT.format(service) + (f" WHERE {where}" if where else "")
    return round(site.ask("/query", {"sql": sql})[1]["rows"][0][0]["value"])
