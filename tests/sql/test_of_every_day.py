"""What is asked every day and has no twin on raw rows: SELECT without FROM, the last epoch, another service's rows, the date."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.sql import parse
from untold.errors import UnsupportedQuery

PLAN = untold.Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 4.0,
        "lifetime": 40.0,
        "services": {
            "users": {
                "attributes": {
                    "member": {"kind": "categorical", "values": [False, True]},
                    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-12-31", "step": "month"},
                }
            },
            "orders": {
                "rows_per_user": {"max": 2, "report": 1},
                "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 9}},
            },
        },
    }
)


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    folder: Path = tmp_path_factory.mktemp("shop")
    for epoch in (3, 5):
        uid = np.arange(400)
        months = np.array([f"2026-{1 + u % 12:02}-01" for u in uid], dtype="datetime64[D]")
        users = pa.table({"uid": uid, "member": uid % 4 == 0, "joined": months})
        untold.perturb(PLAN, "users", users, out=folder, seed=epoch, epoch=epoch)
    rows = pa.table({"uid": np.arange(300), "amount": np.arange(300) % 10})
    untold.perturb(PLAN, "orders", rows, population=list(range(400)), out=folder, seed=1, epoch=5)
    return untold.connect(folder)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1", [{"1": 1}]),
        ("SELECT 1 + 2 AS x, 'a' || 'b' AS y, TRUE AS z, NULL AS n", [{"x": 3, "y": "ab", "z": True, "n": None}]),
        (
            "SELECT CAST('2026-01-31' AS DATE) AS d, CAST(2.6 AS INTEGER) AS i;",
            [{"d": datetime(2026, 1, 31).date(), "i": 3}],
        ),
        ("SELECT 7 // 2 AS x, UPPER('a') AS u", [{"x": 3, "u": "A"}]),
    ],
)
def test_select_without_from_is_computed(con: untold.Connection, sql: str, rows: list[dict[str, object]]) -> None:
    assert con.sql(sql).arrow().to_pylist() == rows


@pytest.mark.parametrize(
    "sql", ["SELECT getenv('HOME')", "SELECT read_text('/etc/passwd')", "SELECT repeat('a', 1000000)"]
)
def test_what_is_computed_reaches_nothing(con: untold.Connection, sql: str) -> None:
    with pytest.raises(UnsupportedQuery):
        con.sql(sql)


def test_the_last_epoch_is_known_without_an_error(con: untold.Connection) -> None:
    last = con.sql("SELECT COUNT(*) AS n FROM users WHERE epoch = (SELECT MAX(epoch) FROM users)").scalar()
    assert (last.value, last.variance) == (400, 0)
    one = con.sql(
        "SELECT epoch, COUNT(*) AS n FROM users WHERE epoch > (SELECT MIN(epoch) FROM users) GROUP BY epoch"
    ).df()
    assert one["epoch"].tolist() == [5]


def test_rows_of_another_service_divide_as_a_number(con: untold.Connection) -> None:
    each = con.sql("SELECT SUM(amount) / (SELECT COUNT(*) FROM users) AS x FROM orders").scalar()
    alone = con.sql("SELECT SUM(amount) / 800 AS x FROM orders").scalar()
    assert (each.value, each.variance) == (alone.value, alone.variance)
    with pytest.raises(UnsupportedQuery, match="their errors are not known together"):
        con.sql("SELECT SUM(amount) / (SELECT COUNT(*) FROM users WHERE member) AS x FROM orders")


def test_the_date_is_that_of_the_question(con: untold.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "now", lambda: datetime(2026, 7, 1, 12))
    said = con.sql("SELECT COUNT(*) AS n FROM users WHERE joined < CURRENT_DATE").scalar()
    assert said == con.sql("SELECT COUNT(*) AS n FROM users WHERE joined < DATE '2026-07-01'").scalar()
    monkeypatch.setattr(parse, "now", lambda: datetime(2026, 4, 1, 12))
    assert said != con.sql("SELECT COUNT(*) AS n FROM users WHERE joined < CURRENT_DATE").scalar()


def test_the_mean_of_yes_and_no_is_a_share(con: untold.Connection) -> None:
    mean = con.sql("SELECT AVG(member) AS x FROM users").scalar()
    assert mean == con.sql("SELECT COUNT(*) FILTER (WHERE member) / COUNT(*) AS x FROM users").scalar()


def test_values_that_are_declared_say_so(con: untold.Connection) -> None:
    answer = con.sql("SELECT DISTINCT member FROM users")
    assert answer.arrow().to_pylist() == [{"member": False}, {"member": True}]
    assert any("declared" in note for note in answer.notes)
    assert not any("declared" in note for note in con.sql("SELECT DISTINCT epoch FROM users").notes)


def test_groupings_have_rows_of_their_own_questions(con: untold.Connection) -> None:
    rows = con.sql("SELECT member, COUNT(*) AS n FROM users GROUP BY ROLLUP (member)").arrow().to_pylist()
    parts = con.sql("SELECT member, COUNT(*) AS n FROM users GROUP BY member").arrow().to_pylist()
    assert rows[:2] == parts
    assert (rows[2]["member"], rows[2]["n"], rows[2]["n_se"]) == (None, 800, 0)
