"""Experiments in memory say what folders of reports say, and mechanisms of one's own take part by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from helpers.registers import kept_registers
from untold import experiments
from untold.ask.engines.base import Kind
from untold.ask.scores.coefficients import Coefficients, blue
from untold.errors import UntoldError
from untold.experiments.redrawn import redrawn
from untold.oracles import GRR
from untold.plan.designs import Design
from untold.plan.designs.base import assemble, even_weights, space_of
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service

COUNT = "SELECT COUNT(*) AS n FROM users WHERE age < 7"
GROUPS = "SELECT state, COUNT(*) AS n, AVG(age) AS mean FROM users GROUP BY state"
BY_OS = "SELECT os, COUNT(*) AS n FROM users WHERE age < 7 GROUP BY os"
JOIN = "SELECT SUM(amount) AS spent FROM users JOIN orders USING (uid) WHERE age < 7"


def plan(**more: Any) -> untold.Plan:
    users = {
        "age": {"kind": "ordinal", "low": 0, "high": 19},
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
        "os": {"kind": "public"},
    }
    orders = {"attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 9}}}
    declared = {"name": "lab", "user_key": "uid", "epsilon": 4.0, "services": {"users": {"attributes": users, **more}}}
    declared["services"]["orders"] = orders
    return untold.Plan.from_dict(declared)


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    rng, n = np.random.default_rng(3), 3000
    uid = np.arange(n)
    states = np.array(["NY", "WA"])[rng.integers(0, 2, n)]
    users = {"uid": uid, "age": rng.binomial(19, 0.4, n), "state": states, "os": np.array(["a", "b"])[uid % 2]}
    return {"users": pa.table(users), "orders": pa.table({"uid": uid, "amount": rng.integers(0, 10, n)})}


def test_counts_in_memory_are_answered_as_a_folder_with_the_same_messages(
    tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    untold.perturb(plan(), "users", tables["users"], out=tmp_path / "r", seed=1)
    con, engine = redrawn(plan(), tables, seed=1)
    with untold.connect(tmp_path / "r", summaries=False) as written:
        kind = Kind("users", None, (), ((),))
        engine._counts["users"] = written._reports.engine.counts(kind)[0]
        for sql in (COUNT, GROUPS):
            ours, theirs = con.sql(sql).arrow().to_pydict(), written.sql(sql).arrow().to_pydict()
            for name, column in theirs.items():
                assert ours[name] == (column if name == "state" else pytest.approx(column, rel=1e-9, nan_ok=True))


def test_every_repetition_has_draws_of_its_own_and_a_seed_repeats_them(tables: dict[str, pa.Table]) -> None:
    first, again = (experiments.run(plan(), tables, COUNT, repetitions=4, seed=2).table for _ in range(2))
    assert first.equals(again)
    assert len(set(first["estimate"].to_pylist())) == 4
    assert not first.equals(experiments.run(plan(), tables, COUNT, repetitions=4, seed=3).table)


def test_errors_are_those_that_are_stated_in_memory_and_by_folders(tables: dict[str, pa.Table]) -> None:
    # 60 collections: rmse / stated is outside of 1 +- 0.37 by chance once in 10,000 times (chi square with 60 degrees).
    found = experiments.run({"mine": plan()}, tables, {"count": COUNT, "by os": BY_OS}, repetitions=60).summary()
    rows = {row["query"]: row for row in found.to_pylist()}
    assert rows["count"]["estimates"] == 60
    assert rows["by os"]["estimates"] == 120
    for row in rows.values():
        assert 0.63 < row["rmse"] / row["stated"] < 1.37
        assert row["covered"] > 0.85
        assert 0.02 < row["rmse_se"] / row["rmse"] < 0.25


def test_joins_and_best_guesses_are_compared_too(tables: dict[str, pa.Table]) -> None:
    found = experiments.run(plan(), tables, {"join": JOIN}, repetitions=2).table
    assert len(set(found["truth"].to_pylist())) == 1
    assert found["best"].null_count == 2
    best = experiments.run(plan(), tables, COUNT, repetitions=2, plausible=True)
    assert {"best_rmse", "typical"} <= set(best.summary().column_names)


def test_a_group_that_nobody_is_in_has_no_truth_and_does_not_count(tables: dict[str, pa.Table]) -> None:
    found = experiments.run(plan(), tables, {"groups": GROUPS}, repetitions=3)
    missing = [row["truth"] for row in found.table.to_pylist() if row["row"] == "CA"]
    assert missing == [None] * 6
    assert found.summary()["estimates"].to_pylist() == [12]


def test_what_cannot_be_answered_is_refused_in_the_usual_words(tables: dict[str, pa.Table]) -> None:
    with pytest.raises(UntoldError, match="age"):
        experiments.run(plan(), tables, "SELECT uid, age FROM users", repetitions=1)
    with pytest.raises(UntoldError, match="DuckDB cannot tell the truth"):
        experiments.run(plan(), tables, "SELECT LOW(n) FROM users", repetitions=1)
    with pytest.raises(UntoldError, match="1 or more"):
        experiments.run(plan(), tables, COUNT, repetitions=0)


class Mine(GRR):
    """Randomised response under another name."""

    name = "mine"


def alone(service: Service, nano: int) -> Design:
    """Each attribute by itself, at single values."""
    space = space_of(service, 2)
    views = [tuple(h if i == j else 0 for j, h in enumerate(space.leaves)) for i in range(len(space.leaves))]
    return assemble("alone", service, space, views, nano, even_weights(len(views)), service.oracle)


def twice(design: Design, factors: Any) -> Coefficients:
    """Everything is counted twice: an estimator that is wrong on purpose."""
    return blue(design, factors).plus(blue(design, factors))


@pytest.fixture
def registered() -> Iterator[None]:
    with kept_registers():
        experiments.register(Mine)
        experiments.register(Recipe("alone", "each attribute by itself", alone))
        experiments.register(twice, "twice")
        yield


@pytest.mark.usefixtures("registered")
def test_an_oracle_a_design_and_an_estimator_of_ones_own_are_known_by_name(tables: dict[str, pa.Table]) -> None:
    own = plan(design="alone", oracle="mine")
    assert {view.oracle.name for view in own.design("users").views} == {"mine"}
    assert untold.Plan.from_json(own.to_json()).id == own.id
    right = experiments.run(own, tables, COUNT, repetitions=8).table
    wrong = experiments.run(own, tables, COUNT, repetitions=8, estimator="twice").table  # type: ignore[arg-type]
    assert wrong["estimate"].to_pylist() == pytest.approx([2 * x for x in right["estimate"].to_pylist()])


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("own", [(Mine,), (Recipe("hio", "", alone),), (twice, "blue"), (twice,), (3, "three")])
def test_a_name_that_is_taken_or_a_thing_that_is_no_mechanism_is_refused(own: tuple[Any, ...]) -> None:
    with pytest.raises(UntoldError, match=r"is taken|this needs"):
        experiments.register(*own)
