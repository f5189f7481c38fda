"""Panels: a device takes part in a few of many epochs, drawn once and before it knows its data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import untold
from untold.device.panels import draw_epochs
from untold.randomness import Exhaustive, Seeded

DECLARED: dict[str, Any] = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 3.0,
    "panel": {"epochs": 30, "report": 3},
    "services": {"people": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}}}},
}
PLAN = untold.Plan.from_dict(DECLARED)
ROW = {"age": 3}


def epochs_of(client: untold.Client, epochs: range) -> list[int]:
    return [epoch for epoch in epochs if client.report("people", ROW, epoch)]


def test_a_device_reports_in_three_of_thirty_epochs(tmp_path: Any) -> None:
    client = untold.Client(PLAN, "u", tmp_path / "m.json")
    drawn = [epoch for epoch in range(30) if client.takes_part(epoch)]
    assert len(drawn) == 3
    again = untold.Client(PLAN, "u", tmp_path / "m.json")  # drawn once: another process knows
    assert epochs_of(again, range(30)) == drawn
    assert again.spent == 3.0


def test_the_next_panel_needs_a_lifetime_for_all_of_it() -> None:
    client = untold.Client(PLAN, "u", spent_before=0.5)
    with pytest.raises(
        untold.BudgetExceeded, match=r"taking part in 3 of 30 epochs costs epsilon 3; 2\.5 of the lifetime"
    ):
        client.report("people", ROW)
    longer = untold.Client(untold.Plan.from_dict({**DECLARED, "lifetime": 6.5}), "u")
    assert len(epochs_of(longer, range(30))) == len(epochs_of(longer, range(30, 60))) == 3
    for epoch in (60, 75):
        with pytest.raises(untold.BudgetExceeded, match="taking part"):  # whatever the data: in every epoch of it
            longer.report("people", ROW, epoch)


def test_every_set_of_epochs_is_as_likely_as_any_other() -> None:
    drawn = Exhaustive().distribution(lambda rng: tuple(draw_epochs(5, 5, 2, rng)))
    assert set(drawn.values()) == {Fraction(1, 10)}
    assert sorted(drawn) == [(a, b) for a in range(5, 10) for b in range(a + 1, 10)]


def test_a_service_that_reports_once_is_in_no_panel() -> None:
    services = {**DECLARED["services"], "home": {"repeat": "once", **DECLARED["services"]["people"]}}
    plan = untold.Plan.from_dict({**DECLARED, "services": services})
    client = untold.Client(plan, "u", rng=Seeded(1))
    silent = next(epoch for epoch in range(30) if not client.takes_part(epoch))
    assert client.report("people", ROW, silent) == ()
    assert len(client.report("home", ROW, silent)) == 1
    assert plan.schema.cost_nano(3) == 2 * 10**9
    assert plan.schema.epochs_covered == 30  # five reports, of which a whole panel takes three


@pytest.mark.parametrize(
    ("panel", "top", "complaint"),
    [
        ({"epochs": 30, "report": 4}, {}, "panel: a person's 4 epochs cost 4, the lifetime is 3. Write lifetime = 4"),
        ({"epochs": 3, "report": 3}, {}, "panel.report: 3 of 3 epochs is no choice"),
        ({"epochs": 30}, {}, "panel.report: missing"),
        ({"epochs": 1, "report": 1}, {}, r"panel.epochs: 1 is not in 2\.\.10000"),
        (3, {}, "panel: 3 is an integer, not a table"),
        ({"epochs": 30, "report": 3, "of": 1}, {}, "panel.of: unknown key"),
    ],
)
def test_panels_that_cannot_be(panel: Any, top: Any, complaint: str) -> None:
    with pytest.raises(untold.PlanError, match=complaint):
        untold.Plan.from_dict({**DECLARED, "panel": panel, **top})


def test_a_panel_without_a_lifetime_names_the_one_it_needs() -> None:
    declared = {key: value for key, value in DECLARED.items() if key != "lifetime"}
    with pytest.raises(
        untold.PlanError, match=r"a person's 3 epochs cost 3, the lifetime is 1\. Write lifetime = 3 or more"
    ):
        untold.Plan.from_dict(declared)


def test_a_panel_is_part_of_the_plan() -> None:
    assert untold.Plan.from_json(PLAN.to_json()) == PLAN
    assert PLAN.panel is not None
    assert PLAN.panel.fraction == Fraction(1, 10)
    assert PLAN.id != untold.Plan.from_dict({k: v for k, v in DECLARED.items() if k != "panel"}).id


def test_an_answer_says_that_it_is_about_a_panel(tmp_path: Any) -> None:
    client = untold.Client(PLAN, "u")
    reports = [report for epoch in range(30) for report in client.report("people", ROW, epoch)]
    untold.deliver(tmp_path / "r", reports, PLAN)
    with untold.connect(tmp_path / "r") as con:
        notes = con.sql("SELECT COUNT(*) AS n FROM people").notes
    assert any("in an epoch 3 of 30 people take part" in note for note in notes)
