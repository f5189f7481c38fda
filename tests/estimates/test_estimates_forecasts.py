"""Forecasts take what is known: first reports, or shares, rows and public numbers; and an error says of what it is a share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.errors import PlanError, UntoldError

AGE = [1.0, 2.0, 8.0, 20.0, 30.0, 20.0, 8.0, 1.0]
ROWS = [10.0, 60.0, 20.0, 5.0, 5.0]
SPENT = [11.0, 20.0]
PEOPLE = 200_000
SUM = "SELECT SUM(spent) AS x FROM people WHERE age >= 4"


def plan_of(spread: bool, epsilon: float = 3.0) -> untold.Plan:
    def known(numbers: list[float]) -> dict[str, list[float]]:
        return {"spread": numbers} if spread else {}

    people = {"age": {"kind": "ordinal", "low": 0, "high": 7} | known(AGE), "spent": {"kind": "public"} | known(SPENT)}
    orders = {"kind": {"kind": "categorical", "values": ["a", "b"]}, "amount": {"kind": "ordinal", "low": 0, "high": 7}}
    services = {
        "people": {"attributes": people},
        "orders": {"attributes": orders, "rows_per_user": {"max": 4} | known(ROWS)},
    }
    return untold.Plan.from_dict({"name": "known", "user_key": "uid", "epsilon": epsilon, "services": services})


def people(n: int, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    age = rng.choice(8, n, p=np.array(AGE) / sum(AGE))
    return pa.table({"uid": np.arange(n), "age": age, "spent": rng.gamma(0.3025, SPENT[0] / 0.3025, n)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("known") / "r"
    rng, n = np.random.default_rng(2), PEOPLE
    uid = np.repeat(np.arange(n), rng.choice(5, n, p=np.array(ROWS) / sum(ROWS)))
    orders = {"uid": uid, "kind": rng.choice(["a", "b"], len(uid)), "amount": rng.integers(0, 8, len(uid))}
    untold.perturb(plan_of(True), "people", people(n), out=out, seed=1)
    untold.perturb(plan_of(True), "orders", pa.table(orders), population=list(range(n)), out=out, seed=1)
    return out


def test_spread_changes_neither_plan_nor_reports_nor_answers(tmp_path):
    plain, known = plan_of(False), plan_of(True)
    assert plain.id == known.id
    assert plain.to_json() == known.to_json()
    reports = [untold.perturb(plan, "people", people(500), seed=3).table for plan in (plain, known)]
    assert reports[0].equals(reports[1])
    answers = []
    for plan, name in ((plain, "a"), (known, "b")):
        untold.perturb(plan, "people", people(500), out=tmp_path / name, seed=3)
        with untold.connect(tmp_path / name) as con:
            answers.append(con.sql(SUM).fetchall())
    assert answers[0] == answers[1]
    assert plain.forecast(SUM, users=1e5) != known.forecast(SUM, users=1e5)


def test_shares_say_the_same_as_the_plan():
    said = plan_of(False).forecast(SUM, users=1e5, shares={"age": AGE, "spent": SPENT})
    assert said.columns == plan_of(True).forecast(SUM, users=1e5).columns
    rows = plan_of(False).forecast("SELECT AVG(amount) FROM orders", users=1e5, shares={"orders": ROWS})
    assert rows.columns == plan_of(True).forecast("SELECT AVG(amount) FROM orders", users=1e5).columns


@pytest.mark.parametrize(
    ("given", "words"),
    [({"spent": [1.0, -1.0]}, "mean"), ({"orders": [1.0]}, "orders has 5"), ({"nobody": [1.0]}, "nobody")],
)
def test_shares_that_say_nothing_are_refused(given, words):
    with pytest.raises(UntoldError, match=words):
        plan_of(False).forecast("SELECT SUM(spent) FROM people JOIN orders USING (uid)", users=10, shares=given)


@pytest.mark.parametrize("spread", [[1, 2], [1, 2, 3, 4, 5, 6, 7, -8], "even", [0] * 8, [1, 2, 3, 4, 5, 6, 7, None]])
def test_a_spread_that_says_nothing_is_a_mistake(spread):
    declared = {"age": {"kind": "ordinal", "low": 0, "high": 7, "spread": spread}}
    with pytest.raises(PlanError, match=r"services.people.attributes.age.spread: .*"):
        untold.Plan.from_dict(
            {"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": {"attributes": declared}}}
        )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS x FROM people WHERE age BETWEEN 2 AND 4",
        SUM,
        "SELECT AVG(age) AS x FROM people WHERE age >= 3",
        "SELECT AVG(spent) AS x FROM people WHERE age >= 4",
        "SELECT COUNT(*) AS x FROM orders WHERE kind = 'a'",
        "SELECT AVG(amount) AS x FROM orders WHERE kind = 'a'",
    ],
)
def test_what_is_known_makes_a_forecast_right(folder, sql):
    """Forecast / measured, for all people by the plan, and from those people for themselves.

    An average's error moves with the estimated denominator, here by 2%: more than 10% are five standard deviations.
    """
    with untold.connect(folder) as con:
        measured = con.sql(sql).fetchall()[0][1]
        assert plan_of(True).forecast(sql, users=PEOPLE).columns[0].se / measured == pytest.approx(1, abs=0.1)
        exactly = 1e-9 if con.forecast(sql).columns[0].grows else 2e-3  # of averages the closest plausible denominator
        assert con.forecast(sql).columns[0].se == pytest.approx(measured, rel=exactly)
        assert con.forecast(sql, users=4 * PEOPLE).columns[0].se == pytest.approx(
            measured * (2 if con.forecast(sql).columns[0].grows else 0.5), rel=0.02
        )


def test_a_quantile_is_forecast(folder):
    sql = "SELECT QUANTILE_CONT(age, 0.75) AS x FROM people"
    plan = plan_of(True, epsilon=0.2)
    assert plan.forecast(sql, users=300).columns[0].se > plan.forecast(sql, users=30_000).columns[0].se
    assert plan.forecast(sql, users=1e9).columns[0].value == 5
    with untold.connect(folder) as con:
        assert con.forecast(sql, users=PEOPLE).columns[0].se == pytest.approx(con.sql(sql).fetchall()[0][1], rel=1e-3)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT COUNT(*) AS x FROM people WHERE age < 4", "of x of all users"),
        (SUM, "of x of its value"),
        ("SELECT AVG(age) AS x FROM people", "of x of its value"),
        ("SELECT COUNT(*) FILTER (WHERE age < 4) / COUNT(*) AS x FROM people", "of x as a difference of shares"),
    ],
)
def test_an_error_is_a_share_of_what_it_says(sql, words):
    plan = plan_of(True)
    found = plan.forecast(sql, error=0.05)
    assert words in str(found)
    column, n = found.columns[0], found.users
    of = {"people": n, "value": column.value, "points": 1.0}[column.share_of]
    assert column.se == pytest.approx(0.05 * of, rel=0.01)
    assert column.se == pytest.approx(plan.forecast(sql, users=n).columns[0].se, rel=0.02)
