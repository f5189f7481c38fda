"""Numbers that nobody calculates with, and questions without anything to estimate: refused in words, by every path."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import untold
from untold.ask.estimates.estimate import brief
from untold.ask.forecast.forecast import forecast
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan
from untold.serve.queries.answering import Source, answer
from untold.serve.queries.limits import QueryLimits

PLAN = Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "users": {
                "attributes": {
                    "age": {"kind": "ordinal", "low": 1, "high": 125},
                    "state": {"kind": "categorical", "values": ["NY", "WA"]},
                    "os": {"kind": "public"},
                }
            }
        },
    }
)
BIG = "9" * 400
HUGE = [
    f"SELECT SUM(age * {BIG}) FROM users",
    f"SELECT SUM(age + {BIG}) FROM users",
    f"SELECT SUM({BIG}) FROM users",
    f"SELECT COUNT(*) * {BIG} FROM users",
    f"SELECT COUNT(*) FROM users WHERE age > {BIG}",
    f"SELECT COUNT(*) FROM users WHERE age IN ({BIG}, 1e999)",
    f"SELECT COUNT(*) FROM users WHERE os = {BIG}",
    f"SELECT COUNT(*) FROM users LIMIT {BIG}",
    "SELECT COUNT(*) * 1e999 FROM users",
    "SELECT SUM(age * 1e999) FROM users",
    "SELECT STDDEV(age * 1e200) FROM users",
    "SELECT 1e999, COUNT(*) FROM users",
    "SELECT SUM(age" + " * 1e60" * 6 + ") FROM users",  # each is small enough; together they are not
]
NOTHING = [
    "SELECT 5 FROM users",
    "SELECT 5, 6 FROM users",
    "SELECT state, 5 FROM users GROUP BY state",
    "SELECT 5 FROM users GROUP BY state",
    "SELECT 5 + 6 FROM users WHERE age > 3",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "r"
    rows = {"uid": [f"u{i}" for i in range(60)], "age": [1 + i % 8 for i in range(60)]}
    table = pa.table({**rows, "state": ["NY", "WA"] * 30, "os": ["ios"] * 60})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        untold.perturb(PLAN, "users", table, out=path, seed=1)
    return path


@pytest.mark.parametrize("sql", HUGE + NOTHING, ids=lambda sql: sql[:60])
def test_it_is_refused_and_underlined(sql: str, folder: Path) -> None:
    con = untold.connect(folder)
    for attempt in (lambda: con.sql(sql).df(), lambda: con.explain(sql), lambda: PLAN.forecast(sql, users=1000)):
        with pytest.raises(UnsupportedQuery, match="Hint: ") as refusal:
            attempt()
        assert "^" in str(refusal.value)
    con.close()


def test_what_is_large_and_not_too_large_is_answered(folder: Path) -> None:
    con = untold.connect(folder)
    scaled, plain = (con.sql(f"SELECT SUM(age{by}) AS x FROM users").df()["x"][0] for by in (" * 1e60", ""))
    assert scaled == pytest.approx(plain * 1e60)
    assert len(con.sql("SELECT 5 AS five, COUNT(*) AS n FROM users").df()) == 1
    assert len(con.sql("SELECT 5 AS five FROM users GROUP BY state HAVING COUNT(*) > -1e60").df()) == 2
    con.close()


@pytest.mark.parametrize(
    "confidence", [10**400, 10**5000, -1, 0, 1, True, "x", None, [], float("nan"), 1 - 2**-53], ids=brief
)
def test_a_confidence_that_is_none(confidence: object, folder: Path) -> None:
    con = untold.connect(folder)
    with pytest.raises(UntoldError, match="a number between 0 and 1"):
        con.sql("SELECT COUNT(*) FROM users", confidence=confidence)  # type: ignore[arg-type]
    with pytest.raises(UntoldError, match="a number between 0 and 1"):
        forecast(PLAN, "SELECT COUNT(*) FROM users", users=10, confidence=confidence)  # type: ignore[arg-type]
    con.close()


def test_a_served_question_with_such_a_confidence(folder: Path) -> None:
    source = Source(folder, QueryLimits())
    for confidence in (10**400, True, "x", None):
        reply = answer(source, "query", {"sql": "SELECT COUNT(*) FROM users", "confidence": confidence})
        assert reply.status == 400


@pytest.mark.parametrize("users", [10**400, 10**5000, float("inf"), float("nan"), 0, -1, "x", 1e16], ids=brief)
def test_users_that_are_none(users: object) -> None:
    with pytest.raises(UntoldError, match="users = "):
        PLAN.forecast("SELECT COUNT(*) FROM users", users=users)  # type: ignore[arg-type]


SERVED = {
    "pairs": "SELECT " + " + ".join(f"SUM(age * {i})" for i in range(1, 100)) + " FROM users",
    "groups": "SELECT COUNT(*) FROM users GROUP BY " + ", ".join(f"age > {i}" for i in range(1, 21)),
    "conditions": "SELECT COUNT(*) FROM users WHERE "
    + " OR ".join(f"(age = {i} AND os = 'x{i}')" for i in range(1, 100)),
    "quantiles": "SELECT " + ", ".join(f"QUANTILE_CONT(age, 0.{i:03})" for i in range(1, 100)) + " FROM users",
}


@pytest.mark.parametrize("what", SERVED)
def test_what_would_take_minutes_is_refused_at_once(what: str, folder: Path) -> None:
    con = untold.connect(folder)
    with pytest.raises(UnsupportedQuery, match="are worked out at once"):
        con.sql(SERVED[what])
    con.close()
