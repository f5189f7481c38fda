"""`untold plan diff`: what it says of devices is what devices do, for all pairs of forms of a column."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from device.test_domains import FORMS, followed, plan
from untold import cli
from untold.device.difference import difference
from untold.plan import Plan

AGE = {"kind": "ordinal", "low": 0, "high": 9, "clip": True}


def shop(version: int = 1, epsilon: float = 1.0, lifetime: float = 5.0, repeat: str = "fresh", **columns: Any) -> Plan:
    top = {"name": "shop", "version": version, "user_key": "uid", "epsilon": epsilon, "lifetime": lifetime}
    service = {"attributes": {"age": AGE, **columns}, "repeat": repeat}
    return Plan.from_dict({**top, "services": {"users": service}})


def test_it_says_of_devices_what_they_do() -> None:
    for pair in product(FORMS, repeat=2):
        old, new = (plan(form, 2) for form in pair)
        later = Plan.from_dict({**_declared(new), "version": 2})
        assert difference(old, later).followed == (len(list(followed(tuple((form, 2) for form in pair)))) == 2)


def _declared(of: Plan) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(of.to_json())["declared"]
    return found


@pytest.mark.parametrize(
    ("now", "followed_by_devices", "said"),
    [
        (shop(2), True, "For people:\n  - Nothing changes."),
        (shop(), True, "follow the second one"),
        (shop(epsilon=0.5), False, "Version 1 is not above 1: write version = 2."),
        (shop(2, epsilon=2.0), False, "Refused above the ceiling: epsilon 2 where 1 was the first."),
        (shop(2, epsilon=0.5), True, "Epsilon in an epoch is 0.5, before 1."),
        (shop(2, lifetime=9.0), True, "The lifetime stays 5 on devices"),
        (shop(2, os={"kind": "public"}), False, "Refused by the rule `shown`: users.os."),
        (shop(2, repeat="changes"), False, "Refused by the rule `changes`: users."),
        (
            shop(2, state={"kind": "categorical", "values": ["a", "b"]}),
            False,
            "Refused by the rule `added in part`: users.state.",
        ),
        (shop(2, state={"kind": "categorical", "values": ["a", "b"], "other": "c"}), True, "users.state is new"),
        (shop(2, age={**AGE, "clip": False}), False, "Refused by the rule `narrower`: users, users.age."),
        (shop(2, age={**AGE, "high": 5}), True, "users.age: conditions and groups at limits that both plans have"),
    ],
)
def test_words(now: Plan, followed_by_devices: bool, said: str) -> None:
    found = difference(shop(), now)
    assert said in str(found)
    assert found.followed is followed_by_devices


def test_the_command(tmp_path: Path, capsys: Any) -> None:
    names = []
    for number, each in enumerate((shop(), shop(2, epsilon=2.0))):
        names.append(str(tmp_path / f"{number}.json"))
        Path(names[-1]).write_text(each.to_json())
    assert cli.main(["plan", "diff", *names]) == 1
    assert "For analysts:" in capsys.readouterr().out
    assert cli.main(["plan", "diff", names[0], names[0]]) == 0
