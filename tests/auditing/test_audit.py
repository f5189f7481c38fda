"""An audit from outside catches clients that cheat, lets the shipped ones pass, and says what it cannot see.

Draws and the order of runs are fixed. With fresh ones a sound client would be accused once in 1,000 audits.
"""

from __future__ import annotations

import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from cheats import cheat

import untold
from helpers.small_plans import ORDERS, small_plan
from untold.cli import main
from untold.errors import UntoldError
from untold.randomness import Seeded

HERE = Path(__file__).parent
JS = HERE.parents[1] / "clients" / "js" / "examples" / "audit.js"
AGE = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 4}}}
SICK = {"attributes": {"sick": {"kind": "categorical", "values": [False, True]}}}
PLANS = {
    "orders": small_plan(1.0, {"orders": ORDERS}),
    "views": small_plan(1.0, {"people": AGE}, design="hio", fanout=2),
    "rounded": small_plan(1.0, {"people": AGE}, design="ahio", fanout=2),
    "time": small_plan(1.0, {"people": SICK}, lifetime=2.0),
}
RATIO, RULE, BOTH = (True, False), (False, True), (True, True)  # by what a cheat is caught
CHEATS = [
    ("orders", "SlotTooMany", RULE),
    ("orders", "DummiesLeftOut", BOTH),
    ("orders", "BareWeight", BOTH),
    ("orders", "WeightNotRounded", RATIO),
    ("views", "ViewByValue", RATIO),
    ("views", "NoNoiseForTheTruth", RATIO),
    ("views", "TwiceTheEpsilon", RATIO),
    ("rounded", "RoundingInTheOpen", BOTH),
    ("rounded", "GroupByValue", RATIO),
    ("time", "ForgetsEverything", BOTH),
    ("time", "SilentWhenLow", BOTH),
]
INVISIBLE = [("orders", "MoreDrawsForMoreRows"), ("rounded", "NoDrawAtTheEnds")]  # they tell by the time they take


@cache  # two tests look at one of them
def audited(plan: str, name: str, runs: int = 400) -> untold.Audit:
    return untold.audit(PLANS[plan], cheat(PLANS[plan], name), runs, rng=Seeded(3))


@pytest.mark.parametrize(("plan", "name", "by"), CHEATS)
def test_cheats_are_caught(plan: str, name: str, by: tuple[bool, bool]) -> None:
    found = audited(plan, name, 800 if name == "TwiceTheEpsilon" else 400)
    assert not found.passed
    assert (any(each.over for each in found.findings), bool(found.broken)) == by


@pytest.mark.parametrize("plan", PLANS)
def test_the_shipped_client_passes(plan: str) -> None:
    found = audited(plan, "none")
    assert found.passed
    assert found.worst.seen > 0.7 * found.worst.bound  # and the audit saw what it does spend


@pytest.mark.parametrize(("plan", "name"), INVISIBLE)
def test_what_only_a_clock_would_tell_is_not_found(plan: str, name: str) -> None:
    found = audited(plan, name)
    assert found.passed
    assert "leaks by time" in str(found)


def test_broken_rules_need_no_statistics() -> None:
    rules = dict(audited("time", "ForgetsEverything", 400).broken)
    assert rules.keys() == {"people: sends another report within one epoch", "reports beyond the lifetime of 2"}


def test_changes_is_shown_and_not_counted_against_the_client() -> None:
    plan = small_plan(1.0, {"people": {**SICK, "repeat": "changes"}}, lifetime=2.0)
    found = untold.audit(plan, cheat(plan, "none"), 400, rng=Seeded(3))
    shown = next(each for each in found.findings if "a change in" in each.words)
    assert found.passed
    assert shown.least > 1.0
    assert "no promise" in str(found)


def test_hashed_reports_are_read() -> None:
    """No report comes twice, so only what it supports can be counted."""
    plan = small_plan(1.0, {"people": {"oracle": "olh", **AGE}})
    sound = untold.audit(plan, cheat(plan, "none"), 400, rng=Seeded(3))
    assert sound.passed
    assert sound.worst.event == "which of the two is supported"
    found = untold.audit(plan, cheat(plan, "DrawsUntilTrue"), 800, rng=Seeded(3))
    assert any(each.over for each in found.findings)


def test_a_bound_that_so_many_runs_cannot_test_is_said() -> None:
    plan = small_plan(8.0, {"people": SICK})
    with pytest.raises(UntoldError, match=r"even a client that sends bare values(.|\n)*--runs \d+"):
        untold.audit(plan, cheat(plan, "none"), 400)


@pytest.fixture
def plan_file(tmp_path: Path) -> str:
    path = tmp_path / "plan.json"
    path.write_text(PLANS["views"].to_json())
    return str(path)


@pytest.mark.parametrize(("name", "code"), [("none", 0), ("NoNoiseForTheTruth", 1)])
def test_the_command(name: str, code: int, plan_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`none` draws securely here: it is accused once in a million audits."""
    client = f"{sys.executable} {HERE / 'cheats.py'} {name}"
    assert main(["audit", plan_file, "--client", client, "--runs", "300", "--confidence", "0.999999"]) == code
    said = capsys.readouterr().out
    assert ("Nothing found." in said) == (code == 0)
    assert ("EXCEEDED" in said) == (code == 1)


def test_the_ready_program_passes(plan_file: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Accused once in a million audits."""
    client = f"{sys.executable} -W error -m untold.auditing"
    assert main(["audit", plan_file, "--client", client, "--runs", "300", "--confidence", "0.999999"]) == 0
    assert "Nothing found." in capfd.readouterr().out


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_javascript_client_passes(plan_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Accused once in a million audits."""
    assert main(["audit", plan_file, "--client", f"node {JS}", "--confidence", "0.999999"]) == 0
    assert "Nothing found." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("client", "complaint"),
    [
        ("/no/such/program", "cannot be started"),
        (f"{sys.executable} -c 'import sys; sys.exit(\"no battery\")'", "no battery"),
        (f"{sys.executable} -c 'print(1)'", "expected is a list"),
        (f"{sys.executable} -c 'print(\"x\")'", "not a line of JSON"),
    ],
)
def test_a_program_that_does_not_answer(
    client: str, complaint: str, plan_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", plan_file, "--client", client]) == 2
    assert complaint in capsys.readouterr().err
