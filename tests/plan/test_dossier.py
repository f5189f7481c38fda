"""The dossier says what the plan says: every column, both epsilons, what is not protected, in all three forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from untold import cli
from untold.plan import Plan
from untold.plan.in_words.dossier import dossier

SERVICES = {
    "users": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}, "os": {"kind": "public"}}},
    "moods": {"attributes": {"mood": {"kind": "categorical", "values": ["<b>", "bad"]}}, "repeat": "changes"},
}
PLAN = Plan.from_dict(
    {"name": "shop", "version": 3, "user_key": "uid", "epsilon": 1.0, "lifetime": 4.5, "services": SERVICES}
)
MIXED = Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 1.0,
        "mix": {"people": 10_000},
        "services": {"users": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}}}},
    }
)


def test_everything_is_in_it() -> None:
    text = dossier(PLAN).markdown()
    for word in (
        "users.age",
        "users.os",
        "moods.mood",
        "epsilon 1 per epoch",
        "At most 4.5 in a lifetime",
        "version 3",
        PLAN.id,
    ):
        assert word in text
    assert "leave the device as they are: users.os" in text
    assert "When a value of moods changes" in text
    assert "10% likely" in text


def test_mixing_is_told_and_who_sees_what() -> None:
    text = dossier(MIXED).markdown()
    assert "If relay and collector work together" in text
    assert "10,000 people" in text
    assert dossier(MIXED).entry["model"] == "shuffle"


def test_html_is_escaped_and_json_is_rounded_outwards() -> None:
    assert "<b>" not in dossier(PLAN).html()
    entry = json.loads(dossier(PLAN).json())
    assert (entry["epsilon_per_epoch"], entry["epsilon_lifetime"], entry["delta"]) == ("1", "4.5", 0)
    assert entry["not_protected"] == {"public_columns": ["users.os"], "changes_of": ["moods"]}


@pytest.mark.parametrize(
    ("form", "start"), [("markdown", "# Data protection"), ("html", "<!doctype html>"), ("json", "{")]
)
def test_the_command(form: str, start: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "plan.json").write_text(PLAN.to_json())
    assert cli.main(["plan", "dossier", str(tmp_path / "plan.json"), "--format", form]) == 0
    assert capsys.readouterr().out.startswith(start)
