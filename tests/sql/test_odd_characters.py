"""Characters that are letters to the parser and blanks to DuckDB: refused at every door, harmless in quotes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import untold
from untold.ask.connection import Connection
from untold.commands.demo.people import people
from untold.errors import UnsupportedQuery
from untold.serve.statements.replies import Refused, Session
from untold.serve.statements.statement import statement

SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"
UNSEEN = ["\u200b", "\u2060", "\ufeff"]
SESSION = Session(database="shop", user="ada", number=7)


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    out = tmp_path_factory.mktemp("odd") / "reports"
    untold.perturb(untold.Plan.load(SHOP), "users", people(200)[0], out=out, seed=1)
    return untold.connect(out)


def ask(con: Connection, sql: str) -> list[Any]:
    rows: list[Any] = statement(con, sql, SESSION)["rows"]
    return rows


@pytest.mark.parametrize("unseen", UNSEEN)
def test_duckdb_takes_them_for_blanks(unseen: str) -> None:
    """That is the danger: if this fails, the danger is gone."""
    assert len(duckdb.connect().execute(f"SELECT 1 AS x{unseen}FROM{unseen}duckdb_types").fetchall()) > 100


@pytest.mark.parametrize("unseen", [*UNSEEN, "\u00ad", "\u180e", "\u202e"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS x~FROM~duckdb_types",
        "SELECT 1 AS x~FROM~duckdb_types ORDER BY x~y",
        "SELECT COUNT(*) AS x~FROM~duckdb_types FROM users",
        "SELECT upper(state~FROM~t) AS s, COUNT(*) AS n FROM users GROUP BY state",
        "SELECT TABLE_NAME AS x~FROM~duckdb_types FROM information_schema.TABLES",
        "SELECT t.n AS x~FROM~duckdb_types FROM (SELECT COUNT(*) AS n FROM users) AS t",
    ],
)
def test_a_character_that_nobody_sees_is_refused(con: Connection, sql: str, unseen: str) -> None:
    text = sql.replace("~", unseen)
    with pytest.raises((Refused, UnsupportedQuery), match=f"nobody sees: U\\+{ord(unseen):04X}"):
        ask(con, text)
    with pytest.raises(UnsupportedQuery):
        con.sql(text)


@pytest.mark.parametrize("unseen", UNSEEN)
def test_in_quotes_it_is_a_name(con: Connection, unseen: str) -> None:
    name = f"x{unseen}FROM{unseen}duckdb_types"
    assert ask(con, f"SELECT 1 AS `{name}`") == [[1]]
    assert ask(con, f"SELECT 1 AS '{name}'") == [[1]]
    told = statement(con, f"SELECT t.n AS `{name}` FROM (SELECT COUNT(*) AS n FROM users) AS t", SESSION)
    assert (told["columns"][0][0], len(told["rows"])) == (name, 1)
    assert con.sql(f'SELECT COUNT(*) AS "{name}" FROM users').fetchall()
    assert con.sql(f"SELECT COUNT(*) AS n, '{name}' AS \"{name}\" FROM users").fetchall()[0][-1] == name
