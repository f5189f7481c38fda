"""No error bar is smaller than what the devices' noise alone makes it, and none is 0 by chance."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.forecast.expected_moments import expected_moments
from untold.ask.scores.coefficients import estimator_named
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question

PEOPLE = {"age": {"kind": "ordinal", "low": 0, "high": 7}, "region": {"kind": "categorical", "values": ["n", "s", "w"]}}


def plan_of(epsilon: float, attributes: dict = PEOPLE, **service: object) -> untold.Plan:
    services = {"users": {"attributes": attributes, **service}}
    return untold.Plan.from_dict({"name": "floor", "user_key": "uid", "epsilon": epsilon, "services": services})


def one_hot(size: int, code: int) -> tuple[float, ...]:
    return tuple(float(i == code) for i in range(size))


@pytest.mark.parametrize("design", ["tuned", "hio", "hi", "mg", "sc", "ahio"])
@pytest.mark.parametrize("estimator", ["blue", "greedy"])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_floor_is_below_the_exact_variance_of_every_person(design, estimator, epsilon):
    plan = plan_of(epsilon, design=design)
    sql = "SELECT SUM(age) / COUNT(*), COUNT(*) FILTER (WHERE age > 2) FROM users WHERE age BETWEEN 1 AND 3 AND region = 's'"
    compiled = compile_question(question(sql, plan), plan, estimator_named(estimator))
    spelled = compiled.spelled
    for codes in product(range(8), range(3)):
        spreads = {0: tuple(one_hot(n, code) for n, code in zip((8, 3), codes, strict=True))}
        moments = expected_moments(compiled, 1.0, spreads)
        exact, floor = np.zeros((2, len(moments.first), len(moments.first)))
        for (i, j), together in zip(spelled.scan.pairs, moments.second, strict=True):
            exact[i, j] = exact[j, i] = together - moments.first[i] * moments.first[j]
            floor[i, j] = floor[j, i] = spelled.noise((i, j), moments)
        for i, j in spelled.scan.pairs:
            for g in (1.0, -1.0, 3.0):
                combined = np.zeros(len(exact))
                combined[i] += 1.0
                combined[j] += g * (i != j)
                assert combined @ exact @ combined >= (1 - 1e-9) * (combined @ floor @ combined) > 0


def test_a_number_known_for_certain_still_is():
    plan = plan_of(1.0)
    compiled = compile_question(question("SELECT COUNT(*) FROM users", plan), plan, estimator_named("blue"))
    assert compiled.spelled.noise((0, 0), expected_moments(compiled, 100.0)) == 0


def test_no_cell_of_a_small_table_has_an_error_of_zero(tmp_path):
    """Of 2,560 cells a sixth had: of 100 people at epsilon 6, second moments fall below what is taken off."""
    attributes = {
        "age": {"kind": "ordinal", "low": 0, "high": 63},
        "region": {"kind": "categorical", "values": list("abcd")},
    }
    plan, held = plan_of(6.0, attributes), []
    for run in range(10):
        rng = np.random.default_rng(run)
        age, region = np.minimum(63, rng.gamma(4, 6, 100).astype(int)), rng.choice(list("abc"), 100, p=[0.7, 0.2, 0.1])
        table = pa.table({"uid": np.arange(100), "age": age, "region": region})
        untold.perturb(plan, "users", table, out=tmp_path / str(run), seed=run)
        with untold.connect(tmp_path / str(run), summaries=False) as con:
            cells = con.sql("SELECT age, region, COUNT(*) AS n FROM users GROUP BY age, region").df()
        truth = table.to_pandas().groupby(["age", "region"]).size()
        true = np.array([truth.get(cell, 0) for cell in zip(cells.age, cells.region, strict=True)])
        assert cells.n_se.min() > 0
        held += list((cells.n_low <= true) & (true <= cells.n_high))
    assert np.mean(held) > 0.93  # it was 0.79


def test_the_floor_of_one_product_is_that_of_the_reports_about_it():
    """People report about each of six products; a question about one of them has one report of each person behind it."""
    each = {"pid": {"kind": "each", "values": list("abcdef")}, "amount": {"kind": "ordinal", "low": 0, "high": 4}}
    plan = plan_of(6.0, each, rows_per_user={"max": 2, "report": 1})
    floors = []
    for sql in ("SELECT COUNT(*) FROM users WHERE pid = 'a'", "SELECT COUNT(*) FROM users"):
        compiled = compile_question(question(sql, plan), plan, estimator_named("blue"))
        floors.append(sum(compiled.spelled.floors.of((0, 0)).values()))
    assert floors[1] == pytest.approx(6 * floors[0])
