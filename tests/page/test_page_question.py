"""The question on the analyst's page: nothing stale beside a new one, links and code that carry it, completion by FROM."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import Any
from urllib.parse import quote

from site_under_test import Site

import untold

STATES = "SELECT state, COUNT(*) AS people FROM users GROUP BY state"
SYSTEMS = 'SELECT os, COUNT(*) AS people\nFROM users\nWHERE age >= 30 -- it\'s + & # "so"\nGROUP BY os'


def ask(desk: Any, sql: str) -> None:
    """Run a question, and wait for its answer."""
    desk.fill("#sql", sql)
    desk.keyboard.press("Control+Enter")
    desk.wait_for_selector("#run:enabled")
    desk.locator("#answer-title", has_text=re.compile("^Answer$")).wait_for()


def test_a_new_question_has_no_old_forecast_or_answer_beside_it(desk: Any) -> None:
    ask(desk, STATES)
    desk.locator("#forecast", has_text="±").wait_for()
    desk.fill("#sql", STATES.replace("state", "os"))
    assert desk.inner_text("#forecast") == "…"  # at once, before the server has said anything
    assert desk.inner_text("#answer-title") == "Answer to the question before"
    assert desk.inner_text("#answer-of") == STATES
    assert desk.evaluate("getComputedStyle(document.querySelector('.answer .card')).borderTopStyle") == "dashed"
    desk.fill("#sql", STATES)
    assert desk.inner_text("#answer-title") == "Answer"
    desk.fill("#sql", "SELECT AVG(state) FROM users")
    desk.click("#run")
    desk.wait_for_selector("mark.wrong")
    desk.locator("#forecast", has_text="–").wait_for()
    assert desk.inner_text("#answer-of") == STATES


def test_a_link_carries_the_question(desk: Any, page: Any, site: Site) -> None:
    desk.select_option("#confidence", "0.99")
    ask(desk, SYSTEMS)
    assert desk.url.startswith(f"{site.url}/#q=")
    linked = desk.url
    desk.goto("about:blank")
    desk.goto(linked)
    desk.wait_for_selector("#charts svg")
    assert desk.input_value("#sql") == SYSTEMS
    assert desk.input_value("#confidence") == "0.99"
    assert "os" in desk.inner_text("#table thead")
    desk.evaluate(f"location.hash = '#q={quote(STATES)}'")
    desk.locator("#table thead", has_text="state").wait_for()
    assert desk.input_value("#sql") == STATES


def test_a_token_and_a_question_in_one_address(page: Any, site: Site) -> None:
    page.goto(f"/#token={site.tokens['analyst']}&q={quote(STATES)}")
    page.wait_for_selector("#charts svg")
    assert page.input_value("#sql") == STATES
    assert "token" not in page.url


def test_code_that_was_copied_gives_the_same_answer(desk: Any, site: Site) -> None:
    ask(desk, SYSTEMS)
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(button: str) -> str:
        desk.click(button)
        desk.locator("#spoken", has_text="Copied").wait_for(state="attached")
        desk.evaluate("document.getElementById('spoken').textContent = ''")
        return str(desk.evaluate("navigator.clipboard.readText()"))

    assert copied("#copy-link") == desk.url
    shown = [" ".join(text.split()) for text in desk.locator("#table tbody tr").all_inner_texts()]
    program = copied("#copy-python").replace('"reports/"', repr(str(site.folder)))
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert all(any(row == " ".join(line.split()) for line in printed.splitlines()) for row in shown)
    words = shlex.split(copied("#copy-curl"))
    assert words[:3] == ["curl", "--silent", f"{site.url}/query"]
    asked = json.loads(words[words.index("--data") + 1])
    rows = site.ask("/query", asked)[1]["rows"]
    assert [f"{row[0]['text']} {row[1]['text']}" for row in rows] == shown
    assert len(rows) == len(untold.connect(site.folder).sql(SYSTEMS))


def test_completion_knows_from(desk: Any) -> None:
    def offered(sql: str, caret: int) -> list[str]:
        return list(
            desk.evaluate(
                """async ([sql, caret]) => {
                  const { suggest } = await import("/static/ask/suggest.js");
                  const { ask } = await import("/static/shared/api.js");
                  const about = await ask("/about");
                  return suggest(sql, caret, about.names, true).items.map((each) => each.name);
                }""",
                [sql, caret],
            )
        )

    before = "SELECT a"
    assert {"age", "amount"} <= set(offered(before, len(before)))
    assert "amount" not in offered(f"{before} FROM users", len(before))
    assert "age" in offered(f"{before} FROM users", len(before))
    assert "age" not in offered(f"{before} FROM transactions", len(before))
    assert {"age", "amount"} <= set(offered(f"{before} FROM transactions JOIN users USING (uid)", len(before)))
    assert offered("SELECT COUNT(*) FROM ", 21) == ["users", "transactions"]


def test_keys_and_numbers_do_not_touch(desk: Any) -> None:
    ask(desk, "SELECT COUNT(*) AS people, state, AVG(age) AS age, COUNT(*) AS again FROM users GROUP BY state")
    gaps = desk.evaluate(
        """() => [...document.querySelectorAll("#table tr")].flatMap((row) => {
          const boxes = [...row.children].map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return range.getBoundingClientRect();
          });
          return boxes.slice(1).map((box, i) => box.left - boxes[i].right);
        })"""
    )
    assert len(gaps) == 12
    assert min(gaps) >= 12  # pixels
