"""Scores of wide services: no table of them is made, none is sent, and answers stay what they were."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from three_engines import make_reports

import untold
from helpers.wide_plans import KINDS
from untold.ask.engines import base, batch_scores, passes
from untold.ask.engines.batch_scores import rows_at_once
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question

JOINS = [
    "SELECT AVG(amount) AS a, COUNT(*) AS n FROM users JOIN orders USING (uid) WHERE age > 10 AND os = 'ios'",
    "SELECT os, state, SUM(amount) AS s FROM users JOIN orders USING (uid) GROUP BY os, state ORDER BY os, state",
    "SELECT os, SUM(visits * age) AS s, AVG(age) AS a FROM users GROUP BY os ORDER BY os",
]
EACH_EPOCH = ["SELECT epoch, SUM(amount) AS s FROM orders JOIN users USING (uid, epoch) GROUP BY epoch ORDER BY epoch"]


def numbers(folder: Path, queries: list[str], **options: Any) -> list[list[float]]:
    with untold.connect(folder, summaries=False) as con:
        tables = [con.sql(sql, **options).arrow() for sql in queries]
    columns = [table.column(name) for table in tables for name in table.column_names]
    return [column.cast(pa.float64()).to_pylist() for column in columns if not pa.types.is_string(column.type)]


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({}, {}),
        ({}, {"estimator": "greedy"}),
        ({"epochs": 2}, {}),
        ({"oracle": "olh", "design": "hio"}, {}),
    ],
)
def test_batches_and_passes_change_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: dict[str, Any], asked: dict[str, Any]
) -> None:
    folder = make_reports("shop", tmp_path / "r", **made)
    queries = JOINS + (EACH_EPOCH if made.get("epochs") == 2 else [])
    before = numbers(folder, queries, **asked)
    monkeypatch.setattr(base, "MOST_TABLED", 0)
    monkeypatch.setattr(passes, "MOST_SCORES_A_PASS", 0)
    monkeypatch.setattr(passes, "FEW_COLUMNS", 1)
    for mine, theirs in zip(numbers(folder, queries, **asked), before, strict=True):
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-7, nan_ok=True)


def wide(attributes: int) -> untold.Plan:
    services = {
        "wide": {"attributes": {f"a{i}": KINDS[i % 3] for i in range(attributes)}},
        "other": {"attributes": {"b": {"kind": "ordinal", "low": 0, "high": 9}}},
    }
    return untold.Plan.from_dict({"name": "wide", "user_key": "uid", "epsilon": 2.0, "services": services})


def test_memory_of_a_join_does_not_grow_with_messages_and_columns(tmp_path: Path) -> None:
    """Three columns of 1.2 million scores would be 30 MB, their table as much again."""
    plan, people = wide(4), 500
    rng = np.random.default_rng(1)
    values = {"a0": rng.integers(0, 100, people), "a1": rng.choice(KINDS[1]["values"], people)}
    values |= {"a2": rng.choice(["yes", "no"], people), "a3": rng.integers(0, 100, people)}
    untold.perturb(plan, "wide", pa.table({"uid": np.arange(people), **values}), out=tmp_path / "r", seed=1)
    other = pa.table({"uid": np.arange(people), "b": rng.integers(0, 10, people)})
    untold.perturb(plan, "other", other, out=tmp_path / "r", seed=2)
    assert plan.design("wide").messages > 1_200_000
    with untold.connect(tmp_path / "r", summaries=False) as con:
        con.sql("SELECT COUNT(*) FROM other WHERE b > 3").arrow()  # loads what is loaded once
        tracemalloc.start()
        try:
            con.sql("SELECT AVG(a0) AS x FROM wide JOIN other USING (uid) WHERE a1 = 'v3' AND b > 3").arrow()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    largest = max(view.oracle.indexes for view in plan.design("wide").views)
    assert peak < 8 * 8 * largest  # the scores of one view, a few times over
    assert 8 * 8 * largest < 24e6


def test_little_goes_to_executors() -> None:
    """Scores of all messages would be 8 million numbers for each column."""
    plan = wide(8)
    sql = "SELECT a1, AVG(a3) AS x FROM wide JOIN other USING (uid) WHERE b > 3 GROUP BY a1"
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    own = [column for column in compiled.scan.columns if column.service == 0]
    assert plan.design("wide").messages > 5_000_000
    assert len(own) >= 24
    assert len(pickle.dumps(own)) < 2_000_000  # 1 GB and more as scores


def test_a_batch_of_many_columns_has_few_rows() -> None:
    assert rows_at_once(1) == 1 << 20
    assert rows_at_once(100) * 100 <= batch_scores.MOST_AT_ONCE
    assert rows_at_once(10_000) == 1 << 14
