"""What BI tools write over MySQL means here what it means to a real server, for every declared value, or is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from mariadb import INSTALL, SERVER, mariadb

import untold
from untold.serve.statements.meaning import as_meant
from untold.serve.statements.replies import Refused, Session
from untold.serve.statements.statement import statement

TEXTS = ["New York", "Łódź", "O'Hara", "rome", "Paris", "San José"]
ATTRIBUTES = {
    "d": {
        "kind": "date",
        "low": "2019-12-20",
        "high": "2021-03-05",
        "step": "day",
    },  # years that begin on two days, and a leap day
    "s": {"kind": "categorical", "values": TEXTS},
    "n": {"kind": "ordinal", "low": -5, "high": 40},
    "t": {"kind": "timestamp", "low": "2020-02-28", "high": "2020-02-29"},
}
SQL_TYPES = {"d": "DATE", "s": "VARCHAR(50)", "n": "INT", "t": "DATETIME"}
PLAN = untold.Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 4.0,
        "services": {"v": {"max_active": 1, "attributes": ATTRIBUTES}},
    }
)
TOGETHER = 30  # expressions of one statement
EQUAL = 310  # of the file, at least; those marked with ! are refused


def expressions() -> dict[str, list[str]]:
    """Of each column."""
    found: dict[str, list[str]] = {}
    column = ""
    for line in (Path(__file__).parent / "expressions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            column = line[2:]
        elif line and not line.startswith("--"):
            found.setdefault(column, []).append(line)
    return found


def values(name: str) -> list[Any]:
    """All that are declared."""
    attribute = PLAN.service("v").perturbed(name)
    return [attribute.value(code) for code in range(attribute.size)]


def plain(value: Any) -> Any:
    """A value in one form: both sides have types of their own for the same."""
    if isinstance(value, dt.timedelta):
        value = (dt.datetime(2000, 1, 1) + value).time()
    if isinstance(value, Decimal | int | float):
        return round(float(value), 9)
    if isinstance(value, dt.date | dt.time):
        value = value.isoformat()
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str) and len(value) >= 19 and value[4] == "-":
        value = value.replace(" ", "T").removesuffix(".000000").removesuffix("T00:00:00")
    return value


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    folder = tmp_path_factory.mktemp("shop")
    columns = {name: [values(name)[i % len(values(name))] for i in range(300)] for name in ATTRIBUTES}
    untold.perturb(PLAN, "v", pa.table({"uid": list(range(300)), **columns}), out=folder, seed=1)
    return untold.connect(folder)


def asked(con: untold.Connection, column: str, parts: list[str]) -> list[dict[Any, Any]]:
    """For every declared value, what some expressions are."""
    items = ", ".join(f"{each} AS x{i}" for i, each in enumerate(parts))
    found = statement(con, f"SELECT {column} AS k, {items}, COUNT(*) AS c FROM v GROUP BY {column}", Session("shop"))
    rows = [[plain(value) for value in row] for row in found["rows"]]
    return [{row[0]: row[i + 1] for row in rows} for i in range(len(parts))]


def answers(con: untold.Connection, column: str) -> Iterator[tuple[str, dict[Any, Any]]]:
    """Each expression that is answered, with its values; many are asked at once."""
    answered = [each for each in expressions()[column] if not each.startswith("! ")]
    for start in range(0, len(answered), TOGETHER):
        parts = answered[start : start + TOGETHER]
        yield from zip(parts, asked(con, column, parts), strict=True)


@pytest.mark.skipif(
    SERVER is None or INSTALL is None, reason="MariaDB is not installed: apt-get install mariadb-server"
)
def test_expressions_have_the_values_of_a_real_server(con: untold.Connection) -> None:
    wrong, equal = [], 0
    with mariadb() as server, server.cursor() as cursor:
        for column, kind in SQL_TYPES.items():
            cursor.execute(f"CREATE TABLE v_{column} ({column} {kind})")
            cursor.executemany(f"INSERT INTO v_{column} VALUES (%s)", [(value,) for value in values(column)])
            for expression, ours in answers(con, column):
                cursor.execute(f"SELECT {column}, {expression} FROM v_{column}")
                theirs = {plain(key): plain(value) for key, value in cursor.fetchall()}
                equal += ours == theirs
                wrong += [] if ours == theirs else [(expression, next(k for k in theirs if ours.get(k) != theirs[k]))]
    assert wrong == []
    assert equal >= EQUAL


def test_those_marked_so_are_refused(con: untold.Connection) -> None:
    marked = [(name, each[2:]) for name, every in expressions().items() for each in every if each.startswith("! ")]
    assert marked
    for column, expression in marked:
        with pytest.raises((Refused, untold.UntoldError)):
            asked(con, column, [expression])


def test_the_comparison_notices_the_meaning_of_another_dialect(
    con: untold.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB counts Sundays as 0: without the rewriting, days of the week differ."""
    assert asked(con, "d", ["DAYOFWEEK(d)"])[0]["2020-03-01"] == 1
    monkeypatch.setattr("untold.serve.statements.selects.as_meant", lambda tree, types: tree)
    assert asked(con, "d", ["DAYOFWEEK(d)"])[0]["2020-03-01"] == 0


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("ASCII(s)", "encoding"),
        ("GREATEST(s, 'n')", "collation"),
        ("s = 'x '", "collation"),
        ("n | 1", "without a sign"),
        ("CONCAT(n / 3)", "quotient"),
        ("WEEK(d, n)", "0 to 7"),
    ],
)
def test_what_depends_on_a_servers_settings_is_refused(con: untold.Connection, expression: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        statement(con, f"SELECT {expression} AS x, COUNT(*) AS c FROM v GROUP BY x", Session("shop"))


def test_what_is_no_function_stays_as_it_is() -> None:
    from sqlglot import parse_one

    sql = (
        "SELECT state, COUNT(*) AS n FROM users WHERE age > 3 AND state IS NULL GROUP BY state ORDER BY n DESC LIMIT 3"
    )
    assert as_meant(parse_one(sql, dialect="mysql"), {"age": "INTEGER", "state": "VARCHAR"}) == parse_one(
        sql, dialect="mysql"
    )


def told(con: untold.Connection, sql: str) -> tuple[list[Any], list[str]]:
    found = statement(con, sql, Session("shop"))
    return found["rows"], found["notes"]


@pytest.mark.parametrize("source", ["v", "(SELECT * FROM v) AS virtual_table", "shop.v"])
def test_the_ends_of_a_column_are_those_that_are_declared(con: untold.Connection, source: str) -> None:
    rows, notes = told(con, f"SELECT MIN(n) AS low, MAX(n) AS high, MAX(d) AS day, MIN(s) FROM {source}")
    assert rows == [[-5, 40, "2021-03-05", "New York"]]
    assert "declared" in notes[0]
    with pytest.raises(untold.UnsupportedQuery):
        told(con, f"SELECT MIN(n) FROM {source} WHERE n > 3")


def test_rows_are_compared_column_by_column(con: untold.Connection) -> None:
    both, _ = told(con, "SELECT COUNT(*) FROM v WHERE (s, LENGTH(s)) IN (('ROME', 4), ('paris', 5), ('New York', 1))")
    assert both == told(con, "SELECT COUNT(*) FROM v WHERE s IN ('rome', 'Paris')")[0]
    one, _ = told(con, "SELECT COUNT(*) FROM v WHERE (n, n % 2) = (3, 1)")
    assert one == told(con, "SELECT COUNT(*) FROM v WHERE n = 3")[0]


def test_with_rollup_has_a_row_for_all(con: untold.Connection) -> None:
    rows, _ = told(con, "SELECT s, COUNT(*) AS c FROM v GROUP BY s WITH ROLLUP")
    assert len(rows) == len(TEXTS) + 1
    assert rows[-1][:2] == [None, 300.0]
