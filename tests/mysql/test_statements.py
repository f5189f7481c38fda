"""Statements as BI tools write them, answered without a network: what each tool was seen to send."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import untold
from untold.ask.connection import Connection
from untold.commands.demo.people import people
from untold.errors import UnsupportedQuery
from untold.serve.mysql.session import AskingSession
from untold.serve.statements.replies import Refused, Session
from untold.serve.statements.statement import statement

SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"
SESSION = Session(database="shop", user="ada", number=7)
BY_STATE = "SELECT state, COUNT(*) AS n FROM users GROUP BY state"


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    out = tmp_path_factory.mktemp("statements") / "reports"
    untold.perturb(untold.Plan.load(SHOP), "users", people(2000)[0], out=out, seed=1)
    return untold.connect(out)


def ask(con: Connection, sql: str, **session: Any) -> dict[str, Any]:
    return statement(con, sql, Session(**{"database": "shop", "user": "ada", "number": 7} | session))


def names(told: dict[str, Any]) -> list[str]:
    return [name for name, _ in told["columns"]]


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SELECT 1", ["1"], [[1]]),
        ("/* ping */ SELECT 1", ["1"], [[1]]),
        ("SELECT @@version_comment LIMIT 1", ["@@version_comment"], None),
        ("SELECT @@tx_isolation AS level, @@nobody_knows", ["level", "@@nobody_knows"], [["READ-COMMITTED", None]]),
        ("SELECT DATABASE() AS d, USER() AS u, CONNECTION_ID() AS c", ["d", "u", "c"], [["shop", "ada@%", 7]]),
        ("SELECT CAST('test plain returns' AS CHAR(60)) AS anon_1", ["anon_1"], [["test plain returns"]]),
        ("SHOW TABLES", ["Tables_in_shop"], [["users"], ["transactions"]]),
        ("SHOW FULL TABLES FROM `shop` LIKE 'us%'", ["Tables_in_shop", "Table_type"], [["users", "BASE TABLE"]]),
        ("SHOW FULL TABLES WHERE Table_type = 'VIEW'", ["Tables_in_shop", "Table_type"], []),
        ("SHOW DATABASES", ["Database"], [["shop"], ["information_schema"]]),
        ("SHOW VARIABLES LIKE 'lower_case_table_names'", ["Variable_name", "Value"], [["lower_case_table_names", "2"]]),
        ("SHOW INDEX FROM users", None, []),
        ("SHOW STATUS", ["Variable_name", "Value"], []),
        ("SHOW WARNINGS", ["Level", "Code", "Message"], []),
        ("SELECT * FROM shop.users LIMIT 5", ["uid", "age", "income", "state", "os", "epoch"], []),
        ("SELECT `state`, age AS a FROM `users` WHERE 1 = 0", ["state", "a"], []),
        ("SELECT DISTINCT state FROM users ORDER BY state", ["state"], [["CA"], ["NY"], ["WA"]]),
        ("SELECT DISTINCT os FROM users ORDER BY os", ["os"], [["android"], ["ios"]]),
        (
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
            ["TABLE_NAME"],
            [["transactions"], ["users"]],
        ),
        (
            "SELECT c.COLUMN_NAME, c.COLUMN_TYPE FROM INFORMATION_SCHEMA.COLUMNS c WHERE c.TABLE_NAME = 'users' "
            "AND c.COLUMN_NAME LIKE '%a%' ORDER BY c.ORDINAL_POSITION",
            ["COLUMN_NAME", "COLUMN_TYPE"],
            [["age", "bigint"], ["state", "varchar(255)"]],
        ),
        ("SELECT CONSTRAINT_NAME FROM information_schema.KEY_COLUMN_USAGE", ["CONSTRAINT_NAME"], []),
    ],
)
def test_what_tools_send(con: Connection, sql: str, columns: list[str] | None, rows: list[list[Any]] | None) -> None:
    told = ask(con, sql)
    assert columns is None or names(told) == columns
    assert rows is None or told["rows"] == rows


@pytest.mark.parametrize(
    ("sql", "changes"),
    [
        ("SET NAMES utf8mb4", {"character_set_client": "utf8mb4", "character_set_results": "utf8mb4"}),
        ("SET autocommit=0, @@session.sql_mode='X'", {"autocommit": "0", "sql_mode": "X"}),
        ("SET untold_errors = OFF", {"untold_errors": "OFF"}),
        ("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", {}),
    ],
)
def test_settings_are_kept(con: Connection, sql: str, changes: dict[str, str]) -> None:
    assert ask(con, sql)["set"] == changes


@pytest.mark.parametrize("sql", ["BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "-- nothing"])
def test_transactions_have_nothing_to_do(con: Connection, sql: str) -> None:
    assert ask(con, sql) == {"columns": [], "rows": [], "notes": []}


def test_use_and_unknown_databases(con: Connection) -> None:
    assert ask(con, "USE SHOP")["use"] == "shop"
    for sql in ("USE other", "SELECT COUNT(*) FROM other.users", "SELECT * FROM mysql.user"):
        with pytest.raises(Refused, match="Unknown database") as caught:
            ask(con, sql)
        assert caught.value.code == 1049


def test_the_same_numbers_as_without_the_door(con: Connection) -> None:
    """Backticks, the database before names, a sort that MySQL would write with NULLS FIRST."""
    asked = "SELECT `u`.`state` AS `state`, COUNT(*) AS `n` FROM `shop`.`users` `u` GROUP BY `u`.`state` ORDER BY `n` DESC LIMIT 2"
    told = ask(con, asked)
    plain = con.sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n DESC LIMIT 2").fetchall()
    assert names(told) == ["state", "n", "n_low", "n_high"]
    assert told["rows"] == [[s, n, low, high] for s, n, _, low, high in plain]


@pytest.mark.parametrize(
    ("errors", "columns"),
    [("ON", ["n", "n_low", "n_high"]), ("off", ["n"]), ("ALL", ["n", "n_se", "n_low", "n_high"]), ("0", ["n"])],
)
def test_errors_are_columns_that_a_connection_chooses(con: Connection, errors: str, columns: list[str]) -> None:
    told = ask(con, "SELECT COUNT(*) AS n FROM users", variables={"untold_errors": errors})
    assert names(told) == columns


def test_confidence_is_a_variable(con: Connection) -> None:
    rows = [
        ask(con, "SELECT COUNT(*) AS n FROM users WHERE age > 30", variables={"untold_confidence": c})["rows"][0]
        for c in ("0.5", "0.99")
    ]
    assert rows[0][2] - rows[0][1] < rows[1][2] - rows[1][1]


def test_rows_that_estimates_choose_hold_together_and_a_variable_switches_it(con: Connection) -> None:
    def width(sql: str, how: str) -> float:
        row = ask(con, sql, variables={"untold_simultaneous": how})["rows"][0]
        return float(row[3] - row[2])

    top = f"{BY_STATE} ORDER BY n DESC LIMIT 1"
    assert width(top, "AUTO") == width(top, "ON") > width(top, "OFF")
    assert width(BY_STATE, "ON") > width(BY_STATE, "AUTO") == width(BY_STATE, "OFF")


@pytest.mark.parametrize(
    ("tail", "wider"),
    [
        ("ORDER BY n DESC LIMIT 1", True),
        ("WHERE n_low > -1000", True),
        ("ORDER BY 2 DESC LIMIT 1", True),
        ("ORDER BY n DESC LIMIT 1000", False),
        ("ORDER BY state LIMIT 1", False),
        ("WHERE state = 'NY'", False),
    ],
)
def test_a_query_around_a_query_may_choose_by_estimates_too(con: Connection, tail: str, wider: bool) -> None:
    """As tools write the top of a chart over a query of its own."""
    widths = [
        ask(con, f"SELECT state, n, n_low, n_high FROM ({BY_STATE}) AS t {tail}", variables=how)["rows"][0]
        for how in ({}, {"untold_simultaneous": "OFF"})
    ]
    (_, _, low, high), (_, _, lower, higher) = widths
    assert (high - low > higher - lower) == wider


def test_a_query_around_a_query_picks_rows_with_their_errors(con: Connection) -> None:
    """As Superset asks for a chart over a query of its own."""
    outer = (
        f"SELECT state AS state, SUM(n) AS n, MIN(n_low) AS low FROM ({BY_STATE}) AS t GROUP BY state ORDER BY n DESC"
    )
    plain = con.sql(f"{BY_STATE} ORDER BY n DESC").fetchall()
    assert ask(con, outer)["rows"] == [[s, n, low] for s, n, _, low, _ in plain]
    with pytest.raises(UnsupportedQuery, match="too large on average"):
        ask(con, f"SELECT MAX(n) FROM ({BY_STATE}) AS t")


@pytest.mark.parametrize(
    "sql",
    [
        f"{BY_STATE} UNION ALL {BY_STATE}",
        "(SELECT COUNT(*) AS n FROM users) UNION ALL (SELECT COUNT(*) AS n FROM users WHERE age > 30) ORDER BY n",
        f"SELECT SUM(n) AS s FROM ({BY_STATE}) AS t",
        f"SELECT * FROM (SELECT * FROM ({BY_STATE}) AS a) AS b",
        "SELECT COUNT(*) AS n FROM (SELECT * FROM (SELECT age FROM users WHERE state = 'NY') a WHERE age > 30) b",
        "SELECT AVG(x) AS m FROM (SELECT age AS x FROM users WHERE age > 20) AS t",
        "SELECT state, COUNT(*) / (SELECT COUNT(*) FROM users) AS share FROM users GROUP BY state",
        f"WITH t AS ({BY_STATE}) SELECT * FROM t",
        "WITH t AS (SELECT * FROM users WHERE age > 30) SELECT state, COUNT(*) AS n FROM t GROUP BY state",
        f"SELECT state, n FROM ({BY_STATE}) AS t WHERE n > 100 ORDER BY n DESC LIMIT 2",
    ],
)
def test_the_door_answers_what_a_connection_answers(con: Connection, sql: str) -> None:
    found = con.sql(sql)
    told = ask(con, sql, variables={"untold_errors": "ALL"})
    assert names(told) == found.columns
    assert told["rows"] == [list(row) for row in found.fetchall()]


def test_a_union_is_explained(con: Connection) -> None:
    assert ask(con, f"EXPLAIN {BY_STATE} UNION ALL {BY_STATE}")["rows"][0] == ["SELECT number 1:"]


def test_registered_tables_are_in_the_catalogue_of_the_door(con: Connection) -> None:
    con.register("regions", pa.table({"state": ["NY", "WA", "CA"], "region": ["east", "west", "west"]}), key="state")
    assert ["regions"] in ask(con, "SHOW TABLES")["rows"]
    assert ask(con, "DESCRIBE regions")["rows"][1][:2] == ["region", "varchar(255)"]


def test_warnings_are_those_of_the_last_statement() -> None:
    """Any other statement clears them; looking at them does not."""

    class Told:
        """A pool that answers by the words of the statement."""

        async def ask(self, kind: str, asked: dict[str, Any], owner: str) -> Any:
            notes = (
                ["few reports"]
                if "few" in asked["sql"]
                else asked["session"]["notes"]
                if "SHOW" in asked["sql"]
                else []
            )
            body = json.dumps({"columns": [["n", "BIGINT"]], "rows": [], "notes": notes})
            return SimpleNamespace(status=200, body=body)

    class Known:
        async def mark(self, username: str) -> str:
            return "mark"

    async def talk() -> list[list[str]]:
        session = AskingSession(Told(), Known(), ["shop"])
        session.username, session._mark = "ada", "mark"
        seen = []
        for sql in ("SELECT few", "SHOW WARNINGS", "SHOW WARNINGS", "SELECT many", "SHOW WARNINGS"):
            await session.handle_query(sql, {})
            seen.append(list(session._notes))
        return seen

    assert asyncio.run(talk()) == [["few reports"]] * 3 + [[], []]


def test_reflection_reads_create_table(con: Connection) -> None:
    ((name, text),) = ask(con, "SHOW CREATE TABLE `shop`.`users`")["rows"]
    assert name == "users"
    assert "`state` varchar(255) DEFAULT NULL COMMENT 'one of ''NY'', ''WA'', ''CA'''" in text
    with pytest.raises(Refused, match="doesn't exist") as caught:
        ask(con, "DESCRIBE nothing")
    assert caught.value.code == 1146


def test_a_preview_says_why_it_is_empty(con: Connection) -> None:
    told = ask(con, "SELECT * FROM users LIMIT 5")
    assert "There are no rows to see" in told["notes"][0]
    assert ask(con, "SHOW WARNINGS", notes=told["notes"])["rows"] == [["Note", 1105, told["notes"][0]]]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SLEEP(10)",
        "SELECT REPEAT('a', 1000000000)",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT current_setting('home_directory')",
        "SELECT * FROM information_schema.tables, read_csv('/etc/passwd')",
        "SELECT read_text('/etc/passwd')",
        "SELECT * FROM information_schema.duckdb_settings",
        "SELECT 1 INTO OUTFILE '/tmp/x'",
        "INSERT INTO users VALUES (1)",
        "DROP TABLE users",
        "KILL 5",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE users",
        "SELECT 1; SELECT 2",
        "SELECT x FROM nowhere",
        "SELECT * FROM users UNION SELECT * FROM users",
        "SELECT " + "(" * 60 + "1" + ")" * 60,
        "SELECT " + "-" * 3000 + "1" + " - " * 3000,
        "SELECT '",
        "EXPLAIN DELETE FROM users",
    ],
)
def test_what_is_refused(con: Connection, sql: str) -> None:
    with pytest.raises((Refused, UnsupportedQuery)):
        ask(con, sql)
