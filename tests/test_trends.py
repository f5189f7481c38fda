"""Several epochs: errors add, differences and panels are covered, epochs have dates, and forecasts know about all of it.

Coverage is over 400 collections, each of 100 people; with a true coverage of 95% it lies in 93% to 97% with
probability 0.93, so seeds are fixed; a test of many kinds at once allows three standard errors. The ratio of standard
error to error is over 1,600 rows: its own error is 2%.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import untold
from helpers.many_collections import PEOPLE, collect, covered, people, plan_over_time
from untold.ask.evidence.routes import ScannedScores
from untold.errors import StoreError, UnsupportedQuery

SICK = "COUNT(*) FILTER (WHERE sick = 'yes' AND epoch = {})"
MORE = f"{SICK.format(1)} - {SICK.format(0)}"
TALLER = "AVG(age) FILTER (WHERE epoch = 2) - AVG(age) FILTER (WHERE epoch = 0)"
RATIO = "COUNT(*) FILTER (WHERE age > 3 AND epoch = 1) / COUNT(*) FILTER (WHERE age > 3 AND epoch = 0)"
BY_TRIAL, BY_EPOCH = ("trial",), ("trial", "epoch")


def truth(tables: Sequence[pa.Table], sql: str) -> dict[tuple[Any, ...], float]:
    """What DuckDB answers from the true rows."""
    with duckdb.connect() as db:
        for epoch, table in enumerate(tables):
            db.register(f"t{epoch}", table)
        rows = " UNION ALL ".join(f"SELECT *, {epoch} AS epoch FROM t{epoch}" for epoch in range(len(tables)))
        return {row[:-1]: row[-1] for row in db.execute(f"WITH people AS ({rows}) {sql}").fetchall()}


def checked(folder: Path, tables: Sequence[pa.Table], what: str, keys: Sequence[str]) -> tuple[float, float]:
    sql = f"SELECT {', '.join(keys)}, {what} AS x FROM people GROUP BY {', '.join(keys)}"
    with untold.connect(folder, summaries=False) as con:
        return covered(con.sql(sql).arrow(), truth(tables, sql), keys)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[pa.Table]]:
    tables = people(3)
    return collect(plan_over_time(2.0), tables, tmp_path_factory.mktemp("fresh") / "r"), tables


@pytest.mark.parametrize(
    ("what", "keys"),
    [
        ("COUNT(*) FILTER (WHERE sick = 'yes')", BY_EPOCH),
        ("AVG(age)", BY_EPOCH),
        ("COUNT(*) FILTER (WHERE age > 3)", BY_TRIAL),
        (MORE, BY_TRIAL),
        (TALLER, BY_TRIAL),
        (RATIO, BY_TRIAL),
    ],
)
def test_epochs_their_sums_and_differences_are_covered(three: Any, what: str, keys: Sequence[str]) -> None:
    """Of ratios, a fifth have a denominator that may be 0: their set of possible values has two parts, and the interval that is
    shown is the whole line around both. It holds more often, in 95% to 98% of 400 (four other seeds, before and after)."""
    coverage, _ = checked(*three, what, keys)
    assert 0.93 <= coverage <= (0.99 if what == RATIO else 0.97)


def coverage_of_everybody(share: float) -> float:
    """How often COUNT(*) of a collection holds, exactly: who takes part is binomial, in coarse steps (94.0% for 2 of 3)."""
    reported = np.arange(PEOPLE + 1)
    law = np.array([math.comb(PEOPLE, k) * share**k * (1 - share) ** (PEOPLE - k) for k in reported.tolist()])
    se = np.sqrt(reported * (1 / share**2 - 1 / share))
    return float(law[np.abs(reported / share - PEOPLE) <= 1.96 * se].sum())


@pytest.mark.parametrize("panel", [{"epochs": 3, "report": 2}, {"epochs": 4, "report": 2}])
def test_panels_are_scaled_to_everybody_and_covered(panel: dict[str, int], tmp_path: Path) -> None:
    tables = people(3, seed=2)
    folder = collect(plan_over_time(4.0, panel=panel), tables, tmp_path / "r")
    coverage, ratio = checked(folder, tables, "COUNT(*)", BY_EPOCH)
    # Of 1,200 rows, most of them independent: within three standard errors of what the whole numbers of people allow.
    assert abs(coverage - coverage_of_everybody(panel["report"] / panel["epochs"])) <= 0.021
    assert 0.9 <= ratio <= 1.1
    for what, keys in [
        ("COUNT(*) FILTER (WHERE sick = 'yes')", BY_EPOCH),
        ("COUNT(*) FILTER (WHERE sick = 'yes')", BY_TRIAL),
        (MORE, BY_TRIAL),
        (TALLER, BY_TRIAL),
        ("AVG(age)", BY_TRIAL),
    ]:
        coverage, ratio = checked(folder, tables, what, keys)
        assert abs(coverage - 0.95) <= (0.02 if keys == BY_EPOCH else 0.033), (
            what
        )  # three standard errors of 1,200 or 400 rows
        assert 0.9 <= ratio <= 1.1, what


def test_a_panel_of_one_report_is_never_too_sure(tmp_path: Path) -> None:
    """No two rows of a person are ever seen, so a bound takes the place of what they would tell. Differences of what stays
    the same are where a careless sum of variances would be too small, by 18%."""
    tables = people(2, seed=3)
    plan = plan_over_time(6.0, panel={"epochs": 2, "report": 1})
    folder = collect(plan, tables, tmp_path / "r")
    for what in ("COUNT(*) FILTER (WHERE age > 3)", RATIO.replace("/", "-"), "AVG(age)"):
        coverage, ratio = checked(folder, tables, what, BY_TRIAL)
        assert coverage >= 0.93, what
        assert ratio >= 0.95, what


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 6.0])
def test_errors_of_several_epochs_are_as_large_as_they_are_said_to_be(epsilon: float, tmp_path: Path) -> None:
    tables = people(3, trials=1600, size=25, seed=4)
    folder = collect(plan_over_time(epsilon), tables, tmp_path / "r")
    for what in ("COUNT(*) FILTER (WHERE sick = 'yes')", "SUM(age)", MORE):
        _, ratio = checked(folder, tables, what, BY_TRIAL)
        assert 0.95 <= ratio <= 1.05, what


def test_the_check_notices_errors_that_include_the_spread_between_people(three: Any) -> None:
    """What the error of several epochs was before: a person's rows added up, and the spread between people inside."""
    folder, tables = three
    declared = plan_over_time(6.0, services={"people": {"repeat": "changes", "attributes": people_attributes()}})
    changes = collect(declared, tables, folder.parent / "changes")
    _, ratio = checked(changes, tables, "COUNT(*) FILTER (WHERE age > 3)", BY_TRIAL)
    assert ratio > 1.5


def people_attributes() -> dict[str, Any]:
    from helpers.many_collections import ATTRIBUTES

    return ATTRIBUTES


def test_people_of_several_epochs_are_not_counted_twice(three: Any) -> None:
    with untold.connect(three[0]) as con:
        with pytest.raises(UnsupportedQuery, match="over 3 epochs: a person has a row in each"):
            con.sql("SELECT COUNT(DISTINCT uid) FROM people")
        assert con.sql("SELECT COUNT(DISTINCT uid) AS n FROM people WHERE epoch = 1").df().n[0] == 40_000
        assert list(con.sql("SELECT epoch, COUNT(DISTINCT uid) AS n FROM people GROUP BY epoch").df().n) == [40_000] * 3


def test_a_note_says_that_an_epoch_has_no_reports(three: Any) -> None:
    said = "WHERE keeps none of the epochs that have reports, which are: 0, 1, 2."
    with untold.connect(three[0]) as con:
        for condition, told in (
            ("epoch = 7", True),
            ("epoch > 2 AND age > 3", True),
            ("epoch = 2", False),
            ("trial = -1", False),
        ):
            assert (said in con.sql(f"SELECT COUNT(*) FROM people WHERE {condition}").notes) == told, condition


def test_epochs_have_dates(three: Any, tmp_path: Path) -> None:
    folder = collect(plan_over_time(4.0), people(3, trials=2), tmp_path / "r")
    untold.date_epoch(folder, 0, "2026-10-01")
    untold.date_epoch(folder, 2, dt.date(2026, 12, 1))
    with untold.connect(folder) as con:
        rows = con.sql("SELECT epoch_start, COUNT(*) AS n FROM people GROUP BY epoch_start ORDER BY epoch_start").df()
        assert [str(day)[:10] for day in rows.epoch_start] == ["2026-10-01", "2026-12-01", "NaT"]
        late = con.sql("SELECT COUNT(*) AS n FROM people WHERE epoch_start >= DATE '2026-11-01'").df()
        assert late.n[0] == 200
    with pytest.raises(StoreError, match="epoch 1 must begin before epoch 2"):
        untold.date_epoch(folder, 1, "2027-01-01")
    with pytest.raises(StoreError, match="'soon' is not a date"):
        untold.date_epoch(folder, 3, "soon")


def test_forecasts_are_of_the_epochs_asked_for(three: Any) -> None:
    """The forecast assumes even values; ages and sickness are not far from that."""
    with untold.connect(three[0]) as con:
        for sql in (
            "SELECT COUNT(*) AS x FROM people WHERE sick = 'yes'",
            "SELECT COUNT(*) AS x FROM people WHERE sick = 'yes' AND epoch IN (0, 2)",
            f"SELECT {MORE} AS x FROM people",
            f"SELECT {TALLER} AS x FROM people",
        ):
            said, found = con.forecast(sql).columns[0].se, con.sql(sql).df().x_se[0]
            assert said == pytest.approx(found, rel=0.12), sql
        one, all_three = (
            con.forecast(f"SELECT COUNT(*) AS x FROM people WHERE sick = 'yes'{only}")
            for only in (" AND epoch = 1", "")
        )
        assert all_three.columns[0].se == pytest.approx(np.sqrt(3) * one.columns[0].se, rel=0.01)
        assert con.forecast("SELECT epoch, COUNT(*) AS n FROM people GROUP BY epoch", users=1e6).groups == 3


def test_forecasts_know_panels(tmp_path: Path) -> None:
    plan = plan_over_time(4.0, panel={"epochs": 3, "report": 2})
    folder = collect(plan, people(3), tmp_path / "r")
    with untold.connect(folder) as con:
        for sql in (
            f"SELECT {MORE} AS x FROM people",
            "SELECT COUNT(*) AS x FROM people WHERE sick = 'yes' AND epoch = 1",
        ):
            said, found = con.forecast(sql), con.sql(sql).df()
            assert said.users == pytest.approx(40_000, rel=0.02)
            known = plan.forecast(
                sql, said.users, shares={"sick": [0.65, 0.35]}, epochs=(0, 1, 2)
            )  # 10% to 60% are sick
            assert known.columns[0].se == pytest.approx(found.x_se[0], rel=0.05), sql
    assert "2 of 3 people take part" in known.assumptions


def test_an_experiment_is_as_sure_as_its_forecast_said(tmp_path: Path) -> None:
    """80% of experiments of the size that the forecast names see the difference; of 400, 80% +- 4%."""
    plan = plan_over_time(4.0)
    shares = {"sick": [0.5, 0.5]}
    needed = plan.forecast_lift(
        "SELECT COUNT(*) FILTER (WHERE sick = 'yes') / COUNT(*) AS x FROM people", 0.2, shares=shares
    )
    assert 100 < needed.users < 400
    rng, count = np.random.default_rng(5), 400 * needed.users
    group = rng.permuted(np.tile(np.arange(needed.users) % 2, (400, 1)), axis=1).ravel()
    ill = rng.random(count) < 0.4 + 0.2 * group
    declared = {
        "name": "test", "user_key": "uid", "epsilon": 4.0,
        "services": {"people": {"attributes": people_attributes() | {"arm": {"kind": "public"}}}},
    }  # fmt: skip
    table = pa.table(
        {
            "uid": np.arange(count),
            "age": rng.integers(0, 10, count),
            "sick": np.where(ill, "yes", "no"),
            "trial": np.arange(count) // needed.users,
            "arm": np.where(group == 1, "B", "A"),
        }
    )
    untold.perturb(untold.Plan.from_dict(declared), "people", table, out=tmp_path / "r", seed=6)
    share = "COUNT(*) FILTER (WHERE sick = 'yes' AND arm = '{0}') / COUNT(*) FILTER (WHERE arm = '{0}')"
    sql = f"SELECT trial, {share.format('B')} - {share.format('A')} AS lift FROM people GROUP BY trial"
    with untold.connect(tmp_path / "r") as con:
        found = con.sql(sql, sample=True).df()
        assert con.sql(sql).df().lift_se[0] < 0.8 * found.lift_se[0]  # the noise alone: not what an experiment is about
    assert np.mean((found.lift_low <= 0.2) & (found.lift_high >= 0.2)) == pytest.approx(0.95, abs=0.025)
    assert 0.74 <= np.mean(found.lift_low > 0) <= 0.86
    with pytest.raises(UnsupportedQuery, match="counts differ with the groups' sizes"):
        plan.forecast_lift("SELECT COUNT(*) FROM people", 5)


@pytest.mark.parametrize("epsilon", [3.0, 8.0])
def test_one_report_for_all_epochs_is_in_the_error_of_their_sums_and_differences(
    epsilon: float, tmp_path: Path
) -> None:
    """A person's rows in three epochs share the report about where they live; its noise is in all of them."""
    tables, rng = people(3, trials=1600, size=40, seed=7), np.random.default_rng(8)
    count, bit = tables[0].num_rows, {"kind": "categorical", "values": ["no", "yes"]}
    once = {"repeat": "once", "attributes": {"rural": bit, "trial": {"kind": "public"}}}
    own = {name: attribute for name, attribute in people_attributes().items() if name != "trial"}
    plan = plan_over_time(epsilon, services={"people": {"attributes": own}, "home": once})
    rural = pa.array(np.where(rng.random(count) < 0.5, "yes", "no"))
    home = pa.table({"uid": tables[0]["uid"], "rural": rural, "trial": tables[0]["trial"]})
    untold.perturb(plan, "home", home, out=tmp_path / "r", seed=50)
    collect(plan, [table.drop_columns(["trial"]) for table in tables], tmp_path / "r")
    joined = [table.append_column("rural", rural) for table in tables]
    by_age = "SELECT age, COUNT(*) AS n FROM home JOIN people USING (uid) WHERE rural = 'yes' GROUP BY age"
    with untold.connect(tmp_path / "r", summaries=False) as at_once, untold.connect(tmp_path / "r") as scanned:
        scanned._reports = replace(scanned._reports, route=ScannedScores.name)
        left, right = (con.sql(by_age).df() for con in (at_once, scanned))
    assert list(left.n_se) == pytest.approx(list(right.n_se), rel=1e-9)
    for what in (
        "COUNT(*) FILTER (WHERE sick = 'yes' AND rural = 'yes')",
        MORE.replace("sick =", "rural = 'yes' AND sick ="),
        "SUM(age) FILTER (WHERE rural = 'yes')",
    ):
        asked = f"SELECT trial, {what} AS x FROM home JOIN people USING (uid) GROUP BY trial"
        with untold.connect(tmp_path / "r", summaries=False) as con:
            coverage, ratio = covered(
                con.sql(asked).arrow(), truth(joined, asked.replace("home JOIN people USING (uid)", "people")), BY_TRIAL
            )
        assert 0.93 <= coverage <= 0.97, what
        assert 0.95 <= ratio <= 1.05, what
