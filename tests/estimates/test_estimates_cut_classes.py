"""Conditions and keys that cut a class of numbers or a step of the calendar: what is shown, what is certain, what is refused."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import untold
from untold.ask.question.formulas import cut_totals, formulas_of
from untold.ask.sql.question import question

RATE = {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 10, 12, 15, 20]}
AGE = {"kind": "ordinal", "low": 0, "high": 99, "cuts": [18, 35, 65], "digits": 0}
YEAR = {"kind": "date", "low": "2017-01-01", "high": "2017-12-31"}


def plan_of(**attributes: dict[str, Any]) -> untold.Plan:
    declared = {"attributes": attributes}
    return untold.Plan.from_dict({"name": "loans", "user_key": "uid", "epsilon": 2.0, "services": {"loans": declared}})


PLAN = plan_of(rate=RATE, age=AGE, issued={**YEAR, "step": "month"}, paid={**YEAR, "step": "week"})


def loans(n: int) -> pd.DataFrame:
    """Rates that crowd at the lower end of their classes, dates at the end of their months: nothing is even."""
    rng = np.random.default_rng(3)
    days = rng.choice([9, 12, 13, 14, 27, 28, 29, 30], n) + 28 * rng.integers(0, 12, n)
    paid = [date(2017, 1, 1) + timedelta(days=int(d)) for d in days]
    return pd.DataFrame(
        {
            "uid": [f"u{i}" for i in range(n)],
            "rate": rng.choice([5.5, 8.1, 10.2, 10.4, 12.9, 16.0, 30.0], n),
            "age": rng.integers(0, 100, n),
            "issued": paid,
            "paid": paid,
        }
    )


N = 20_000
LOANS = loans(N)


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    out = Path(tmp_path_factory.mktemp("cut")) / "reports"
    untold.perturb(PLAN, "loans", LOANS, out=out, seed=5)
    return untold.connect(out)


CUT = {  # a condition, and how many people it takes
    "rate < 11": LOANS.rate < 11,
    "rate > 10.3": LOANS.rate > 10.3,
    "rate BETWEEN 9 AND 13": LOANS.rate.between(9, 13),
    "rate = 10.2": LOANS.rate == 10.2,
    "NOT rate < 11": LOANS.rate >= 11,
    "rate >= 9 AND age < 18 AND rate < 11": LOANS.rate.between(9, 10.99) & (LOANS.age < 18),
    "rate < 11 OR age < 18": (LOANS.rate < 11) | (LOANS.age < 18),
    "age <= 40": LOANS.age <= 40,
    "age > 17.5 AND age < 20.5": LOANS.age.between(18, 20),
    "issued >= '2017-07-15'": LOANS.issued >= date(2017, 7, 15),
    "issued = '2017-07-15'": LOANS.issued == date(2017, 7, 15),
    "issued BETWEEN '2017-02-20' AND '2017-05-05'": LOANS.issued.between(date(2017, 2, 20), date(2017, 5, 5)),
    "MONTH(paid) = 4": LOANS.paid.between(date(2017, 4, 1), date(2017, 4, 30)),
}


@pytest.mark.parametrize("condition", CUT)
def test_the_truth_lies_between_what_is_inside_and_what_is_touched(con: untold.Connection, condition: str) -> None:
    """At 5 standard errors: a false alarm in 13 conditions has a chance of 1e-5."""
    (n, se, low, high), *_ = con.sql(
        f"SELECT COUNT(*) AS n FROM loans WHERE {condition}", confidence=0.999999
    ).fetchall()
    truth = int(CUT[condition].sum())
    assert low <= truth <= high
    assert low <= n <= high
    assert se > 0


def test_an_even_share_is_shown_and_its_interval_is_not_that_of_the_noise(con: untold.Connection) -> None:
    ((below, *_),) = con.sql("SELECT COUNT(*) AS n FROM loans WHERE rate < 10").fetchall()
    ((above, *_),) = con.sql("SELECT COUNT(*) AS n FROM loans WHERE rate < 12").fetchall()
    answer = con.sql("SELECT COUNT(*) AS n FROM loans WHERE rate < 11.5")
    ((n, _, low, high),) = answer.fetchall()
    assert n == pytest.approx(below + 0.75 * (above - below))
    assert low < below < above < high
    assert [note for note in answer.notes if "rate is kept in classes, and this cuts some of its classes" in note]


def test_weeks_asked_by_month_are_bounded_in_every_row(con: untold.Connection) -> None:
    answer = con.sql("SELECT MONTH(paid) AS m, COUNT(*) AS n FROM loans GROUP BY m ORDER BY m", confidence=0.9999)
    truth = pd.to_datetime(LOANS.paid).dt.month.value_counts()
    rows = answer.fetchall()
    assert [row[0] for row in rows] == list(range(1, 13))
    assert all(low <= truth[month] <= high for month, _, _, low, high in rows)
    assert sum(row[1] for row in rows) == pytest.approx(N)  # an even share leaves nobody out
    assert [note for note in answer.notes if "paid is kept by week, and this cuts some of its weeks" in note]


def test_what_cuts_no_class_is_answered_as_ever() -> None:
    for condition in (
        "rate < 12", "age <= 34", "age < 35", "age > 34.5", "issued >= '2017-07-01'", "issued < '2017-07-01'",
        "YEAR(issued) = 2017 AND MONTH(issued) <= 6", "date_trunc('quarter', issued) = '2017-04-01'", "rate <= 31",
        "issued <= '2017-06-30'", "issued = '2017-07-01'", "paid = '2017-07-03'",
    ):  # fmt: skip
        asked = question(f"SELECT COUNT(*) FROM loans WHERE {condition}", PLAN)
        assert not any(cut_totals(formula) for formula in formulas_of(asked)), condition
        assert asked.notes == (), condition


def test_shares_of_cut_counts_are_bounded(con: untold.Connection) -> None:
    ((share, _, low, high),) = con.sql(
        "SELECT COUNT(*) FILTER (WHERE rate < 11) / COUNT(*) AS s FROM loans", confidence=0.9999
    ).fetchall()
    truth = (LOANS.rate < 11).mean()
    assert low <= truth <= high <= 1
    assert low < share < high
    assert share != pytest.approx(truth, abs=0.05)  # the share itself is off: rates crowd


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT SUM(rate) FROM loans WHERE rate < 11", "sums and means over a part of one have no bounds"),
        ("SELECT AVG(age) FROM loans WHERE issued < '2017-06-15'", "sums and means over a part of one have no bounds"),
        ("SELECT MEDIAN(rate) FROM loans WHERE rate < 11", "quantiles over a part of one have no bounds"),
        ("SELECT dayname(issued) AS d, COUNT(*) FROM loans GROUP BY d", "of which nothing is known"),
        ("SELECT COUNT(*) FROM loans WHERE DAY(issued) = 15", "of which nothing is known"),
        ("SELECT COUNT(*) FROM loans WHERE issued < paid", "what is inside of these is not known"),
        ("SELECT ABS(COUNT(*) - 3) FROM loans WHERE rate < 11", "in a formula that has no bounds then"),
    ],
)  # fmt: skip
def test_what_has_no_bounds_is_refused(sql: str, says: str) -> None:
    with pytest.raises(untold.UnsupportedQuery, match=says):
        question(sql, PLAN)


def test_a_refusal_names_the_nearest_limits() -> None:
    with pytest.raises(untold.UnsupportedQuery, match="at the limits 10, 12"):
        question("SELECT AVG(rate) FROM loans WHERE rate < 11", PLAN)


def test_missing_values_are_in_no_class() -> None:
    plan = plan_of(rate={**RATE, "missing": True}, issued={**YEAR, "step": "month", "missing": True})
    for condition in ("rate < 11", "issued < '2017-06-15'"):
        asked = question(f"SELECT COUNT(*) FROM loans WHERE {condition}", plan)
        (cut,) = (cut for formula in formulas_of(asked) for cut in cut_totals(formula))
        assert cut.between is not None
        for index in (cut.index, *cut.between):
            ((factor,),) = (list(term.factors) for term in asked.totals[index].terms)
            assert factor.values[-1] == 0


def test_times_are_asked_by_the_moments_that_fit() -> None:
    plan = plan_of(seen={"kind": "timestamp", "low": "2017-01-01", "high": "2017-12-31", "step": "day"})
    asked = question("SELECT COUNT(*) FROM loans WHERE seen >= '2017-07-15 18:00:00'", plan)
    (cut,) = (cut for formula in formulas_of(asked) for cut in cut_totals(formula))
    ((factor,),) = (list(term.factors) for term in asked.totals[cut.index].terms)
    assert factor.values[(date(2017, 7, 15) - date(2017, 1, 1)).days] == 0.25
    with pytest.raises(untold.UnsupportedQuery, match="can be asked by the hour here"):
        question("SELECT COUNT(*) FROM loans WHERE seen >= '2017-07-15 18:20:00'", plan)


def test_a_forecast_knows_what_is_cut() -> None:
    expected = PLAN.forecast("SELECT COUNT(*) AS n FROM loans WHERE rate < 11", users=10**9)
    (column,) = expected.columns
    assert column.se > 0.01 * 10**9  # noise alone would be a thousandth of that
