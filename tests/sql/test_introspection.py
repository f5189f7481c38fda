"""What is collected, for those who look around first: SHOW TABLES, DESCRIBE, information_schema, SELECT *."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import untold
from helpers.raw_tables import plan_of
from untold.ask.connection.introspection import introspected
from untold.ask.connection.tables import tables_of
from untold.errors import UnsupportedQuery

SHOP = tables_of(plan_of("shop"))


def rows(sql: str) -> list[tuple[object, ...]]:
    found = introspected(sql, SHOP, "shop")
    assert found is not None
    return list(found.rows)


@pytest.mark.parametrize("sql", ["SHOW TABLES", "show tables;", " SHOW  ALL TABLES "])
def test_tables(sql: str) -> None:
    assert [row[:2] for row in rows(sql)] == [("users", "one row per person"), ("orders", "0 to 5 rows per person")]


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
    found = introspected(sql, SHOP, "shop")
    assert found is not None
    assert "There are no rows to show" in found.note
    assert [row[0] for row in found.rows] == ["uid", "age", "income", "state", "os", "visits", "epoch"]


def test_information_schema() -> None:
    assert rows("SELECT table_name FROM information_schema.tables ORDER BY table_name") == [("orders",), ("users",)]
    asked = "SELECT column_name AS c, data_type FROM information_schema.columns"
    assert rows(f"{asked} WHERE table_name = 'orders' AND table_schema = 'main'") == [
        ("uid", "VARCHAR"),
        ("amount", "DOUBLE"),
        ("category", "VARCHAR"),
        ("epoch", "BIGINT"),
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
        "SELECT * FROM information_schema.tables UNION SELECT * FROM read_csv('/etc/passwd')",
    ],
)
def test_other_texts_are_left_to_others(sql: str) -> None:
    assert introspected(sql, SHOP, "shop") is None


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
        assert answer.df()["column"].tolist() == ["uid", "age", "epoch"]
        assert "never disclosed" in str(answer)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT getenv('x') FROM information_schema.tables",
        "SELECT nothing FROM information_schema.tables",
        "SELECT * FROM information_schema.tables, information_schema.duckdb_settings",
    ],
)
def test_what_is_not_evaluated_about_tables_is_refused(sql: str) -> None:
    with pytest.raises(UnsupportedQuery):
        introspected(sql, SHOP, "shop")


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    """More than ten columns, some public, and a registered table."""
    publics = {f"p{i}": {"kind": "public"} for i in range(11)}
    attributes = {"state": {"kind": "categorical", "values": ["NY", "WA"]}, **publics}
    plan = untold.Plan.from_dict(
        {"name": "poll", "user_key": "uid", "epsilon": 1.0, "services": {"people": {"attributes": attributes}}}
    )
    out = tmp_path_factory.mktemp("wide") / "r"
    rows = {"uid": [1, 2], "state": ["NY", "WA"], **{name: [1, 2] for name in publics}}
    untold.perturb(plan, "people", pa.table(rows), out=out, seed=1)
    con = untold.connect(out)
    con.register("regions", pa.table({"state": ["NY", "WA"], "region": [1, 2]}), key="state")
    return con


def test_places_of_columns_are_numbers(wide: untold.Connection) -> None:
    asked = (
        "SELECT ordinal_position FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"
    )
    assert [place for (place,) in wide.sql(asked).fetchall()] == list(range(1, 15))


def test_every_way_to_look_at_a_column_says_the_same(wide: untold.Connection) -> None:
    schema = {
        (t, c): k for t, c, k in wide.sql("SELECT table_name, column_name, data_type FROM information_schema.columns")
    }
    for table in ("people", "regions"):
        columns = {column.name: column.type for column in wide.tables[table].columns}
        assert {name: kind for name, kind, *_ in wide.sql(f"DESCRIBE {table}")} == columns
        assert {c: kind for (t, c), kind in schema.items() if t == table} == columns
        assert wide.schema[table] == columns
    assert wide.tables["people"]["p0"].type == "BIGINT"


def test_registered_tables_are_listed(wide: untold.Connection) -> None:
    assert [name for name, *_ in wide.sql("SHOW TABLES")] == ["people", "regions"]
    asked = wide.sql("SELECT table_name FROM information_schema.tables WHERE table_name LIKE '%g%'")
    assert asked.fetchall() == [("regions",)]
