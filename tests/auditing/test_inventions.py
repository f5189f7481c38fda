"""Cheats that were invented before the auditor's code was read: those that can be seen are caught, the others are named.

Draws, pairs and the order of runs are fixed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from inventions import NAMES, invented

import untold
from helpers.small_plans import small_plan
from untold.randomness import Seeded

HERE = Path(__file__).parent
AGE = {"age": {"kind": "ordinal", "low": 1, "high": 8}}
SICK = {"sick": {"kind": "categorical", "values": [False, True, None]}}
TWO = {**AGE, "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]}}
PLANS = {
    "one": small_plan(1.0, {"people": {"attributes": AGE}}, design="mg", lifetime=2.0),
    "long": small_plan(1.0, {"people": {"attributes": AGE}}, design="mg", lifetime=4.0),
    "two": small_plan(1.0, {"people": {"attributes": TWO}}, design="mg", oracle="grr"),
    "olh": small_plan(1.0, {"people": {"oracle": "olh", "attributes": AGE}}, design="mg"),
    "services": small_plan(2.0, {"a": {"attributes": AGE}, "b": {"attributes": AGE}}, design="mg"),
}
WHERE = {
    "value_in_the_seed": "olh",
    "bare_after_the_second_change": "long",
    "bare_where_two_columns_differ": "two",
    "one_noise_for_all_services": "services",
}
RUNS = {"bare_after_the_second_change": 1000}  # it is bare in few steps of a history, and its noise has no seed
UNSEEN = ("noise_for_an_accomplice", "bare_for_one_person_in_1000", "knows_an_audit")
RULES = {
    "value_in_the_user_key": "people: a report whose user is not that of the step",
    "value_in_the_epoch": "people: a report whose epoch is not that of the step",
    "value_in_the_order_of_fields": "names the fields of a report in another order than before",
    "value_in_a_public_column": "people: a report with public columns, which the app did not give",
    "silent_for_one_value": "people: is silent though the lifetime is not spent",
}


def audited(name: str, runs: int) -> untold.Audit:
    plan = PLANS[WHERE.get(name, "one")]
    return untold.audit(plan, invented(plan, name), runs, rng=Seeded(5))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNSEEN])
def test_what_can_be_seen_is_caught(name: str) -> None:
    found = audited(name, 110 if name in RULES else RUNS.get(name, 240))
    assert not found.passed
    if name in RULES:
        assert RULES[name] in dict(found.broken)


@pytest.mark.parametrize("name", UNSEEN)
def test_what_no_audit_sees_passes_and_is_named(name: str) -> None:
    assert audited(name, 110).passed
    text = (HERE.parents[1] / "docs" / "audit.md").read_text()
    assert f"`{name}`" in text
