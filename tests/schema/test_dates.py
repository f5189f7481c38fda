"""Kinds `date` and `timestamp`: declared in steps of the calendar, read from every library, shown as DATE and TIMESTAMP.

The statistical check has a fixed seed; a true claim fails once in 10^6 runs over fresh ones (5 standard errors).
"""

from __future__ import annotations

import operator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untold
from untold.ask.sql.question import question
from untold.errors import BadRecord, PlanError, UnsupportedQuery
from untold.plan import Plan
from untold.plan.in_words.plan import plan_in_words
from untold.plan.schema.kinds.calendar import STEPS

PLAN = """
name = "p"
user_key = "uid"
epsilon = 8
design = "mg"
[services.s.attributes]
day  = { kind = "date", low = 2026-01-01, high = 2026-03-31 }
week = { kind = "date", low = 2026-01-01, high = 2026-03-31, step = "week" }
hour = { kind = "timestamp", low = 2026-01-01, high = 2026-01-02, missing = true }
"""
COMPARE = {"<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt}
NOON = datetime(2026, 1, 1, 12, 30, 5)


def plan_of(tmp_path: Path) -> Plan:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return Plan.load(tmp_path / "plan.toml")


def declared(**given: Any) -> Plan:
    services = {"s": {"attributes": {"x": given}}}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1, "services": services})


@pytest.mark.parametrize("word", STEPS)
def test_steps_are_those_of_duckdb(word: str) -> None:
    """date_trunc over times of all years, and a loop over them as array operations."""
    seconds = np.random.default_rng(1).integers(-62_135_596_800, 253_402_300_799, 3000)
    moments, step = seconds.astype("datetime64[s]"), STEPS[word]
    each = [moment.item() for moment in moments]
    numbers = [step.number(moment) for moment in each]
    assert step.numbers(moments).tolist() == numbers
    assert step.numbers((seconds * 1_000_000 + 999_999).astype("datetime64[us]")).tolist() == numbers
    with duckdb.connect() as con:
        con.register("t", pa.table({"t": each}))
        begun = con.execute(f"SELECT date_trunc('{word}', t)::TIMESTAMP FROM t").fetchall()
    assert [step.begin(number) for number in numbers] == [row[0] for row in begun]


def test_a_plan_keeps_whole_steps(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert Plan.from_json(plan.to_json()) == plan
    day, week, hour = plan.service("s").sensitive
    assert (day.size, week.size, hour.size) == (90, 14, 49)
    assert week.value(0) == date(2025, 12, 29)  # the Monday before
    assert [hour.value(0), hour.value(47), hour.value(48)] == [datetime(2026, 1, 1), datetime(2026, 1, 2, 23), None]
    words = plan_in_words(plan)
    assert "days 2026-01-01..2026-03-31" in words
    assert "weeks 2025-12-29..2026-03-30" in words
    assert "hours 2026-01-01 00:00:00..2026-01-02 23:00:00, or missing" in words
    low, high = "2026-01-01", "2026-12-31"
    assert declared(kind="date", low=low, high=high).id == declared(kind="date", low=date(2026, 1, 1), high=high).id


@pytest.mark.parametrize("sign", ["<", "<=", "=", ">=", ">"])
@pytest.mark.parametrize(
    "literal", ["2025-12-29", "2026-01-01", "2026-01-04 23:59:59", "2026-01-05", "2026-03-30", "2026-04-06"]
)
def test_a_literal_inside_a_step_keeps_the_days_that_meet_it(tmp_path: Path, literal: str, sign: str) -> None:
    """The point is the share of a week's days. Where that is no whole week, what lies wholly inside and all that is touched are
    asked for, too. The beginning of a week stands for the week: answers name it so."""
    plan = plan_of(tmp_path)
    week, moment = plan.service("s").attribute("week"), datetime.fromisoformat(literal)
    begins = [datetime.combine(week.value(code), datetime.min.time()) for code in range(week.size)]
    meets = COMPARE[sign]
    shares = np.array([np.mean([meets(begin + timedelta(days=d), moment) for d in range(7)]) for begin in begins])
    if sign == "=" and moment in begins:
        shares = np.array([begin == moment for begin in begins], dtype=float)
    asked = question(f"SELECT COUNT(*) FROM s WHERE week {sign} TIMESTAMP '{literal}'", plan).totals
    kept = [
        sum((np.prod([f.values for f in term.factors], axis=0) for term in total.terms), np.zeros(week.size))
        for total in asked
    ]
    whole = not ((shares > 0) & (shares < 1)).any()
    expected = [shares] if whole else [shares, shares == 1, shares > 0]
    np.testing.assert_allclose(kept, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"low": "soon", "high": "2026-01-01"}, 'x.low: "soon" is a string, not a date. Write it like 2026-01-31.'),
        ({"low": 2020, "high": "2026-01-01"}, "x.low: 2020 is an integer, not a date"),
        ({"high": "2026-01-01"}, "x.low: missing. Write the first one, such as 2026-01-31."),
        (
            {"low": "2026-01-01", "high": "2025-01-01"},
            "x.low: 2026-01-01 is not a day before that of high = 2025-01-01",
        ),
        ({"low": "2026-01-01", "high": "2026-01-31", "step": "month"}, "is not a month before that of high"),
        ({"low": "2026-01-01", "high": "2026-12-31", "step": "hour"}, 'x.step: "hour" is not a known step'),
        ({"low": "0001-01-01", "high": "9999-01-01"}, "x.step: 3651695 days, more than 1048576. Use a wider step"),
        ({"low": "2026-01-01", "high": "2026-12-31", "stp": "day"}, "x.stp: unknown key. Did you mean 'step'?"),
    ],
)
def test_mistakes(given: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError) as refused:
        declared(kind="date", **given)
    assert said in str(refused.value)


SAME_DAY: list[Any] = [
    date(2026, 1, 1),
    NOON,
    NOON.replace(tzinfo=UTC),
    datetime(2026, 1, 2, 0, 30, tzinfo=timezone(timedelta(hours=1))),
    np.datetime64("2026-01-01"),
    np.datetime64("2026-01-01T23:59:59.999999999"),
    pd.Timestamp("2026-01-01 07:00", tz="Europe/Berlin"),
    "2026-01-01",
    "2026-01-01T23:59:59Z",
]


@pytest.mark.parametrize("value", SAME_DAY, ids=str)
def test_devices_take_days_of_any_library(tmp_path: Path, value: Any) -> None:
    day, week, hour = plan_of(tmp_path).service("s").sensitive
    assert day.position(value) == (0, 0.0)
    assert week.position(value) == (0, 0.0)
    assert 0 <= hour.position(value)[0] < 24


@pytest.mark.parametrize("value", [date(2025, 12, 31), "2026-04-01", "1.1.2026", 20260101, None, pd.NaT, True, 0.5])
def test_devices_refuse_other_days(tmp_path: Path, value: Any) -> None:
    with pytest.raises(BadRecord, match=r"allowed are days 2026-01-01\.\.2026-03-31"):
        plan_of(tmp_path).service("s").sensitive[0].position(value)


DAYS = [date(2026, 1, 1) + timedelta(days=i) for i in range(90)]
TIMES: list[Any] = [None if i % 7 == 0 else datetime(2026, 1, 1) + timedelta(minutes=31 * i) for i in range(90)]
COLUMNS: dict[str, Any] = {
    "arrow": {"day": pa.array(DAYS), "week": pa.array(DAYS, pa.date64()), "hour": pa.array(TIMES)},
    "zones": {
        "day": pa.array(DAYS).cast(pa.timestamp("s")),
        "week": pa.array(DAYS).cast(pa.timestamp("ns", tz="UTC")),
        "hour": pa.array(TIMES, pa.timestamp("ms", tz="Europe/Berlin")),
    },
    "texts": {
        "day": [d.isoformat() for d in DAYS],
        "week": pa.array([str(d) for d in DAYS]).dictionary_encode(),
        "hour": [None if t is None else str(t) for t in TIMES],
    },
    "pandas": pd.DataFrame({"day": pd.to_datetime(DAYS), "week": DAYS, "hour": pd.to_datetime(pd.Series(TIMES))}),
    "polars": pl.DataFrame({"day": DAYS, "week": DAYS, "hour": TIMES}),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_of_any_library_say_the_same(tmp_path: Path, name: str) -> None:
    plan, given = plan_of(tmp_path), COLUMNS[name]
    table = pa.table(given) if isinstance(given, dict) else given
    table = table.append_column("uid", pa.array(range(90))) if isinstance(table, pa.Table) else table
    table = table.assign(uid=range(90)) if name == "pandas" else table
    table = table.with_columns(uid=pl.Series(range(90))) if name == "polars" else table
    first = pa.table({"uid": range(90), **COLUMNS["arrow"]})
    ours, theirs = (untold.perturb(plan, "s", each, seed=3).table["message"].to_pylist() for each in (table, first))
    assert ours == theirs


def test_bad_rows_are_named(tmp_path: Path) -> None:
    plan = declared(kind="date", low="2026-01-01", high="2026-03-31")
    for bad, said in ((date(2027, 1, 1), "'2027-01-01'"), (None, "a missing value")):
        with pytest.raises(BadRecord, match=f"row 1, column 'x': {said} is not allowed"):
            untold.perturb(plan, "s", pa.table({"uid": [1, 2], "x": pa.array([DAYS[0], bad], pa.date32())}), seed=1)
    with pytest.raises(BadRecord, match=r"row 1, column 'x': '1\.1\.26' is not allowed"):
        untold.perturb(plan, "s", pa.table({"uid": [1, 2], "x": ["2026-01-01", "1.1.26"]}), seed=1)
    with pytest.raises(BadRecord, match="give a column of dates, of timestamps, or of texts like 2026-01-31"):
        untold.perturb(plan, "s", pa.table({"uid": [1], "x": [20260101]}), seed=1)


def test_answers(tmp_path: Path) -> None:
    people = 40_000
    days = np.sqrt(np.arange(people) * 7919 % 8100).astype(int)
    plan = declared(kind="date", low="2026-01-01", high="2026-03-31", step="day")
    table = pa.table({"uid": np.arange(people), "x": [DAYS[d] for d in days]})
    untold.perturb(plan, "s", table, out=tmp_path / "r", seed=7)
    truths = {
        "x < '2026-02-01'": days < 31,
        "x BETWEEN '2026-01-31' AND '2026-02-28'": (days >= 30) & (days < 59),
        "x >= '2026-03-01' OR x = '2026-01-20'": (days >= 59) | (days == 19),
        "x > '2030-01-01'": days > 999,
    }
    with untold.connect(tmp_path / "r") as con:
        for where, truth in truths.items():
            n = con.sql(f"SELECT COUNT(*) FROM s WHERE {where}").scalar()
            assert abs(n.value - truth.sum()) <= 5 * n.se, where
        groups = con.sql("SELECT x, COUNT(*) AS n FROM s GROUP BY x ORDER BY x DESC")
        assert groups.arrow().schema.field("x").type == pa.date32()
        assert groups.arrow()["x"].to_pylist() == DAYS[::-1]
        assert groups.df()["x"].dtype.kind == "M"
        with pytest.raises(UnsupportedQuery, match="'x' is date in service 's'; AVG needs an ordinal attribute"):
            con.sql("SELECT AVG(x) FROM s")
    (column,) = plan.forecast("SELECT COUNT(*) AS n FROM s WHERE x < '2026-01-10'", users=9000).columns
    assert column.value == pytest.approx(900)


def test_times_are_timestamps(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    untold.perturb(plan, "s", pa.table({"uid": range(90), **COLUMNS["arrow"]}), out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con:
        found = con.sql("SELECT hour, COUNT(*) AS n FROM s GROUP BY hour")
        assert found.arrow().schema.field("hour").type == pa.timestamp("us")
        assert found.arrow()["hour"].to_pylist() == [
            *(datetime(2026, 1, 1) + timedelta(hours=h) for h in range(48)),
            None,
        ]
        cut = con.sql("SELECT COUNT(*) AS n FROM s WHERE hour < TIMESTAMP '2026-01-01 12:30:00'")
        assert "hour is kept by hour, and this cuts some of its hours" in " ".join(cut.notes)
