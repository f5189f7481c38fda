"""Parameters are values, never SQL."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from helpers.raw_tables import plan_of
from untold.errors import UntoldError
from untold.sql.parameters import filled
from untold.sql.question import question


@pytest.mark.parametrize(
    ("sql", "given", "same"),
    [
        ("age > ?", [20], "age > 20"),
        ("age > ? AND state = ?", (20, "NY"), "age > 20 AND state = 'NY'"),
        ("age > $low", {"low": np.int64(20)}, "age > 20"),
        ("age BETWEEN $2 AND $1", [30, 20], "age BETWEEN 20 AND 30"),
        ("state IN ?", [["NY", "WA"]], "state IN ('NY', 'WA')"),
        ("os = '?' AND age > ?", [3], "os = '?' AND age > 3"),
        ("os = ? -- ?", ["a' OR 1=1 --"], "os = 'a'' OR 1=1 --' -- ?"),
        ("age = ?", [None], "age = NULL"),
        ("(age > 3) = ?", [True], "(age > 3) = TRUE"),
        ("DATE '2024-01-01' < ?", [dt.date(2024, 2, 29)], "DATE '2024-01-01' < DATE '2024-02-29'"),
    ],
)
def test_values_take_their_places(sql: str, given: Any, same: str) -> None:
    begin = "SELECT COUNT(*) FROM users WHERE "
    assert filled(begin + sql, given) == begin + same
    question(begin + same, plan_of("shop"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "There is no value for the parameter"),
        ([1, 2], "2 parameters are given, but the query has 1"),
        ({}, "There is no value for the parameter"),
        ([object()], "cannot be a parameter"),
        ([float("nan")], "cannot be a parameter"),
        ([[]], "cannot be a parameter"),
    ],
)
def test_what_does_not_fit_is_told(given: Any, says: str) -> None:
    with pytest.raises(UntoldError, match=says):
        filled("SELECT COUNT(*) FROM users WHERE age > ?", given)


def test_a_name_too_many_is_told() -> None:
    with pytest.raises(UntoldError, match=r"\$high is not in it"):
        filled("SELECT COUNT(*) FROM users WHERE age > $low", {"low": 1, "high": 2})
