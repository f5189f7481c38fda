"""A forecast from few reports says how far it may be off, and takes people to be like something that is possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.decoded.closest import redrawn_tables
from untold.ask.estimates.quantiles import inverted
from untold.ask.evidence.routes import decoded_counts, kind_for
from untold.ask.forecast.from_reports import spread_of
from untold.ask.scores.coefficients import blue
from untold.ask.sql.question import question
from untold.plan.schema.kinds import Ordinal
from untold.randomness import Seeded

AVG = "SELECT AVG(income) AS x FROM people WHERE age >= 10"
DEVIATION = "SELECT STDDEV_POP(income) AS x FROM people"
MEDIAN = "SELECT MEDIAN(income) AS x FROM people"
COUNT = "SELECT COUNT(*) AS x FROM people WHERE age >= 10"


def collected(folder: Path, people: int, epsilon: float, seed: int = 1) -> Path:
    attributes = {name: {"kind": "ordinal", "low": 0, "high": 15} for name in ("age", "income")}
    services = {"people": {"attributes": attributes}}
    plan = untold.Plan.from_dict({"name": "first", "user_key": "uid", "epsilon": epsilon, "services": services})
    rng = np.random.default_rng(seed)
    age, income = (np.clip(rng.normal(mean, 3, people), 0, 15).astype(int) for mean in (7, 4))
    rows = pa.table({"uid": np.arange(people), "age": age, "income": income})
    untold.perturb(plan, "people", rows, out=folder / "r", seed=seed, progress=False)
    return folder / "r"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collected(tmp_path_factory.mktemp("few"), 1_000, 1.0)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collected(tmp_path_factory.mktemp("many"), 100_000, 3.0)


@pytest.mark.parametrize("sql", [AVG, DEVIATION, MEDIAN])
def test_few_reports_say_how_little_they_tell(few, many, sql):
    with untold.connect(few) as con:
        found = con.forecast(sql, users=1e6)
        assert found.columns[0].factor > 1.3
        assert "right to a factor of about" in str(found) or "a guess" in str(found)
        assert con.forecast(sql, users=1e6) == found  # the draws are the same each time
        assert con.forecast(COUNT, users=1e6).columns[0].factor == 1
    with untold.connect(many) as con:
        assert con.forecast(sql, users=1e6).columns[0].factor < 1.15
        assert "factor" not in str(con.forecast(sql, users=1e6))


def test_a_plan_says_no_factor(few):
    with untold.connect(few) as con:
        assert con.plan.forecast(AVG, users=1e6).columns[0].factor == 1


def test_an_average_is_taken_to_be_possible(tmp_path):
    """From these reports, numerator and denominator from tables of their own came to 15.9 among values of 0 to 15."""
    with untold.connect(collected(tmp_path, 2_000, 1.0, 11)) as con:
        found = con.forecast("SELECT AVG(income) AS x FROM people WHERE age >= 12", users=1e6)
        assert found.assumptions.startswith("as in")
        assert 0 <= found.columns[0].value <= 15


def test_noise_is_drawn_as_wide_as_it_is(few):
    """Without the constraint, redrawn totals spread as the estimate's own error says.

    The deviation of 600 draws is off by more than 12% in less than one of 10,000 cases; noise that is a quarter too wide is seen.
    """
    with untold.connect(few) as con:
        compiled = con._reports.compile(question(COUNT, con.plan), blue)
        source = decoded_counts(con._reports, kind_for(compiled))[0][0].sum_of(())
        combined = source.table.__self__
        tables = redrawn_tables(combined, (0,), 600, Seeded(5), plain=1.0)
        spread = np.std([table[10:16].sum() for table in tables[1:]])
        measured = con.sql(COUNT).fetchall()[0][1]
    assert spread / measured == pytest.approx(1, abs=0.12)
    assert 1.25 * spread / measured != pytest.approx(1, abs=0.12)


def test_a_forecast_that_some_draws_do_not_have_is_a_guess():
    known = np.ones(21)
    assert spread_of(known) == 1
    assert spread_of(np.where(np.arange(21) < 2, np.inf, known)) == np.inf
    assert spread_of(np.where(np.arange(21) > 17, np.inf, known)) == np.inf
    assert spread_of(np.where(np.arange(21) > 18, np.inf, known)) == 1


def test_a_wider_look_at_people_who_are_spread_evenly_sees_the_same():
    values = Ordinal("age", 0, 99)

    def at(code: int) -> tuple[float, float]:
        return 10.0 * (code + 1) - 500.0, 40.0

    near, wide = (inverted(at, values, 0.95, reach).se for reach in (1.0, 2.0))
    assert near == pytest.approx(4.0)
    assert wide == pytest.approx(4.0)
