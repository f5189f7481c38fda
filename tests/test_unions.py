"""UNION ALL through a connection: rows below each other with their errors, types that fit, notes, forecasts, doors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import untold
from helpers.raw_tables import plan_of, tables
from untold.ask.sql import question as asking
from untold.ask.sql.parse import parse
from untold.errors import UnsupportedQuery

YOUNG = "SELECT 'young' AS who, COUNT(*) AS n FROM users WHERE age < 20"
NEW_YORK = "SELECT state, COUNT(*) FROM users WHERE state = 'NY' GROUP BY state"


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("unions") / "reports"
    untold.perturb(plan_of("shop"), "users", tables("shop")["users"], out=out, seed=3)
    with untold.connect(out, summaries=False) as opened:
        yield opened


def test_rows_of_all_parts_come_with_their_errors_under_the_names_of_the_first(con: untold.Connection) -> None:
    parts = [con.sql(sql).arrow() for sql in (YOUNG, NEW_YORK)]
    both = con.sql(f"{YOUNG} UNION ALL {NEW_YORK}").arrow()
    assert both.column_names == ["who", "n", "n_se", "n_low", "n_high"]
    assert [tuple(row.values()) for row in both.to_pylist()] == [
        tuple(row.values()) for part in parts for row in part.to_pylist()
    ]


def test_order_and_limit_are_of_the_whole_and_may_name_bounds(con: untold.Connection) -> None:
    whole = f"{YOUNG} UNION ALL SELECT state, COUNT(*) FROM users GROUP BY state"
    every = con.sql(whole, simultaneous=True).arrow().to_pylist()
    found = con.sql(
        f"{YOUNG} UNION ALL SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY LOW(n) DESC LIMIT 2 OFFSET 1"
    )
    assert found.arrow().to_pylist() == sorted(every, key=lambda row: -row["n_low"])[1:3]
    assert any("Estimates decide which rows are shown." in note for note in found.notes)


def test_what_is_exact_among_estimates_has_no_error_and_null_has_no_value(con: untold.Connection) -> None:
    found = con.sql("SELECT AVG(age) AS x, COUNT(*) AS n FROM users UNION ALL SELECT 7, COUNT(*) FROM users").arrow()
    assert [found.column(name)[1].as_py() for name in ("x", "x_se", "x_low", "x_high")] == [7, 0, 7, 7]
    nothing = con.sql("SELECT AVG(age) AS x, COUNT(*) AS n FROM users UNION ALL SELECT NULL, COUNT(*) FROM users")
    assert all(value != value for value in nothing.fetchall()[1][:4])


def test_a_type_that_is_seen_only_in_public_values_is_checked_there(con: untold.Connection) -> None:
    with pytest.raises(UnsupportedQuery, match="column 'os' is a text in one SELECT, and a number in another"):
        con.sql("SELECT os, COUNT(*) FROM users GROUP BY os UNION ALL SELECT 5, COUNT(*) FROM users").arrow()


def test_integers_and_numbers_become_numbers_and_null_takes_any_type(con: untold.Connection) -> None:
    mixed = con.sql("SELECT 1 AS k, COUNT(*) FROM users UNION ALL SELECT 2.5, COUNT(*) FROM users").arrow()
    assert mixed.column("k").to_pylist() == [1.0, 2.5]
    text = con.sql("SELECT NULL AS k, COUNT(*) FROM users UNION ALL SELECT 'x', COUNT(*) FROM users").arrow()
    assert text.schema.field("k").type == pa.string()


def test_notes_say_which_part_they_are_of(con: untold.Connection) -> None:
    notes = con.sql(f"{YOUNG} UNION ALL SELECT 'all', LN(COUNT(*)) FROM users WHERE age > 3").notes
    assert sum("were made with a seed" in note for note in notes) == 1
    assert any(note.startswith("SELECT number 2: Not unbiased") for note in notes)


def test_a_part_is_refused_at_its_place_in_the_whole_text(con: untold.Connection) -> None:
    sql = f"{YOUNG} UNION ALL SELECT 'x', COUNT(*) FROM users WHERE agee > 3"
    with pytest.raises(UnsupportedQuery) as refused:
        con.sql(sql)
    start, end = refused.value.span or (0, 0)
    assert sql[start:end] == "agee"


def test_every_select_is_read_once(con: untold.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(sql: str, *more: Any) -> Any:
        read.append(sql.strip())
        return parse(sql, *more)

    monkeypatch.setattr(asking, "parse", noted)
    sql = f"{YOUNG} UNION ALL {NEW_YORK}"
    for ask in (con.sql, con.explain, con.forecast, lambda text: con.plan.forecast(text, users=1e6)):
        read.clear()
        ask(sql)
        assert read == [YOUNG, NEW_YORK]
    read.clear()
    con.plan.forecast(sql, error=0.01)
    assert read == [YOUNG, NEW_YORK]


def test_forecasts_and_explanations_speak_of_every_part(con: untold.Connection) -> None:
    sql = f"{YOUNG} UNION ALL SELECT 'old', COUNT(*) FROM users WHERE age > 30"
    names = [column.name for column in con.plan.forecast(sql, users=10_000).columns]
    assert names == ["n of SELECT number 1", "n of SELECT number 2"]
    alone = con.plan.forecast(YOUNG, error=0.01).users
    assert con.plan.forecast(sql, error=0.01).users >= alone
    assert len(con.forecast(sql, users=10_000).columns) == 2
    assert con.explain(sql).count("SELECT number") == 2


def test_a_lie_moves_each_part_as_it_does_alone(con: untold.Connection) -> None:
    moved = con.sql(f"{YOUNG} UNION ALL {NEW_YORK}").poisoned(0.01).to_pylist()
    assert [row["n_moved"] for row in moved] == [
        con.sql(YOUNG).poisoned(0.01).to_pylist()[0]["n_moved"],
        con.sql(NEW_YORK).poisoned(0.01).to_pylist()[0]["count_star()_moved"],
    ]


def test_many_parts_are_refused() -> None:
    with pytest.raises(UnsupportedQuery, match="more than 32 SELECTs"):
        plan_of("shop").forecast(" UNION ALL ".join([YOUNG] * 33), users=10)


def test_an_answer_of_parts_is_shown_and_written(con: untold.Connection, tmp_path: Path) -> None:
    found = con.sql(f"{YOUNG} UNION ALL {NEW_YORK}")
    assert "young" in repr(found)
    assert " to " in found._repr_html_()
    found.to_parquet(tmp_path / "both.parquet")
    assert len(found.df()) == 2
