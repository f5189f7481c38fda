"""Groups that WHERE rules out have no row: their count is 0 without any error, and would win ORDER BY ... LIMIT."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.question.groups import possible_groups
from untold.ask.sql.question import question

PLAN = untold.Plan.from_dict(
    {
        "name": "groups",
        "user_key": "uid",
        "epsilon": 1.0,
        "services": {
            "users": {
                "attributes": {
                    "age": {"kind": "ordinal", "low": 0, "high": 9},
                    "region": {"kind": "categorical", "values": ["n", "s", "w"]},
                }
            }
        },
    }
)


@pytest.fixture(scope="module")
def con(tmp_path_factory):
    rng, n = np.random.default_rng(1), 2000
    table = pa.table({"uid": np.arange(n), "age": rng.integers(6, 10, n), "region": rng.choice(["n", "s", "w"], n)})
    out = tmp_path_factory.mktemp("groups") / "reports"
    untold.perturb(PLAN, "users", table, out=out, seed=1)
    with untold.connect(out, summaries=False) as con:
        yield con


def test_a_group_that_cannot_exist_has_no_row(con):
    ages = con.sql("SELECT age, COUNT(*) AS n FROM users WHERE age > 5 GROUP BY age ORDER BY n LIMIT 4").df().age
    assert sorted(ages) == [6, 7, 8, 9]


def test_every_other_group_has_one(con):
    filtered = con.sql("SELECT age, COUNT(*) FILTER (WHERE age > 5) AS n FROM users GROUP BY age").df()
    assert list(filtered.age) == list(range(10))  # a FILTER leaves the group where it is
    assert (filtered.n[:6] == 0).all()
    (row,) = con.sql("SELECT COUNT(*) AS n FROM users WHERE age > 5 AND age < 3").df().itertuples()
    assert row.n == 0  # and without GROUP BY there is one row in any case


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("WHERE age > 5 OR region = 'n' GROUP BY age, region", 10 + 4 * 2),
        ("WHERE age > 5 GROUP BY age, FLOOR(age / 5)", 4),
        ("WHERE age > 5 AND age < 3 GROUP BY age", 0),
        ("WHERE NOT age > 5 AND region <> 'w' GROUP BY region, age", 12),
        ("GROUP BY region", 3),
    ],
)
def test_possible_combinations(sql, left):
    assert possible_groups(question(f"SELECT COUNT(*) FROM users {sql}", PLAN)).sum() == left


def test_no_group_at_all(con):
    assert len(con.sql("SELECT age, COUNT(*) AS n FROM users WHERE age > 5 AND age < 3 GROUP BY age").df()) == 0
