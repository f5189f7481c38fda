"""A best guess and its typical error, wherever an answer is shown: beside the guaranteed interval, and never in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.answers.plots.rows import chart_rows
from untold.serve.mcp.sentences import answer_in_words
from untold.serve.queries.formats import to_json
from untold.serve.statements.replies import Session
from untold.serve.statements.statement import statement

N = 20_000
ONE = "SELECT COUNT(*) AS n FROM s WHERE age BETWEEN 4 AND 11 AND side = 'l'"
GROUPS = "SELECT age, COUNT(*) AS n FROM s WHERE side = 'r' GROUP BY age"


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[untold.Connection]:
    rng, place = np.random.default_rng(4), tmp_path_factory.mktemp("best")
    age = np.clip(rng.normal(10, 4, N), 0, 23).astype(np.int64)
    table = pa.table({"uid": np.arange(N), "age": age, "side": np.where(rng.random(N) < 0.02 * age, "l", "r")})
    attributes = {
        "age": {"kind": "ordinal", "low": 0, "high": 23},
        "side": {"kind": "categorical", "values": ["l", "r"]},
    }
    services = {"s": {"attributes": attributes}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": services})
    untold.perturb(plan, "s", table, out=place / "r", seed=3, progress=False)
    with untold.connect(place / "r") as con:
        yield con


def test_two_columns_stand_beside_the_unbiased_ones(con: untold.Connection) -> None:
    plain, best = con.sql(GROUPS).df(), con.sql(GROUPS, plausible=True).df()
    assert list(best.columns) == ["age", "n", "n_se", "n_low", "n_high", "n_best", "n_typical"]
    assert best[["n", "n_se"]].equals(plain[["n", "n_se"]])
    assert (best.n_typical < best.n_se).all()
    assert (best.n_best >= 0).all()


def test_the_same_question_has_the_same_digits(con: untold.Connection) -> None:
    first = con.sql(GROUPS, plausible=True).fetchall()
    with untold.connect(con.folder.path) as other:
        assert other.sql(GROUPS, plausible=True).fetchall() == first


def test_text_says_which_is_which(con: untold.Connection) -> None:
    answer = con.sql(ONE, plausible=True)
    row, shown = answer.df().iloc[0], repr(answer)
    assert "best guess ~ its typical error (guaranteed 95% interval)" in shown
    assert " ~ " in shown
    assert "±" not in shown
    assert "no promise" in shown
    found = answer.scalar()
    assert (found.best, found.typical, found.value) == (row.n_best, row.n_typical, row.n)
    assert str(found).endswith("guaranteed to 95%")


def test_a_page_and_an_agent_are_told_both(con: untold.Connection) -> None:
    answer = con.sql(ONE, plausible=True)
    told = json.loads(to_json(answer, 10).body)
    cell, row = told["rows"][0][0], answer.df().iloc[0]
    assert (cell["best"], cell["typical"], cell["low"]) == (row.n_best, row.n_typical, row.n_low)
    words = answer_in_words(told)
    assert "best guess" in words
    assert "which is no promise; guaranteed with 95% confidence: between" in words
    plain = json.loads(to_json(con.sql(ONE), 10).body)["rows"][0][0]
    assert "best" not in plain


def test_a_chart_has_a_thick_bar_inside_of_a_thin_one(con: untold.Connection) -> None:
    result = con.sql(GROUPS, plausible=True).result
    rows = chart_rows(result, result.estimates[0])
    best = con.sql(GROUPS, plausible=True).df()
    assert [row["value"] for row in rows] == best.n_best.tolist()
    assert [row["far"] - row["value"] for row in rows] == pytest.approx(best.n_typical.tolist())
    drawn = json.dumps(con.sql(GROUPS, plausible=True).plot(kind="points").to_dict())
    assert "typical error (thick), guaranteed 95% interval (thin)" in drawn
    assert '"far"' in drawn
    assert '"far"' not in json.dumps(con.sql(GROUPS).plot(kind="points").to_dict())


def test_bi_tools_set_a_variable(con: untold.Connection) -> None:
    told = statement(con, ONE, Session(database="p", variables={"untold_best_guess": "ON"}))
    assert [column[0] for column in told["columns"]] == ["n", "n_low", "n_high", "n_best", "n_typical"]


def test_cursors_have_an_option(con: untold.Connection) -> None:
    from untold import dbapi

    with dbapi.connect(str(con.folder.path), plausible=True) as opened:
        cursor = opened.cursor().execute(ONE)
        assert [each[0] for each in cursor.description] == ["n", "n_se", "n_low", "n_high", "n_best", "n_typical"]


def test_having_and_order_go_by_the_best_guess(con: untold.Connection) -> None:
    every = con.sql(GROUPS, plausible=True).df()
    middle = float(every.n_best.median())
    rows = con.sql(f"{GROUPS} HAVING COUNT(*) > {middle} ORDER BY n DESC", plausible=True).df()
    assert rows.n_best.is_monotonic_decreasing
    assert set(rows.age) == set(every.age[every.n_best > middle])
    both = con.sql(f"{GROUPS} UNION ALL {ONE.replace('SELECT ', 'SELECT 99, ')} ORDER BY n", plausible=True).df()
    assert both.n_best.is_monotonic_increasing


def test_what_is_exactly_known_among_estimates_has_no_typical_error(con: untold.Connection) -> None:
    parts = (f"SELECT {what} AS n, COUNT(*) AS m FROM s WHERE age < 9" for what in ("COUNT(*)", "7"))
    rows = con.sql(" UNION ALL ".join(parts), plausible=True).df()
    assert rows.iloc[1].tolist()[:6] == [7, 0, 7, 7, 7, 0]


def test_quantiles_have_a_best_guess(con: untold.Connection) -> None:
    """The true medians, rounded down, are 9 on the right and 11 on the left."""
    sql = "SELECT side, MEDIAN(age) AS m FROM s GROUP BY side"
    plain, best = con.sql(sql).df(), con.sql(sql, plausible=True).df()
    assert best[["m", "m_se"]].equals(plain[["m", "m_se"]])
    assert (best.m_typical < best.m_se).all()
    assert best.m_best.between(8, 12).all()
    assert best.m_best[0] >= best.m_best[1]


def test_formulas_over_quantiles_have_none_and_are_shown_as_they_are(con: untold.Connection) -> None:
    answer = con.sql("SELECT 2 * MEDIAN(age) AS m FROM s", plausible=True)
    assert np.isnan(answer.df().m_best[0])
    assert "undefined" not in repr(answer).splitlines()[2]


def test_a_name_that_is_taken_is_refused(con: untold.Connection, tmp_path: Path) -> None:
    with pytest.raises(untold.UnsupportedQuery, match="x_best and x_typical"):
        con.sql("SELECT COUNT(*) AS n, SUM(age) AS n_best FROM s", plausible=True).fetchall()


def test_where_people_stand_for_others_no_more_is_said_than_the_unbiased_error(con: untold.Connection) -> None:
    row = con.sql(ONE, plausible=True, sample=True).df().iloc[0]
    assert row.n_typical == pytest.approx(row.n_se, rel=0.05)
    assert con.sql(ONE, plausible=True).df().iloc[0].n_typical < 0.8 * row.n_typical
