"""docs/changes.md: no plan that a device follows silences somebody for a value. All pairs and triples of a column's forms.

What a device says by `Trust` is compared with what its encoder really refuses, value by value: the rules may be stricter than
needed, never more lenient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from untold.device.domains import added_in_part, domains_of, left_out, together
from untold.device.encoder import Encoder, check_rows, fitted
from untold.device.promised import RULES
from untold.errors import BadRecord
from untold.plan import Plan
from untold.randomness import Seeded

FORMS: dict[str, dict[str, Any] | None] = {
    "not there": None,
    "two texts": {"kind": "categorical", "values": ["a", "b"]},
    "three texts": {"kind": "categorical", "values": ["a", "b", "c"]},
    "texts or missing": {"kind": "categorical", "values": ["a", "b"], "missing": True},
    "texts and others": {"kind": "categorical", "values": ["b", "c"], "other": "a"},
    "texts, others, missing": {"kind": "categorical", "values": ["a", "c"], "other": "?", "missing": True},
    "truth": {"kind": "categorical", "values": [False, True]},
    "integers": {"kind": "ordinal", "low": 0, "high": 9},
    "more integers": {"kind": "ordinal", "low": -1, "high": 20},
    "integers, clipped": {"kind": "ordinal", "low": 3, "high": 5, "clip": True},
    "knots": {"kind": "ordinal", "low": 0, "high": 9, "bins": 3},
    "classes": {"kind": "ordinal", "low": 0, "high": 20, "cuts": [5, 10]},
    "classes, clipped": {"kind": "ordinal", "low": 0, "high": 2, "cuts": [1], "clip": True},
    "digits": {"kind": "ordinal", "low": 0, "high": 9, "digits": 1},
    "days": {"kind": "date", "low": "2024-01-01", "high": "2024-01-09"},
    "days, clipped": {"kind": "date", "low": "2024-01-03", "high": "2024-01-04", "clip": True},
}
ROWS = (None, 2, 3)
VALUES = ["a", "b", "c", "x", None, True, 0, 4, 9, 15, -1, 2.5, 2.55, 30, "2024-01-01", "2024-01-05", "2025-01-01"]
FILLER = {"kind": "ordinal", "low": 0, "high": 1, "clip": True}


def plan(form: str, most: int | None, filler: dict[str, Any] = FILLER) -> Plan:
    own = FORMS[form]
    columns = {"filler": filler, **({} if own is None else {"x": own})}
    rows = {} if most is None else {"rows_per_user": {"max": most}}
    declared = {"name": "p", "user_key": "u", "epsilon": 1.0, "design": "mg", "oracle": "grr"}
    return Plan.from_dict({**declared, "services": {"s": {"attributes": columns, **rows}}})


PLANS = {(form, most): plan(form, most) for form in FORMS for most in ROWS}
RECORDS = [[{"x": value, "filler": 0}] * count for value in VALUES for count in (0, 1, 2, 3, 4)]


def silent(of: Plan) -> frozenset[int]:
    """The rows for which a device would send nothing."""
    service, found = of.service("s"), set()
    encoder = Encoder.of(of, "s")
    for number, rows in enumerate(RECORDS):
        try:
            check_rows(service, fitted(service, rows))
            encoder.encode(rows, Seeded(1))
        except BadRecord:
            found.add(number)
    return frozenset(found)


SILENT = {name: silent(each) for name, each in PLANS.items()}


def followed(names: tuple[Any, ...]) -> Iterator[Any]:
    """Those of a history that a device follows."""
    known: Any = None
    for name in names:
        now = domains_of(PLANS[name].schema)
        if known is None or not (left_out(known, now) or added_in_part(known, now)):
            known = now if known is None else together(known, now)
            yield name


def falls_silent(history: list[Any]) -> bool:
    """Whether somebody who sent something under an earlier plan sends nothing under the last one. Where the column was not there,
    nobody was refused for it."""
    *before, last = history
    return any(SILENT[last] - SILENT[each] for each in before)


@pytest.mark.parametrize("rows", ROWS)
def test_no_pair_or_triple_of_plans_silences_anybody(rows: int | None) -> None:
    taken = tried = 0
    for forms in product(FORMS, repeat=3):
        history = list(followed(tuple((form, rows) for form in forms)))
        tried += 1
        taken += len(history) == 3
        for upto in range(2, len(history) + 1):
            assert not falls_silent(history[:upto]), history[:upto]
    assert tried == len(FORMS) ** 3
    assert taken > tried / 10  # rollbacks and narrower domains that refuse nothing are followed


def test_nor_with_other_numbers_of_rows() -> None:
    names = [
        name for name in PLANS if name[0] in ("not there", "two texts", "texts and others", "three texts", "knots")
    ]
    for triple in product(names, repeat=3):
        history = list(followed(triple))
        for upto in range(2, len(history) + 1):
            assert not falls_silent(history[:upto]), history[:upto]


def test_what_is_refused_would_silence_somebody() -> None:
    """The rules are not stricter than they need be, but where a value that only others refuse could come."""
    pairs = product(PLANS, repeat=2)
    strict = [pair for pair in pairs if len(list(followed(pair))) < 2 and not falls_silent(list(pair))]
    # by rule 2, a column that comes later takes every value, also where the records here have no other
    assert {(a[0], b[0]) for a, b in strict} <= {
        *((a, b) for a, b in product(FORMS, repeat=2) if a == "not there"),
        ("integers", "digits"), ("digits", "knots"), ("digits", "classes"), ("knots", "integers"),
    }  # fmt: skip


def test_a_service_with_one_column_that_refuses_counts_rows() -> None:
    part = {"kind": "ordinal", "low": 0, "high": 1}
    before, now = (domains_of(plan("not there", most, part).schema) for most in (3, 2))
    assert left_out(before, now) == ["s"]
    assert left_out(now, before) == []


def test_the_table_in_the_docs_names_every_rule() -> None:
    page = (Path(__file__).parents[2] / "docs" / "changes.md").read_text(encoding="utf-8")
    named = {each for row in page.splitlines() if row.startswith("|") for each in re.findall(r"\| `([^`]+)` \|$", row)}
    assert named == {rule.name for rule in RULES}
