"""An answer that is only noise says so: "unknown", and how many people would change that."""

from __future__ import annotations

import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.answers.text import as_text
from untold.ask.dashboard.improved import fewer_people
from untold.ask.estimates.possible import possible
from untold.ask.estimates.unknown import people_for
from untold.ask.question.model import Quantile
from untold.ask.sql.question import question
from untold.serve.queries.formats import to_json

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 99},
    "income": {"kind": "ordinal", "low": 0, "high": 1000, "bins": 20},
    "state": {"kind": "categorical", "values": ["NY", "WA"]},
    "os": {"kind": "public"},
}
PLAN = untold.Plan.from_dict(
    {"name": "p", "user_key": "uid", "epsilon": 0.5, "services": {"people": {"attributes": ATTRIBUTES}}}
)


def folder(path: Path, people: int) -> Path:
    rng = np.random.default_rng(people)
    columns = {
        "uid": np.arange(people),
        "age": rng.integers(0, 100, people),
        "income": rng.integers(0, 1000, people),
        "state": rng.choice(["NY", "WA"], people),
        "os": rng.choice(["ios", "web"], people),
    }
    untold.perturb(PLAN, "people", pa.table(columns), out=path, seed=1)
    return path


@pytest.mark.parametrize(
    ("what", "ends"),
    [
        ("COUNT(*)", (0.0, 50.0)),
        ("COUNT(*) FILTER (WHERE age < 9)", (0.0, 50.0)),
        ("SUM(age)", (0.0, 50.0 * 99)),
        ("AVG(age)", (0.0, 99.0)),
        ("AVG(income)", (0.0, 1000.0)),
        ("100.0 * COUNT(*) FILTER (WHERE age < 9) / COUNT(*)", (0.0, 100.0)),
        ("1 - COUNT(*) FILTER (WHERE age < 9) / COUNT(*)", (0.0, 1.0)),
        ("COUNT(*) FILTER (WHERE age < 9) / COUNT(*) FILTER (WHERE age > 50)", (0.0, inf)),
        ("COUNT(*) FILTER (WHERE os = 'web') / COUNT(*)", (0.0, 1.0)),
        ("SUM(age) FILTER (WHERE os = 'web')", (0.0, 50.0 * 99)),
        ("SUM(age) FILTER (WHERE os = 'web') / COUNT(*)", (0.0, 99.0)),
        ("SUM(age - 2 * income)", (-50.0 * 2000, 50.0 * 99)),
        ("AVG(age - 2 * income)", (-2000.0, 99.0)),
        ("AVG(age) FILTER (WHERE age < 9 OR state = 'NY')", (0.0, 99.0)),
        ("AVG(age) FILTER (WHERE age BETWEEN 20 AND 30 OR (age = 50 AND state = 'NY'))", (20.0, 50.0)),
        ("(SUM(age) + SUM(income)) / COUNT(*)", (0.0, 1099.0)),
        ("AVG(age) - AVG(income)", (-1000.0, 99.0)),
        ("VAR_POP(age)", (0.0, 99.0**2 / 4)),
        ("STDDEV_POP(age)", (0.0, 99.0 / 2)),
        ("STDDEV(age)", (0.0, 99.0 / 2**0.5)),
        ("VAR_POP(age) FILTER (WHERE age BETWEEN 20 AND 30 AND state = 'NY')", (0.0, 25.0)),
        ("LN(COUNT(*))", (-inf, np.log(50))),
        ("MEDIAN(age)", (-inf, inf)),
    ],
)
def test_what_is_possible(what: str, ends: tuple[float, float]) -> None:
    asked = question(f"SELECT {what} AS x FROM people", PLAN)
    (output,) = asked.outputs
    assert possible(output.formula, asked, 50.0) == pytest.approx(ends)  # type: ignore[union-attr]


def test_averages_within_a_range_lie_within_it() -> None:
    asked = question("SELECT AVG(age) AS x FROM people WHERE age BETWEEN 20 AND 30 AND state = 'NY'", PLAN)
    (output,) = asked.outputs
    assert not isinstance(output.formula, Quantile)  # type: ignore[union-attr]
    assert possible(output.formula, asked, 50.0) == (20.0, 30.0)  # type: ignore[union-attr]


SQL = "SELECT state, AVG(income) AS income, COUNT(*) AS n FROM people WHERE age < 30 GROUP BY state"


def test_tables_and_page_say_unknown_and_how_many_people_would_tell(tmp_path: Path) -> None:
    with untold.connect(folder(tmp_path / "few", 300)) as con:
        answer = con.sql(SQL)
        text, page = as_text(answer.result), to_json(answer, 10).body.decode()
        table: Any = answer.df()
    spans = (table.income_low <= 0) & (table.income_high >= 1000)
    assert spans.all()
    assert text.count("unknown") >= 2
    assert page.count('"text":"unknown"') + page.count('"text": "unknown"') >= 2
    assert "income is unknown in 2 of 2 rows: the interval spans everything that is possible." in text
    needed = [int(each.replace(",", "")) for each in re.findall(r"About ([\d,]+) people would begin to tell", text)]
    assert needed
    assert all(each >= 300 for each in needed)
    assert table.income.notna().all()  # programs still get the numbers


def test_an_unknown_answer_says_where_a_plan_made_for_it_would_help(tmp_path: Path) -> None:
    """Fewer people, by the forecasts of both plans; where a plan for it gains little, nothing is said."""
    sql = "SELECT COUNT(*) AS n FROM people WHERE age < 30 AND income < 250"
    with untold.connect(folder(tmp_path / "few", 300)) as con:
        (note,) = (each for each in con.sql(sql).notes if "n is unknown" in each)
        values = con.sql(sql.replace("30", "?"), parameters=[30]).notes
        every = "SELECT state, AVG(income) AS income FROM people WHERE age = 30 GROUP BY state"
        known = fewer_people(con.plan, every, 300)
    now, then = (int(each.replace(",", "")) for each in re.findall(r"about ([\d,]+) (?:people )?would", note, re.I))
    assert note in values
    assert now / then == pytest.approx(fewer_people(PLAN, sql, 300)[0], rel=0.1)
    assert now / then >= 1.5
    assert fewer_people(PLAN, "SELECT COUNT(*) FROM people WHERE agee < 3", 300) == ()
    assert len(known) == 1


def test_a_question_is_forecast_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns are unknown, and the question is asked three times."""
    from untold.ask.forecast import forecast

    asked, real = [], forecast.forecast_question

    def noted(*given: Any) -> forecast.Forecast:
        asked.append(given)
        return real(*given)

    monkeypatch.setattr(forecast, "forecast_question", noted)
    with untold.connect(folder(tmp_path / "few", 300)) as con:
        told = [con.sql(SQL.replace("COUNT(*)", "AVG(age)")).result.notes for _ in range(3)]
    assert sum("is unknown" in note for note in told[0]) == 2
    assert told[1] == told[2] == told[0]
    assert len(asked) <= 3  # by this plan, by this plan and by one made for it


def test_enough_people_tell(tmp_path: Path) -> None:
    with untold.connect(folder(tmp_path / "many", 60_000)) as con:
        answer = con.sql("SELECT AVG(age) AS age, COUNT(*) FILTER (WHERE age < 30) AS n FROM people")
        assert "unknown" not in as_text(answer.result)


def test_people_for_an_interval_that_tells() -> None:
    """Four times as wide as all that is possible, eight times as half of it: 64 times the people; the wider of what is there and
    what is forecast. An interval as wide as all that is possible needs four times the people that there are, not as many."""
    assert people_for(100, 4.0, 0.1, 2.0, (0.0, 1.0)) == 6400
    assert people_for(100, inf, 0.5, 2.0, (0.0, 1.0)) == 1600
    assert people_for(100, 1.0, 0.1, 2.0, (0.0, 1.0)) == 400
    assert people_for(100, inf, inf, 2.0, (0.0, 1.0)) is None
    assert people_for(100, 4.0, 0.1, 2.0, (-inf, inf)) is None


def test_advice_is_given_over_registered_tables(tmp_path: Path) -> None:
    """What was read once is forecast: the text alone does not know the table."""
    with untold.connect(folder(tmp_path / "few", 300)) as con:
        con.register("regions", pa.table({"state": ["NY", "WA"], "coast": ["east", "west"]}), key="state")
        notes = con.sql(
            "SELECT coast, AVG(income) AS income FROM people JOIN regions USING (state) WHERE age < 30 GROUP BY coast"
        ).notes
    assert any("income is unknown" in note and "people would begin to tell" in note for note in notes)
