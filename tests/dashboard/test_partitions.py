"""From SQL to classes: what questions cut, and what they do not tell apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from untold.ask.dashboard.made import made_for
from untold.ask.dashboard.partitions import pieces
from untold.ask.question.model import SensitiveKey
from untold.ask.sql.question import question
from untold.errors import PlanError, UnsupportedQuery
from untold.plan import Plan
from untold.plan.schema import read_schema
from untold.plan.schema.service import Declared

PLAN = {"name": "p", "user_key": "uid", "epsilon": 1.0, "people": 100_000}
ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 99},
    "income": {"kind": "ordinal", "low": 0, "high": 300_000, "cuts": [], "digits": 0, "missing": True},
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": []},
    "price": {"kind": "ordinal", "low": 0, "high": 99.99, "digits": 2},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA", "OR", "TX"], "missing": True},
    "joined": {"kind": "date", "low": "2024-01-10", "high": "2026-03-20", "step": "day"},
    "os": {"kind": "public"},
}


def made(
    *asked: str, parts: int | None = 4, people: int = 500_000, epsilon: float = 1.0, undeclared: float = 0.2
) -> dict[str, dict[str, Any]]:
    plan = {
        "name": "p",
        "user_key": "uid",
        "epsilon": epsilon,
        "people": people,
        "services": {"t": {"attributes": ATTRIBUTES}},
    }
    found = made_for(read_schema(plan), [Declared(sql) for sql in asked], undeclared, parts)
    return {name: dict(declared) for name, declared in found.attributes["t"].items() if name != "os"}


@pytest.mark.parametrize(
    ("where", "column", "cuts"),
    [
        ("age >= 18", "age", [18]),
        ("age > 18", "age", [19]),
        ("age BETWEEN 18 AND 30", "age", [18, 31]),
        ("age IN (20, 21, 40)", "age", [20, 22, 40, 41]),
        ("2 * age + 1 > 81", "age", [41]),
        ("FLOOR(age / 25) = 2", "age", [50, 75]),
        ("income < 35000", "income", [35000]),
        ("income <= 35000", "income", [35001]),
        ("rate < 10", "rate", [10]),
        ("rate <= 10", "rate", [math.nextafter(10, 11)]),
        ("price >= 9.95 AND price < 20", "price", [9.95, 20]),
    ],
)
def test_conditions_cut_where_they_jump(where: str, column: str, cuts: list[float]) -> None:
    found = made(f"SELECT COUNT(*) FROM t WHERE {where}")
    assert [*found] == [column]  # a column that no question names is left out
    assert found[column]["cuts"] == cuts
    assert found[column]["rounded"] is False
    assert found[column]["parts"] == 4


def test_whole_divisions_are_asked_at_cuts() -> None:
    """age // 20 was refused once classes were cut where it jumps."""
    asked = [
        "SELECT age // 25 * 25 AS age, COUNT(*) AS n FROM t GROUP BY 1",
        "SELECT COUNT(*) FROM t WHERE age // 10 = 3",
    ]
    own = made(*asked)["age"]
    assert own["cuts"] == [25, 30, 40, 50, 75]
    plan = Plan.from_dict({**PLAN, "services": {"t": {"attributes": {"age": own}, "questions": asked}}})
    (key,) = question(asked[0], plan).keys
    assert isinstance(key, SensitiveKey)
    assert key.labels == (0, 25, 50, 75)
    assert key.bounds is None
    negative = {"kind": "ordinal", "low": -20, "high": 20, "cuts": [-10, 0, 10], "digits": 0}
    below = Plan.from_dict({**PLAN, "services": {"t": {"attributes": {"age": negative}}}})
    with pytest.raises(UnsupportedQuery, match="may jump"):
        question("SELECT age // 10 AS ten, COUNT(*) FROM t GROUP BY ten", below)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM t WHERE income IS NULL OR income > 500",
        "SELECT income < 50 AS low, COUNT(*) AS n FROM t GROUP BY low",
        "SELECT CASE WHEN income < 100 THEN 'few' ELSE 'many' END AS many, COUNT(*) AS n FROM t GROUP BY many",
    ],
)
def test_missing_numbers_are_asked_by_themselves(sql: str) -> None:
    """Such plans were refused: "asked for sums of income, which has rounded = false"."""
    own = made(sql)["income"]
    plan = Plan.from_dict({**PLAN, "services": {"t": {"attributes": {"income": own}, "questions": [sql]}}})
    assert plan.forecast(sql, users=1000).columns[0].se > 0
    assert made("SELECT COUNT(*) FROM t WHERE income > 500")["income"]["rounded"] is False


def test_sums_need_the_bit_and_no_cut() -> None:
    found = made(
        "SELECT AVG(income) FROM t WHERE age < 30", "SELECT SUM(CASE WHEN rate < 9 THEN rate ELSE 9 END) FROM t"
    )
    assert found["income"] == {
        "kind": "ordinal", "low": 0, "high": 300_000, "cuts": [], "digits": 0, "parts": 4, "missing": True,
    }  # fmt: skip
    assert found["rate"]["cuts"] == [9]
    assert "rounded" not in found["rate"]


def test_values_that_no_question_tells_apart_are_one_group() -> None:
    one = "SELECT COUNT(*) FROM t WHERE state IN ('NY', 'CA')"
    assert made(one)["state"]["groups"] == [["NY", "CA"], ["WA", "OR", "TX"]]
    assert made(one, "SELECT COUNT(*) FROM t WHERE state = 'WA'")["state"]["groups"] == [["NY", "CA"], ["OR", "TX"]]
    assert "groups" not in made("SELECT state, COUNT(*) FROM t GROUP BY state")["state"]


def test_single_values_are_a_level_below_what_conditions_tell_apart() -> None:
    """GROUP BY the column itself left no group and no class: every condition paid for single values."""
    each = "SELECT state, COUNT(*) FROM t WHERE state IS NOT NULL GROUP BY state"
    assert made(each, "SELECT COUNT(*) FROM t WHERE state IN ('NY', 'CA')")["state"]["groups"] == [
        ["NY", "CA"],
        ["WA", "OR", "TX"],
    ]
    three = ["SELECT COUNT(*) FROM t WHERE state IN ('NY', 'CA')", "SELECT COUNT(*) FROM t WHERE state = 'TX'"]
    assert "groups" not in made(each, *three)["state"]  # for a group every two values it is not worth having
    age = made("SELECT age, COUNT(*) FROM t GROUP BY age", "SELECT AVG(age) FROM t WHERE age >= 40 AND age < 65")["age"]
    assert age == {
        "kind": "ordinal", "low": 0, "high": 99, "cuts": [40, 65], "digits": 0, "parts": 64, "rounded": False,
    }  # fmt: skip
    assert (
        "cuts" not in made("SELECT age, COUNT(*) FROM t GROUP BY age", "SELECT COUNT(*) FROM t WHERE age < 18")["age"]
    )


def test_single_values_below_classes_are_asked_and_summed() -> None:
    asked = [
        "SELECT age, COUNT(*) AS n FROM t GROUP BY age",
        "SELECT COUNT(*) AS n FROM t WHERE age >= 40 AND age < 65",
        "SELECT SUM(age) AS s FROM t",
    ]
    plan = Plan.from_dict({**PLAN, "services": {"t": {"attributes": {"age": made(*asked)["age"]}, "questions": asked}}})
    ages = question(asked[0], plan).keys[0]
    assert isinstance(ages, SensitiveKey)
    assert ages.labels == tuple(range(100))
    assert ages.bounds is None  # no class is cut
    each, class_, total = (plan.forecast(sql, users=100_000).columns[0].se for sql in asked)
    plain = {**PLAN, "services": {"t": {"attributes": {"age": ATTRIBUTES["age"]}, "questions": asked}}}
    others = [Plan.from_dict(plain).forecast(sql, users=100_000).columns[0].se for sql in asked]
    assert class_ < 0.8 * others[1]
    assert each < 1.2 * others[0]
    assert total < 1.2 * others[2]


def test_parts_are_what_people_can_tell() -> None:
    asked = "SELECT COUNT(*) FROM t WHERE rate < 9"

    def parts(**others: Any) -> int:
        return int(made(asked, parts=None, **others)["rate"].get("parts", 1))

    assert [parts(people=n) for n in (5, 100, 20_000, 100_000_000)] == [1, 2, 8, 16]
    assert parts(epsilon=4.0, people=20_000) > parts(people=20_000)
    assert parts(undeclared=0.0) == 1
    several = made(asked, "SELECT COUNT(*) FROM t WHERE rate < 12 OR rate > 14 AND rate < 20", parts=None)
    assert several["rate"]["parts"] < parts()
    few = made("SELECT COUNT(*) FROM t WHERE age IN (0, 1, 3, 99)", parts=None, people=100_000_000)
    assert few["age"]["parts"] <= 16


def test_no_class_has_more_parts_than_numbers() -> None:
    narrow = {"kind": "ordinal", "low": 0, "high": 5}
    schema = read_schema({**PLAN, "services": {"t": {"attributes": {"age": narrow}}}})
    found = made_for(schema, [Declared("SELECT COUNT(*) FROM t WHERE age < 2 OR age > 4")], 0.2, 16)
    assert found.attributes["t"]["age"]["parts"] == 4


@pytest.mark.parametrize(
    ("asked", "step"),
    [
        ("SELECT COUNT(*) FROM t WHERE joined >= DATE '2025-01-01'", "year"),
        ("SELECT date_trunc('quarter', joined) AS q, COUNT(*) FROM t GROUP BY q", "quarter"),
        ("SELECT COUNT(*) FROM t WHERE joined >= DATE '2025-02-01'", "month"),
        ("SELECT date_trunc('week', joined) AS w, COUNT(*) FROM t GROUP BY w", "week"),
        ("SELECT COUNT(*) FROM t WHERE joined >= DATE '2025-02-05'", "day"),
    ],
)
def test_dates_are_kept_by_the_widest_step(asked: str, step: str) -> None:
    assert made(asked)["joined"]["step"] == step


def test_quantiles_and_curves_get_a_grid_that_people_decide() -> None:
    few, many = (
        len(made("SELECT MEDIAN(income) FROM t WHERE income IS NOT NULL", people=n)["income"]["cuts"]) + 1
        for n in (2_000, 5_000_000)
    )
    assert 6 <= few < many <= 64
    assert len(made("SELECT VARIANCE(rate) FROM t")["rate"]["cuts"]) > 6


def test_questions_that_cannot_be_answered_are_named_by_their_number() -> None:
    with pytest.raises(PlanError) as caught:
        made("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t WHERE agee > 3", "SELECT age FROM t")
    assert [mistake.split(":")[0] for mistake in caught.value.mistakes] == ["question 2", "question 3"]


def test_pieces_are_constant_or_straight() -> None:
    """Of random functions made of steps and lines: no piece bends, and no two neighbours could be one."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        numbers = np.cumsum(rng.uniform(0.5, 2.0, 60))
        limits = np.sort(rng.choice(np.arange(1, 60), 4, replace=False))
        part = np.searchsorted(limits, np.arange(60), side="right")
        slope, level = rng.integers(0, 2, 5) * rng.normal(size=5), rng.normal(size=5) * 50
        function = level[part] + slope[part] * numbers
        starts, earlier, sloped = pieces(function, numbers)
        ends = [*starts[1:], 60]
        for start, end in zip(starts, ends, strict=True):
            assert np.ptp(part[start:end]) == 0
            if end - start > 2:
                straight = np.diff(function[start:end]) / np.diff(numbers[start:end])
                assert np.ptp(straight) < 1e-6
        assert len(starts) <= 5 + 4
        assert earlier <= {*starts}
        assert sloped == any(slope[part[s]] != 0 and e - s > 2 for s, e in zip(starts, ends, strict=True))
