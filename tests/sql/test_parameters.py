"""Parameters are values, never SQL: a query with them asks what the same query asks with the values written out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from helpers.raw_tables import plan_of
from untold.ask.sql.parameters import placeholders, put_in, read_parameters, written_out
from untold.ask.sql.question import question
from untold.ask.sql.unions.questions import questions
from untold.errors import UnsupportedQuery
from untold.serve.queries.answering import Source, answer
from untold.serve.queries.limits import QueryLimits

BEGIN = "SELECT COUNT(*) FROM users WHERE "


def asked(sql: str, given: Any = None, plan: str = "shop") -> str:
    """All that a query asks, but for its text."""
    found = questions(sql, plan_of(plan), values=read_parameters(sql, given))
    return repr([replace(each, sql="", parameters=()) for each in found])


@pytest.mark.parametrize(
    ("sql", "given", "same"),
    [
        ("age > ?", [20], "age > 20"),
        ("age > ? AND state = ?", (20, "NY"), "age > 20 AND state = 'NY'"),
        ("age > $low", {"low": np.int64(20)}, "age > 20"),
        ("age > $low AND age < $low + 3", {"low": 20}, "age > 20 AND age < 20 + 3"),
        ("age BETWEEN $2 AND $1", [30, 20], "age BETWEEN 20 AND 30"),
        ("age BETWEEN $end AND $select", {"end": 20, "select": 30}, "age BETWEEN 20 AND 30"),
        ("state IN ?", [["NY", "WA"]], "state IN ('NY', 'WA')"),
        ("age IN (?, ?)", [-3, 4], "age IN (-3, 4)"),
        ("os = '?' AND age > ?", [3], "os = '?' AND age > 3"),
        ("os = '$low' AND age > $low", {"low": 3}, "os = '$low' AND age > 3"),
        ("age > /* ? */ ? -- ?", [3], "age > 3"),
        ("os = ? -- ?", ["a' OR 1=1 --"], "os = 'a'' OR 1=1 --'"),
        ("age < 50 -? AND state = 'NY'", [-20], "age < 50 - (-20) AND state = 'NY'"),
        ("age < 50 -? AND state = 'NY'", [Decimal("-2.5")], "age < 50 - (-2.5) AND state = 'NY'"),
        ("age < 50 -$x AND state = 'NY'", {"x": -1e-7}, "age < 50 - (-1e-7) AND state = 'NY'"),
        ("age < 50-?/?", [6, 3], "age < 50-6/3"),
        ("age = ?", [None], "age = NULL"),
        ("(age > 3) = ?", [True], "(age > 3) = TRUE"),
        ("visits > ?::INTEGER AND age > 3", ["7"], "visits > '7'::INTEGER AND age > 3"),
        ("DATE '2024-01-01' < ?", [dt.date(2024, 2, 29)], "DATE '2024-01-01' < DATE '2024-02-29'"),
    ],
)
def test_a_value_in_its_place_is_the_value_written_there(sql: str, given: Any, same: str) -> None:
    assert asked(BEGIN + sql, given) == asked(BEGIN + same)
    assert asked(written_out(BEGIN + sql, read_parameters(BEGIN + sql, given))) == asked(BEGIN + same)


@pytest.mark.parametrize(
    ("sql", "given", "same"),
    [
        ("SELECT COUNT(*) FROM users GROUP BY age % ? LIMIT ?", [5, 2], "SELECT COUNT(*) FROM users GROUP BY age % 5 LIMIT 2"),
        (
            "SELECT ?, COUNT(*) FROM users WHERE age > ? UNION ALL SELECT ?, COUNT(*) FROM users WHERE age < ? ORDER BY 2 LIMIT ?",
            ["old", 30, "young", 10, 1],
            "SELECT 'old', COUNT(*) FROM users WHERE age > 30 UNION ALL SELECT 'young', COUNT(*) FROM users WHERE age < 10 "
            "ORDER BY 2 LIMIT 1",
        ),
        (
            "WITH a AS (SELECT * FROM users WHERE age > ?) SELECT COUNT(*) FROM a WHERE state = ? UNION ALL "
            "SELECT ? * COUNT(*) FROM a",
            [3, "NY", 2],
            "WITH a AS (SELECT * FROM users WHERE age > 3) SELECT COUNT(*) FROM a WHERE state = 'NY' UNION ALL "
            "SELECT 2 * COUNT(*) FROM a",
        ),
    ],
)  # fmt: skip
def test_parameters_stand_in_every_clause(sql: str, given: Any, same: str) -> None:
    assert asked(sql, given) == asked(same)


@pytest.mark.parametrize(
    "moment", [dt.datetime(2024, 2, 28, 13, 30), dt.date(2024, 2, 28), np.datetime64("2024-02-28")]
)
def test_dates_and_units(moment: Any) -> None:
    kind = "TIMESTAMP" if isinstance(moment, dt.datetime) else "DATE"
    text = str(moment)
    sql = "SELECT date_trunc(?, born) AS m, COUNT(*) FROM guests WHERE born >= ? GROUP BY date_trunc(?, born)"
    same = sql.replace("born >= ?", f"born >= {kind} '{text}'").replace("?", "'week'")
    assert asked(sql, ["week", moment, "week"], "travel") == asked(same, plan="travel")


@pytest.mark.parametrize(
    ("where", "given", "says"),
    [
        ("age > ?", [], "There is no value for this parameter.*0 are given"),
        ("age > ?", [1, 2], "2 parameters are given, but the query has 1"),
        ("age > 3", [1], "1 parameters are given, but the query has 0"),
        ("age > ?", {}, "takes its value from a list"),
        ("age > $b", {"a": 1}, "no value for this parameter.*Given are a"),
        ("age > $b", [1], "takes its value from names and values"),
        ("age > $2", [1], "no value for this parameter"),
        ("age > $low", {"low": 1, "high": 2}, r"\$high is not in it"),
        ("age > ? AND age < $1", [1], "Write . everywhere"),
        ("age > ?", "3", "Give a list"),
        ("age > ?", [object()], "cannot be a parameter"),
        ("age > ?", [float("nan")], "cannot be a parameter"),
        ("age > ?", [b"x"], "cannot be a parameter"),
        ("age > ?", [np.datetime64("NaT")], None),
        ("age > ?", [[]], "cannot be a parameter"),
        ("age > ?", [10**70], "too large"),
        ("os = ? AND age > 3", ["x" * 60_000], "more than 50000 characters"),
    ],
)
def test_what_does_not_fit_is_told(where: str, given: Any, says: str | None) -> None:
    if says is None:  # no moment is NULL, as None is
        assert asked(BEGIN + where, given) == asked(BEGIN + where, [None])
        return
    with pytest.raises(UnsupportedQuery, match=f"(?s){says}"):
        asked(BEGIN + where, given)


HOSTILE = ["'", "''", "\\'", "' OR 1=1 --", "/*", "*/", "$x", "?", "$$", '"', ";", "\n--", "\x00", "'' ' ;--", "é'"]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    "sql", ["SELECT 'a'?'b'", "SELECT a-?", "SELECT ? -- ?", "SELECT $q$!?$q$, ?", "SELECT AND?OR"]
)
def test_a_value_stays_one_token(sql: str, value: str) -> None:
    from sqlglot import tokenize

    tokens = tokenize(sql, read="duckdb")
    filled = put_in(tokens, read_parameters(sql, [value]))
    assert len(filled) == len(tokens)
    assert [token.text for token in filled if token.text not in {t.text for t in tokens}] in ([value], [])
    assert sum(token.text == value and token.start == placeholders(sql)[0][0] for token in filled) == 1


def test_a_refusal_points_at_the_parameter() -> None:
    with pytest.raises(UnsupportedQuery) as caught:
        question(
            sql := "SELECT AVG(?) FROM users WHERE age > ?", plan_of("shop"), values=read_parameters(sql, ["x", 3])
        )
    assert caught.value.span is not None
    assert "?" in sql[slice(*caught.value.span)]


# Every door has this binder.

TRAP = "SELECT COUNT(*) AS n FROM users WHERE age < 50 -? AND state = 'NY'"
SAFE = "SELECT COUNT(*) AS n FROM users WHERE age < 50 - (-20) AND state = 'NY'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("parameters") / "reports"
    table = pa.table({"uid": range(400), "age": [20, 60] * 200, "state": ["NY", "WA", "WA", "WA"] * 100})
    rest = {"income": [1000] * 400, "os": ["ios"] * 400, "visits": [1] * 400}
    for name, values in rest.items():
        table = table.append_column(name, [values])
    untold.perturb(
        plan_of("shop"), "users", table.set_column(1, "age", [[20, 40] * 200]), out=out, seed=1, progress=False
    )
    return out


@pytest.fixture
def con(folder: Path) -> Iterator[untold.Connection]:
    with untold.connect(folder) as opened:
        yield opened


def test_a_negative_number_after_a_minus_is_no_comment(con: untold.Connection, folder: Path) -> None:
    truth = con.sql(SAFE).df()["n"][0]
    assert truth != con.sql("SELECT COUNT(*) AS n FROM users").df()["n"][0]
    assert con.sql(TRAP, parameters=[-20]).df()["n"][0] == truth
    assert con.cursor().execute(TRAP, [-20]).fetchone()[0] == truth
    assert con.execute(TRAP, [-20]).fetchone()[0] == truth
    reply = answer(Source(folder, QueryLimits()), "query", {"sql": TRAP, "parameters": [-20], "format": "csv"})
    assert reply.body.decode().splitlines()[1].split(",")[0] == str(truth)
    assert con.explain(TRAP, parameters=[-20]) == con.explain(SAFE)
    assert con.forecast(TRAP, 1000, parameters=[-20]).columns == con.forecast(SAFE, 1000).columns


def test_one_text_with_two_values_has_two_forecasts(con: untold.Connection) -> None:
    """What a note advises is remembered by text and values."""
    sql = "SELECT AVG(age) AS a FROM users WHERE state = ? AND age = ?"
    notes = [con.sql(sql, parameters=given).notes for given in (["NY", 1], ["NY", 20])]
    alone = untold.connect(con.folder.path).sql(sql, parameters=["NY", 20]).notes
    assert notes[1] == alone


def test_information_schema_takes_parameters(con: untold.Connection) -> None:
    sql = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
    assert "amount" in con.sql(sql, parameters=["orders"]).df()["column_name"].tolist()
    assert "amount" not in con.sql(sql, parameters=["users"]).df()["column_name"].tolist()
