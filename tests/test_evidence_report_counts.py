"""Figure 12 of VLDB'20 draws counts of reports: they are those that real collections have, and answers are unbiased, exactly."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.evidence.vldb20.fig12 import MECHANISMS, SQL
from benchmarks.evidence.vldb20.households import INCOMES, RACES, SIZES, Households, services
from benchmarks.evidence.vldb20.report_counts import collection
from benchmarks.joins.exact import plan_for
from benchmarks.joins.real import on_raw
from scipy.stats import chi2

import untold

PEOPLE, COLLECTIONS = 1_000, 12


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    uid = np.arange(PEOPLE)
    members = np.repeat(uid, rng.choice(np.arange(1, 11), PEOPLE, p=SIZES / SIZES.sum()))
    race = np.array(list(RACES), dtype=object)[rng.choice(6, PEOPLE, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])][members]
    city = np.where(rng.random(PEOPLE) < 0.43, "large", "other").astype(object)
    people = {"uid": members, "race": race, "income": rng.integers(0, INCOMES, len(members))}
    return Households(pa.table({"uid": uid, "city": city}), pa.table(people))


@pytest.fixture(scope="module", params=MECHANISMS)
def made(request, data):
    mechanism = MECHANISMS[request.param]
    plan = plan_for(replace(mechanism, oracle=mechanism.oracle and "agr"), 5.0, services("race", "income"))
    return mechanism, plan, collection(plan, SQL, mechanism.coefficients(), data)


@pytest.fixture(scope="module")
def truth(data):
    found = {row[0]: row[1:] for row in on_raw({"homes": data.homes, "people": data.people}, SQL)}
    return np.array([float(x) for race in RACES for x in found[race]])


def pairs(plan, data, seed):
    """How many households sent each pair of messages, in a real collection."""
    sent = []
    for service, table, more in (
        ("homes", data.homes, {}),
        ("people", data.people, {"population": data.homes.select(["uid"])}),
    ):
        reports = untold.perturb(plan, service, table, seed=seed, progress=False, **more).table
        own = np.empty(PEOPLE, dtype=np.int64)
        own[reports.column("uid").to_numpy()] = reports.column("message").to_numpy()
        sent.append(own)
    shape = (plan.design("homes").messages, plan.design("people").messages)
    return np.bincount(np.ravel_multi_index(sent, shape), minlength=shape[0] * shape[1])


def test_every_groups_expectation_is_its_truth(made, truth):
    assert made[2].groups == tuple(RACES)
    assert made[2].expected() == pytest.approx(truth, abs=1e-7)


def test_chances_are_probabilities(made):
    assert made[2].chances.min() >= 0
    assert made[2].chances.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


def test_an_answer_is_the_sum_of_its_scores(made, data, tmp_path):
    mechanism, plan, counted = made
    population = data.homes.select(["uid"])
    untold.perturb(plan, "homes", data.homes, out=tmp_path, seed=5, progress=False)
    untold.perturb(plan, "people", data.people, population=population, out=tmp_path, seed=5, progress=False)
    with untold.connect(tmp_path, summaries=False) as con:
        rows = con.sql(SQL, estimator=mechanism.estimator, top=mechanism.top).arrow().to_pylist()
    answered = {row["race"]: (row["n"], row["s"]) for row in rows}
    assert counted.scores @ pairs(plan, data, 5) == pytest.approx(
        [x for race in RACES for x in answered[race]], abs=1e-6
    )


def test_real_collections_are_as_far_off_as_the_exact_covariances_say(made, data, truth):
    """Twelve answers of twelve collections: fails by chance once in a million on either side."""
    _, plan, counted = made
    root = np.linalg.cholesky(counted.covariance())
    off = [np.linalg.solve(root, counted.scores @ pairs(plan, data, 20 + i) - truth) for i in range(COLLECTIONS)]
    squares, numbers = float(np.sum(np.square(off))), np.size(off)
    assert chi2.ppf(1e-6, numbers) < squares < chi2.isf(1e-6, numbers)
    assert float(np.sum(np.mean(off, axis=0) ** 2) * COLLECTIONS) < chi2.isf(1e-6, len(truth))


def test_draws_are_spread_like_the_exact_covariances(made, truth):
    """100 draws; fails by chance once in a million on either side."""
    counted = made[2]
    root = np.linalg.cholesky(counted.covariance())
    off = [np.linalg.solve(root, counted.drawn(np.random.default_rng([9, i])) - truth) for i in range(100)]
    squares, numbers = float(np.sum(np.square(off))), np.size(off)
    assert chi2.ppf(1e-6, numbers) < squares < chi2.isf(1e-6, numbers)
