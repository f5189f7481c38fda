"""Shares of a whole: the error is that of both totals together, as the same share spelled out by FILTER has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.evidence.routes import FromCounts
from untold.ask.scores import compile
from untold.ask.scores.coefficients import blue
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery

PLAN = untold.Plan.from_dict(
    {
        "name": "town",
        "user_key": "uid",
        "epsilon": 3.0,
        "services": {
            "people": {
                "attributes": {
                    "age": {"kind": "ordinal", "low": 0, "high": 9},
                    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
                    "os": {"kind": "public"},
                }
            }
        },
    }
)


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    people = np.arange(3000)
    table = pa.table(
        {
            "uid": people,
            "age": people * 7 % 10,
            "state": [("NY", "NY", "WA", "CA")[i % 4] for i in people],
            "os": [("ios", "web")[i % 2] for i in people],
        }
    )
    folder: Path = tmp_path_factory.mktemp("town")
    untold.perturb(PLAN, "people", table, out=folder, seed=5)
    return untold.connect(folder, summaries=False)


SAME = [
    (
        "SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM people GROUP BY state HAVING_",
        "SELECT COUNT(*) FILTER (WHERE state = 'NY') / COUNT(*) AS x FROM people",
    ),
    (
        "SELECT state, SUM(age) / SUM(SUM(age)) OVER () AS x FROM people WHERE age > 2 GROUP BY state",
        "SELECT SUM(age) FILTER (WHERE state = 'NY') / SUM(age) AS x FROM people WHERE age > 2",
    ),
    (
        "SELECT state, age > 4 AS old, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY state) AS x FROM people GROUP BY state, old",
        "SELECT COUNT(*) FILTER (WHERE age <= 4) / COUNT(*) AS x FROM people WHERE state = 'NY'",
    ),
    (
        "SELECT state, AVG(age) - (SELECT AVG(age) FROM people) AS x FROM people GROUP BY state",
        "SELECT AVG(age) FILTER (WHERE state = 'NY') - AVG(age) AS x FROM people",
    ),
    (
        "SELECT COUNT(*) / (SELECT COUNT(*) FROM people WHERE os = 'ios') AS x FROM people WHERE os = 'ios' AND state = 'NY'",
        "SELECT COUNT(*) FILTER (WHERE state = 'NY' AND os = 'ios') / COUNT(*) FILTER (WHERE os = 'ios') AS x FROM people",
    ),
]


@pytest.mark.parametrize(("asked", "spelled"), SAME)
def test_a_share_is_what_filter_says_with_the_same_error(con: untold.Connection, asked: str, spelled: str) -> None:
    share = con.sql(asked.replace(" HAVING_", "")).df().iloc[0]
    same = con.sql(spelled).df().iloc[0]
    for column in ("x", "x_se"):
        assert share[column] == pytest.approx(same[column], rel=1e-6)
    assert share["x_se"] > 0


@pytest.mark.parametrize("sql", [asked.replace(" HAVING_", "") for asked, _ in SAME])
def test_counts_of_messages_tell_what_a_scan_does(
    con: untold.Connection, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    """A scan of a plan with many messages takes seconds where counts take hundredths: shares must be read off counts."""
    counted = con.sql(sql).df()
    assert FromCounts().why_not(con._reports.compile(question(sql, con.plan), blue)) is None
    monkeypatch.setattr(compile, "grouped_question", lambda *_: None)
    scanned = con.sql(sql).df()
    assert counted["x"].to_numpy() == pytest.approx(scanned["x"].to_numpy(), rel=1e-6)
    assert counted["x_se"].to_numpy() == pytest.approx(scanned["x_se"].to_numpy(), rel=0.02)


def test_shares_add_up_to_one_and_the_whole_has_no_more_error_than_its_parts(con: untold.Connection) -> None:
    shares = con.sql("SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM people GROUP BY state").df()
    assert shares["x"].sum() == pytest.approx(1.0, abs=1e-9)


def test_rounding_is_of_what_is_shown(con: untold.Connection) -> None:
    whole = con.sql("SELECT AVG(age) AS x FROM people").df().iloc[0]
    shown = con.sql("SELECT ROUND(AVG(age), 1) AS x FROM people").df().iloc[0]
    assert shown["x"] == round(whole["x"], 1)
    assert shown["x_se"] == whole["x_se"]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT state, SUM(COUNT(*)) OVER (PARTITION BY age) AS x FROM people GROUP BY state", "keys of GROUP BY"),
        ("SELECT state, SUM(COUNT(*)) OVER () AS x FROM people GROUP BY state HAVING COUNT(*) > 3", "Beside HAVING"),
        ("SELECT RANK() OVER (ORDER BY age) AS x FROM people", "over single rows"),
        ("SELECT COUNT(*) / (SELECT COUNT(*) FROM people GROUP BY state) AS x FROM people", "only FROM and WHERE"),
    ],
)
def test_what_has_no_answer_is_told(con: untold.Connection, sql: str, says: str) -> None:
    with pytest.raises(UnsupportedQuery, match=says):
        con.sql(sql)


@pytest.mark.parametrize("keys", ["os", "os, state", "epoch"])
def test_public_groups_that_nobody_is_in_have_no_rows(con: untold.Connection, keys: str) -> None:
    sql = f"SELECT {keys}, AVG(age) AS x FROM people WHERE os = 'none' AND epoch > 3 AND age > 2 GROUP BY {keys} ORDER BY x"
    assert con.sql(sql).fetchall() == []
    with untold.connect(con.folder.path) as keeping:  # summaries that are empty are written, and read again
        assert [keeping.sql(sql).fetchall() for _ in range(2)] == [[], []]


def test_plausible_shares_add_up_to_one(con: untold.Connection) -> None:
    sql = "SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM people WHERE age > 2 GROUP BY state"
    found = con.sql(sql, plausible=True).df()
    assert found.x_best.sum() == pytest.approx(1.0, abs=1e-6)
    assert ((found.x_low >= 0) & (found.x_high <= 1)).all()
