"""docs/changes.md, "What a device follows": each row of the table is a change here, alone and together with each other one."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from helpers.trusted import accept
from untold.device.promised import RULES
from untold.device.trust import Offer, Trust
from untold.errors import BudgetExceeded, UntoldError, UntrustedPlan
from untold.plan import Plan
from untold.wire.signing import SignedPlan
from vectors.chains import KEYS, SEEDS, link
from vectors.hostile import envelope

TEXTS = {"kind": "categorical", "values": ["a", "b", "c"]}
NUMBERS = {"kind": "ordinal", "low": 0, "high": 20}
BASE: dict[str, Any] = {
    "name": "p",
    "version": 5,
    "user_key": "u",
    "epsilon": 1.0,
    "lifetime": 9.0,
    "design": "mg",
    "oracle": "grr",
    "services": {
        "s": {
            "rows_per_user": {"max": 3},
            "attributes": {
                "goes": TEXTS,
                "part": TEXTS,
                "grows": TEXTS,
                "total": {**TEXTS, "other": "?"},
                "ages": {**NUMBERS, "clip": True},
                "bins": {**NUMBERS, "cuts": [5, 10]},
            },
        },
        "calm": {
            "attributes": {
                "x": {**TEXTS, "other": "?"},
                "shown": {**TEXTS, "other": "?"},
                "os": {"kind": "public"},
            },
        },
    },
}
Change = Callable[[dict[str, Any]], None]


def column(name: str, to: dict[str, Any] | None, service: str = "s") -> Change:
    def change(declared: dict[str, Any]) -> None:
        columns = declared["services"][service]["attributes"]
        columns.pop(name, None)
        if to is not None:
            columns[name] = to

    return change


def top(**values: Any) -> Change:
    return lambda declared: declared.update(values)


ANOTHER = "another name, signed by the same key"
CHANGES: dict[str, list[Change]] = {  # a row of the table -> what it stands for
    "a column or a service goes": [column("goes", None), lambda d: d["services"].pop("calm")],
    "a column or a service comes, and takes every value": [
        column("new", {**TEXTS, "other": "?"}),
        lambda d: d["services"].update(fresh={"attributes": {"y": {**TEXTS, "other": "?"}}}),
    ],
    "a column or a service comes, and refuses some values": [
        column("partly", TEXTS),
        lambda d: d["services"].update(partly={"attributes": {"y": TEXTS}}),
    ],
    "more values, a wider range, more rows": [
        column("grows", {**TEXTS, "values": ["a", "b", "c", "d"]}),
        lambda d: d["services"]["s"]["rows_per_user"].update(max=4),
    ],
    "fewer values, a narrower range, fewer rows, with `other` or `clip`": [
        column("total", {**TEXTS, "values": ["a", "b"], "other": "?"}),
        column("ages", {**NUMBERS, "high": 9, "clip": True}),
    ],
    "the same without them": [
        column("part", {**TEXTS, "values": ["a", "b"]}),
        lambda d: d["services"]["s"]["rows_per_user"].update(max=2),
    ],
    "a column took every value, and does not any more": [column("total", TEXTS), column("ages", NUMBERS)],
    "other classes, bins or steps over the same range": [column("bins", {**NUMBERS, "cuts": [3, 7]})],
    "a column becomes public": [column("shown", {"kind": "public"}, "calm")],
    "a public column becomes secret, and takes every value": [column("os", {**TEXTS, "other": "?"}, "calm")],
    "a service begins to repeat `changes`": [lambda d: d["services"]["calm"].update(repeat="changes")],
    "less epsilon, a shorter lifetime": [top(epsilon=0.5), top(lifetime=3.0)],
    "epsilon above the ceiling of the device": [top(epsilon=2.0)],
    "a longer lifetime": [top(lifetime=99.0)],
    "a lower version than one that it has followed": [top(version=4)],
    ANOTHER: [top(name="q")],
}
BY_KEY = {"the successor that the key has named signs": True, "any other key signs": False}
ELSEWHERE = {  # rows about two changes, one after the other: tests/device/test_domains.py has all triples
    "back to an earlier plan, all of whose columns took every value",
    "back to an earlier plan that refuses what a later one took",
    "mixing is taken away, or promised with fewer people",  # tests/vectors/mixed.py
}


def table() -> dict[str, tuple[bool, str]]:
    """Rows of the page: whether a device follows, and the rule."""
    page = (Path(__file__).parents[2] / "docs" / "changes.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (follows|refuses)[^|]*\| ([^|]*)\|$", page, re.MULTILINE)
    return {what.strip(): (does == "follows", rule.strip().strip("`")) for what, does, rule in rows}


TABLE = table()


def offered(*changes: Change, signer: int = 0, chain: tuple[int, ...] = (0,)) -> Offer:
    declared = copy.deepcopy(BASE)
    for change in changes:
        change(declared)
    told = envelope(SignedPlan.sign(Plan.from_dict(declared).to_json(), SEEDS[signer]))
    links = [vars(link(number)) for number in chain]
    return Offer.read(json.dumps({**told, "chain": links}).encode())


def test_every_row_is_tried() -> None:
    assert set(TABLE) == {*CHANGES, *BY_KEY, *ELSEWHERE}
    assert {rule for _, rule in TABLE.values()} - {""} == {rule.name for rule in RULES}
    assert len(KEYS) == len(SEEDS)


@pytest.mark.parametrize("row", CHANGES)
def test_one_change(row: str, tmp_path: Path) -> None:
    follows, rule = TABLE[row]
    for number, change in enumerate(CHANGES[row]):
        file = tmp_path / f"{number}.json"
        accept(Trust(file), offered())
        before = file.read_bytes()
        if follows:
            accept(Trust(file), offered(change))
            continue
        with pytest.raises((UntrustedPlan, BudgetExceeded)) as refused:
            accept(Trust(file), offered(change))
        assert file.read_bytes() == before
        words = {each.name: each.hint for each in RULES}.get(rule, "")
        assert words in str(refused.value)


def test_pairs_of_changes_are_followed_if_both_are(tmp_path: Path) -> None:
    """Together in one plan; what one allows excuses nothing in the other. Versions count by the plan's name, which is signed."""
    file = tmp_path / "trust.json"
    accept(Trust(file), offered())
    first, tried = file.read_bytes(), 0
    for one, other in combinations(((row, change) for row in CHANGES for change in CHANGES[row]), 2):
        (row, change), (other_row, other_change) = one, other
        now = offered(change, other_change) if _compatible(change, other_change) else None
        if now is None:
            continue
        file.write_bytes(first)
        tried += 1
        allowed = TABLE[row][0] and TABLE[other_row][0]
        allowed |= {row, other_row} == {"a lower version than one that it has followed", ANOTHER}
        try:
            accept(Trust(file), now)
        except UntoldError:
            assert not allowed, (row, other_row)
        else:
            assert allowed, (row, other_row)
    assert tried > 200


def _compatible(one: Change, other: Change) -> bool:
    """Whether neither undoes the other."""
    both, turned = (copy.deepcopy(BASE) for _ in range(2))
    try:
        for declared, order in ((both, (one, other)), (turned, (other, one))):
            for change in order:
                change(declared)
    except KeyError:
        return False
    return json.dumps(both, sort_keys=True) == json.dumps(turned, sort_keys=True) and both != BASE


def test_who_signs(tmp_path: Path) -> None:
    for row, follows in BY_KEY.items():
        assert TABLE[row][0] is follows
    accept(Trust(tmp_path / "t"), offered())
    with pytest.raises(UntrustedPlan):
        accept(Trust(tmp_path / "t"), offered(signer=3, chain=(3,)))
    accept(Trust(tmp_path / "t"), offered(signer=1, chain=(0, 1)))


def test_the_rules_of_the_threat_model_name_tests_that_there_are() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "threat_model.md").read_text()
    named = re.findall(r"Tried\s+by\s+`(tests/[a-z_/]+\.py)`", page)
    assert len(named) == 15
    assert [each for each in named if not (root / each).is_file()] == []
