"""An answer says so where its interval rests on a handful of reports."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.estimates.totals import MeanSize

SUM = "SELECT SUM(amount) AS s FROM orders WHERE kind = 'a' AND amount BETWEEN 13 AND 58"


def plan_of(design: str) -> untold.Plan:
    orders = {
        "design": design,
        "rows_per_user": {"max": 10},
        "attributes": {
            "amount": {"kind": "ordinal", "low": 0, "high": 99},
            "kind": {"kind": "categorical", "values": list("abcdefgh")},
        },
    }
    return untold.Plan.from_dict({"name": "skew", "user_key": "uid", "epsilon": 4.0, "services": {"orders": orders}})


def answers(folder, design: str, estimator: str, people: int, runs: int) -> tuple[np.ndarray, list[str]]:
    """Of some collections: how many half lengths of the interval the answer is off, and what it says of few reports."""
    off, said = [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        uid = np.repeat(np.arange(people), rng.integers(0, 4, people))
        amount, kind = np.minimum(99, rng.exponential(12, len(uid)).astype(int)), rng.choice(list("abcdefgh"), len(uid))
        rows, out = pa.table({"uid": uid, "amount": amount, "kind": kind}), folder / f"{design}{run}"
        untold.perturb(plan_of(design), "orders", rows, population=list(range(people)), out=out, seed=run)
        with untold.connect(out, summaries=False) as con:
            answer = con.sql(SUM, estimator=estimator)
            (row,) = answer.df().itertuples()
        truth = amount[(kind == "a") & (amount >= 13) & (amount <= 58)].sum()
        off.append(abs(truth - (row.s_low + row.s_high) / 2) / ((row.s_high - row.s_low) / 2))
        said.append(" ".join(note for note in answer.notes if "few reports" in note))
    return np.array(off), said


def test_a_published_design_with_few_reports_behind_a_number_says_so(tmp_path):
    """hio-join with greedy, many rows: few reports are about the right view, and each stands for ten rows."""
    off, said = answers(tmp_path, "hio-join", "greedy", 400, 10)
    assert np.mean(off < 1) > 0.7
    assert all("use estimator='blue'" in each for each in said)


def test_the_default_design_is_normal_enough(tmp_path):
    """Six of 24 intervals miss in less than one of 500 cases; a third of the length passes for enough in one of 170."""
    off, said = answers(tmp_path, "tuned", "blue", 2_000, 24)
    assert np.mean(off < 1) > 0.75
    assert not np.mean(off < 1 / 3) > 0.75
    assert not any(said)


def test_the_size_of_scores_is_a_mean_by_squares():
    """A rare score that is large carries little: the largest alone would say 10."""
    found = MeanSize()
    found.add(np.array([[1.0, -1.0], [0.0, 0.0], [2.0, 2.0]]), 0.99)
    found.add(np.array([[10.0], [0.0], [2.0]]), 0.01)
    assert found.mean == pytest.approx([(0.99 + 10) / (0.99 + 1), 0, 2])


@pytest.mark.parametrize(("people", "says"), [(60, True), (20000, False)])
def test_answers_from_counts_say_so_too(tmp_path, people, says):
    """One value of a hundred, of sixty people: the few who report the finest view decide."""
    attributes = {"amount": {"kind": "ordinal", "low": 0, "high": 99}}
    plan = untold.Plan.from_dict(
        {"name": "few", "user_key": "uid", "epsilon": 4.0, "services": {"orders": {"attributes": attributes}}}
    )
    rows = pa.table({"uid": np.arange(people), "amount": np.arange(people) % 100})
    untold.perturb(plan, "orders", rows, out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con:
        answer = con.sql("SELECT COUNT(*) AS n FROM orders WHERE amount = 3")
        assert any("few reports" in note for note in answer.notes) == says
        assert not any("estimator='blue'" in note for note in answer.notes)  # nobody is told to do what they did
