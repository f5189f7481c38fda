"""What is collected, for those who look around first: SHOW TABLES, DESCRIBE, information_schema, SELECT *."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import untold
from helpers.raw_tables import plan_of
from untold.sql.introspection import introspected

SHOP = plan_of("shop")


def rows(sql: str) -> list[tuple[object, ...]]:
    found = introspected(sql, SHOP)
    assert found is not None
    return list(found.rows)


@pytest.mark.parametrize("sql", ["SHOW TABLES", "show tables;", " SHOW  ALL TABLES "])
def test_tables(sql: str) -> None:
    assert [row[:2] for row in rows(sql)] == [("users", "one row per person"), ("orders", "up to 5 rows per person")]


@pytest.mark.parametrize("sql", ["DESCRIBE users", "desc Users;", 'SHOW COLUMNS FROM "users"', "SUMMARIZE users"])
def test_columns(sql: str) -> None:
    found = rows(sql)
    assert ("age", "BIGINT", "ordinal", "integers 1..40") in found
    assert ("state", "VARCHAR", "categorical", "one of 'NY', 'WA', 'CA'") in found
    assert found[0][0] == "uid"


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM users LIMIT 5", "select * from users", "FROM users", "FROM users LIMIT 3;"]
)
def test_rows_are_answered_by_what_is_collected_and_why_there_are_none(sql: str) -> None:
    found = introspected(sql, SHOP)
    assert found is not None
    assert "There are no rows to show" in found.note
    assert [row[0] for row in found.rows] == ["uid", "age", "income", "state", "os", "visits"]


def test_information_schema() -> None:
    assert rows("SELECT table_name FROM information_schema.tables ORDER BY table_name") == [("orders",), ("users",)]
    asked = "SELECT column_name AS c, data_type FROM information_schema.columns"
    assert rows(f"{asked} WHERE table_name = 'orders' AND table_schema = 'main'") == [
        ("amount", "DOUBLE"),
        ("category", "VARCHAR"),
    ]
    assert len(rows("SELECT * FROM information_schema.columns WHERE table_name IN ('users') LIMIT 2")) == 2
    assert rows("SELECT table_name FROM information_schema.tables WHERE table_name = 'nobody'") == []


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW BUDGET",
        "DESCRIBE nobody",
        "SELECT * FROM nobody",
        "SELECT * FROM users WHERE age > 3",
        "SELECT COUNT(*) FROM users",
        "SELECT * FROM information_schema.tables, users",
        "SELECT getenv('x') FROM information_schema.tables",
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'u%'",
        "SELECT * FROM information_schema.tables UNION SELECT * FROM read_csv('/etc/passwd')",
    ],
)
def test_other_texts_are_left_to_others(sql: str) -> None:
    assert introspected(sql, SHOP) is None


def test_a_connection_answers_without_reading(tmp_path: Path) -> None:
    plan = untold.Plan.from_dict(
        {
            "name": "poll",
            "user_key": "uid",
            "epsilon": 1.0,
            "services": {"people": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}}}},
        }
    )
    untold.perturb(plan, "people", pa.table({"uid": [1, 2], "age": [3, 4]}), out=tmp_path, seed=1)
    with untold.connect(tmp_path) as con:
        assert con.sql("SHOW TABLES").df()["table"].tolist() == ["people"]
        answer = con.sql("SELECT * FROM people LIMIT 5")
        assert answer.df()["column"].tolist() == ["uid", "age"]
        assert "never disclosed" in str(answer)
