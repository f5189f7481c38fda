"""Numbers in classes from the JavaScript client, without sampling: its draws are walked down every branch, and the exact mean of
the scores of what it sends is the count or the sum of the true numbers, also of numbers between limits."""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts import test_expectation as exact
from contracts.test_expectation_classes import LENT, PEOPLE, agree, plan_for
from untold.plan import Plan

SCRIPT = Path(__file__).with_name("expectation.mjs")


def sent_by_javascript(plan: Plan, people: list[list[dict[str, Any]]]) -> dict[Any, tuple[Any, Any]]:
    """For each person the chances of messages, and the messages."""
    node = shutil.which("node")
    assert node is not None
    asked = json.dumps([plan.to_json(), people])
    told = subprocess.run([node, str(SCRIPT)], input=asked, capture_output=True, text=True, check=True).stdout
    out: dict[Any, tuple[Any, Any]] = {}
    for records, found in zip(people, json.loads(told), strict=True):
        messages = [[m["index"] for slot in json.loads(output)[0] for m in slot] for output, _, _ in found]
        chances = [float(Fraction(int(above), int(below))) for _, above, below in found]
        out[tuple(tuple(record.items()) for record in records)] = np.array(chances), np.array(messages)
    return out


@pytest.mark.parametrize(
    ("own", "people", "asked"),
    [
        ("spent", LENT, "SELECT COUNT(*), SUM(spent) FROM people WHERE spent < 8"),
        ("spent", LENT, "SELECT COUNT(*) FILTER (WHERE NOT 12.5 > spent), SUM(2 * spent - 3) FROM people"),
        ("age", PEOPLE, "SELECT COUNT(*), SUM(age) FROM people WHERE age <= 3"),
        ("age", PEOPLE, "SELECT COUNT(age), SUM(COALESCE(age, 7)) FROM people WHERE age IS NULL OR age >= 4"),
    ],
)
def test_counts_and_sums_of_numbers_between_limits(
    monkeypatch: pytest.MonkeyPatch, own: str, people: list[list[dict[str, Any]]], asked: str
) -> None:
    """To 1e-12, as the same question to the client in Python."""
    plan = plan_for("tuned", own)
    sent = sent_by_javascript(plan, people)
    monkeypatch.setattr(exact, "reports", lambda _, records: sent[records])
    agree(asked, plan, people)
    moved = {records: (chances, messages[::-1]) for records, (chances, messages) in sent.items()}
    monkeypatch.setattr(exact, "reports", lambda _, records: moved[records])
    with pytest.raises(AssertionError):  # other messages are noticed
        agree(asked, plan, people)
