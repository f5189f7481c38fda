"""A client that makes other reports than ours from the same words, or follows what nobody may, is told so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from untold.auditing import all_checks
from untold.auditing.all_checks import conformance
from untold.auditing.known_plans import hostile_plans, known_plans
from untold.errors import PlanError
from untold.plan import Plan
from untold.randomness import Seeded

JAVASCRIPT = "node clients/js/examples/audit.js"
ROOT = Path(__file__).parents[2]
SOUND = (ROOT / "clients/js/examples/audit.js").read_text().replace("../../../", f"{ROOT}/")
MISTAKES = {  # what a stranger might get wrong, in the program that speaks for the client
    "the words in another order": ("this.left.shift()", "this.left.pop()", "vectors"),
    "silence where there is a report": ("report === null ? null :", "report !== null ? null :", "vectors"),
    "another user": ("read.user,", "'somebody',", "vectors"),
    "one row alone": ("(service, rows, epoch)", "(service, rows.slice(0, 1), epoch)", "vectors"),
    "every plan is followed": ("console.log(JSON.stringify({ refused }))", "console.log('[null]')", "refusals"),
}


@pytest.fixture(autouse=True)
def first_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other two have tests of their own, and take a minute."""
    for part in ("_audited", "_meaning"):
        monkeypatch.setattr(all_checks, part, lambda *given: all_checks.Part("later", ""))
    monkeypatch.chdir(ROOT)


def test_the_client_in_javascript_conforms() -> None:
    found = conformance(JAVASCRIPT, rng=Seeded(3))
    assert found.passed, str(found)
    tried = known_plans()
    assert f"of {len(tried)} plans" in str(found)
    kinds = json.dumps([json.loads(plan.to_json()) for plan in tried.values()])
    for each in ('"clip"', '"other"', '"parts"', '"groups"', '"panel"', '"missing"', '"olh"', '"derived"', '"once"'):
        assert each in kinds


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"several rows (hidden weight)", "nothing is refused (clip, other)"}
    monkeypatch.setattr(all_checks, "known_plans", lambda: {n: p for n, p in known_plans().items() if n in few})
    monkeypatch.setattr(all_checks, "hostile_plans", lambda: dict(list(hostile_plans().items())[:2]))
    before, after, part = MISTAKES[mistake]
    assert SOUND.count(before) == 1
    (tmp_path / "client.mjs").write_text(SOUND.replace(before, after))
    found = conformance(f"node {tmp_path}/client.mjs", rng=Seeded(3))
    assert [each.name for each in found.parts if not each.passed] == [part]
    assert "does not conform" in str(found)


def test_a_program_that_says_something_else_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_checks, "known_plans", lambda: {"one": next(iter(known_plans().values()))})
    monkeypatch.setattr(all_checks, "hostile_plans", dict)
    found = conformance(f"{sys.executable} -c \"import sys\nfor line in sys.stdin: print('hello', flush=True)\"")
    assert not found.passed
    assert "'hello\\n', which is not a line of JSON" in str(found)


@pytest.mark.parametrize("name", hostile_plans())
def test_no_client_may_follow_a_hostile_plan(name: str) -> None:
    with pytest.raises(PlanError):
        Plan.from_json(hostile_plans()[name])
