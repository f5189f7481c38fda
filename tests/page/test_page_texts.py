"""The story by HTTP in a real browser: texts are looked for, the next plan lists them, the next epoch asks. No new release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from site_under_test import serving

import untold
from untold import cli
from untold.device.gateway import Gateway

PLAN = """name = "phones"
user_key = "uid"
epsilon = 10.0
lifetime = 20.0
[services.phones.attributes]
app = { kind = "text", discover = true, bytes = 16 }
"""
PEOPLE = 600
ASKED = "SELECT app, COUNT(*) AS n FROM phones GROUP BY app ORDER BY n DESC"


def fill(page: Any, text: str) -> None:
    page.goto("/survey")
    page.wait_for_selector("#rows input[data-name=app]")
    page.locator("input[data-name=app]").fill(text)
    page.click("#make")
    page.wait_for_selector("#sides", state="visible")


def test_from_nothing_to_groups_with_the_rest(browser: Any, tmp_path: Path, capsys: Any) -> None:
    first, folder, later = tmp_path / "phones.toml", tmp_path / "r", tmp_path / "next.toml"
    first.write_text(PLAN)
    plan = untold.Plan.load(first)
    with serving(folder, plan=first) as site:
        context = browser.new_context(base_url=site.url)
        page = context.new_page()
        page.set_default_timeout(60_000)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        fill(page, "  Maps ")
        assert "this report speaks of" in page.inner_text("#meaning")
        assert "Your own truth is" in page.inner_text("#truthful")
        page.click("#send")
        page.get_by_text("Sent and stored. Thank you.").wait_for()
        texts = ["maps", "Maps", "mail", "MAIL", "my own {}", "something {}"]
        reports = [
            report
            for n in range(PEOPLE)
            for report in untold.Client(plan, f"u{n}").report("phones", {"app": texts[n % 6].format(n)})
        ]
        assert Gateway(site.url, token=site.tokens["gateway"]).send(reports).counted == PEOPLE
        site.flush()
        assert cli.main(["plan", "discover", str(folder), "--out", str(later), "--yes", "--least-people", "20"]) == 0
        assert "2 texts among" in capsys.readouterr().out
        assert cli.main(["serve", "epoch", "open", "1", "--plan", str(later), "--data", str(folder)]) == 0
    with serving(folder, plan=later, port=site.port) as again:
        fill(page, "mail")  # the same page, the same browser, the same memory: it follows the next plan
        shown = json.loads(page.text_content("#body"))
        assert {report["epoch"] for report in shown["reports"]} == {1}
        page.click("#send")
        page.get_by_text("Sent and stored. Thank you.").wait_for()
        again.flush()
        assert complaints == []
        context.close()
    con = untold.connect(folder, version=2)
    assert sorted(con.plan.service("phones").sensitive[0].declared()["values"]) == ["mail", "maps"]
    found = con.sql(ASKED).df()
    assert set(found.app) == {"maps", "mail", "OTHER"}
    assert round(found.n.sum()) == 1
    before = untold.connect(folder, version=1).sql(ASKED).df().set_index("app")
    assert set(before.index) == {"maps", "mail", "OTHER"}
    for text in ("maps", "mail"):
        assert abs(before.n[text] - PEOPLE / 3) < 5 * before.n_se[text]
