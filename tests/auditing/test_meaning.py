"""A client whose reports mean something else than the plan says is caught, however private it is."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest
from inventions import invented

import untold
from helpers.small_plans import ORDERS, small_plan
from untold.auditing import python_client
from untold.cli import main
from untold.device.client import Client
from untold.oracles import AGR, OLH, Message
from untold.randomness import Seeded

AGE = {"age": {"kind": "ordinal", "low": 1, "high": 30}}
PLANS = {
    "agr": small_plan(1.0, {"people": {"attributes": AGE, "oracle": "agr"}}, design="mg"),
    "olh": small_plan(1.0, {"people": {"attributes": AGE, "oracle": "olh"}}, design="mg"),
    "views": small_plan(2.0, {"people": {"attributes": AGE}}, design="hio", fanout=3),
    "orders": small_plan(2.0, {"orders": ORDERS}),
}


def secure(plan):
    """The shipped client; `insecure` plays no part in what it says."""
    return lambda user, steps: python_client.replies(
        plan, user, steps, lambda plan, user: Client(plan, user, rng=Seeded(int(user, 16)))
    )


@pytest.mark.parametrize("name", PLANS)
def test_the_shipped_client_means_what_the_plan_says(name: str) -> None:
    found = untold.audit_meaning(PLANS[name], secure(PLANS[name]), people=1500, rng=Seeded(1))
    assert found.passed, str(found)
    assert found.frequencies
    assert found.asked


def wrong_direction(self, cell, rng):
    """Directions numbered from the other end."""
    sent = AGR_ENCODE(self, cell, rng)
    copy, rest = divmod(sent.index, self.sides)
    return Message((self.directions - 1 - copy) * self.sides + rest)


def wrong_hash(self, cell, rng):
    """The two seeds the other way round."""
    sent = OLH_ENCODE(self, cell, rng)
    return Message(sent.index, sent.extra[::-1])


AGR_ENCODE, OLH_ENCODE = AGR.encode, OLH.encode
MISTAKES = [
    ("agr", AGR, "encode", wrong_direction),
    ("olh", OLH, "encode", wrong_hash),
]


@pytest.mark.parametrize(("name", "owner", "method", "mistake"), MISTAKES)
def test_a_wrong_encoding_is_caught(name: str, owner: type, method: str, mistake) -> None:
    plan, sound = PLANS[name], secure(PLANS[name])

    def client(user, steps):
        with mock.patch.object(owner, method, mistake):
            return sound(user, steps)

    found = untold.audit_meaning(plan, client, people=1500, rng=Seeded(1))
    assert not found.passed
    assert not found.broken  # a collector takes these reports
    assert any(each.wrong for each in found.frequencies)
    assert max(each.errors for each in found.asked) > 3  # and an analyst would be told something else
    assert "do not mean what the plan says" in str(found)


def test_codes_from_one_are_caught_among_several_views() -> None:
    plan = PLANS["views"]

    def client(user, steps):
        moved = [type(s)(s.service, tuple({"age": min(r["age"] + 1, 30)} for r in s.rows), s.epoch) for s in steps]
        return secure(plan)(user, moved)

    assert not untold.audit_meaning(plan, client, people=1500, rng=Seeded(1)).passed


def test_always_one_view_is_caught() -> None:
    plan = PLANS["views"]

    def client(user, steps):
        rng = Seeded(int(user, 16))
        with mock.patch.object(Seeded, "choose", return_value=0):
            return [python_client.reply(Client(plan, user, rng=rng), step) for step in steps]

    found = untold.audit_meaning(plan, client, people=500, rng=Seeded(1))
    assert any("view 0" in each.words for each in found.frequencies if each.wrong)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Draws securely: accused once in a million."""
    path = tmp_path / "plan.json"
    path.write_text(PLANS["views"].to_json())
    assert main(["audit", str(path), "--meaning", "--runs", "500", "--confidence", "0.999999"]) == 0
    assert "mean what the plan says" in capsys.readouterr().out


def test_rules_come_first() -> None:
    plan = PLANS["agr"]
    found = untold.audit_meaning(plan, invented(plan, "value_in_the_epoch"), people=50, rng=Seeded(1))
    assert json.dumps(found.broken).count("epoch")
    assert not found.passed
