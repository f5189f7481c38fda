"""Comparisons that need no database mean what the database says."""

from contextlib import suppress

import numpy as np
import pytest
from sqlglot import exp

import untold
from untold.ask.sql.conditions import where as conditions
from untold.ask.sql.one_attribute.comparisons import compare_directly
from untold.ask.sql.question import question

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": -3, "high": 40},
    "old": {"kind": "ordinal", "low": 0, "high": 9, "missing": True},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    "city": {"kind": "categorical", "values": ["a", "b"], "missing": True},
    "grade": {"kind": "categorical", "values": [3, 1, 2]},
    "big": {"kind": "ordinal", "low": 0.0, "high": 1000.0, "bins": 5},
}
PLAN = untold.Plan.from_dict(
    {"name": "p", "user_key": "u", "epsilon": 1.0, "services": {"s": {"attributes": ATTRIBUTES}}}
)
DIRECT = [
    "age < 20", "age <= 20.5", "20 > age", "age = -3", "age <> 7", "(age) >= (-1)", "age BETWEEN -2 AND 5", "age BETWEEN 5 AND 2",
    "age IN (1, 2, 900)", "old < 5", "old <> 5", "old IN (1)", "old BETWEEN 2 AND 3", "state = 'WA'", "'WA' <> state",
    "state IN ('NY', 'CA')", "city = 'a'", "city <> 'a'", "city IN ('b')", "age < 1.0", "-5 <= age",
]  # fmt: skip
NOT_DIRECT = [
    "age = '3'", "state < 'WA'", "age < 2 + 1", "age = NULL", "age IN (1, NULL)", "grade = 1", "big < 300", "age + 1 < 3",
    "age < 1e1", "age < old", "age IS NULL", "state LIKE 'N%'", "age < 123456789012345678",
]  # fmt: skip


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("where", DIRECT)
def test_answers_are_the_databases(where, negated, monkeypatch):
    """Every condition of the list is compared directly, and to the same answer."""
    sql = f"SELECT COUNT(*) FROM s WHERE {'NOT ' if negated else ''}({where})"
    direct = []

    def noted(*asked):
        direct.append(compare_directly(*asked))
        return direct[-1]

    monkeypatch.setattr(conditions, "compare_directly", noted)
    found = question(sql, PLAN)
    assert direct
    assert all(each is not None for each in direct)
    monkeypatch.setattr(conditions, "compare_directly", lambda *_: None)
    expected = question(sql, PLAN)
    for a, b in zip(found.totals, expected.totals, strict=True):
        for mine, other in zip(a.terms, b.terms, strict=True):
            assert mine.coefficient == other.coefficient
            assert [f.column for f in mine.factors] == [f.column for f in other.factors]
            assert all(np.array_equal(x.values, y.values) for x, y in zip(mine.factors, other.factors, strict=True))


@pytest.mark.parametrize("where", NOT_DIRECT)
def test_what_python_reads_otherwise_is_left_to_the_database(where, monkeypatch):
    """Texts for numbers, NULL, knots, other types."""
    direct = []

    def noted(*asked):
        direct.append(compare_directly(*asked))
        return direct[-1]

    monkeypatch.setattr(conditions, "compare_directly", noted)
    with suppress(untold.UnsupportedQuery):
        question(f"SELECT COUNT(*) FROM s WHERE {where}", PLAN)
    assert all(each is None for each in direct)
    assert isinstance(exp.maybe_parse(where), exp.Expr)
