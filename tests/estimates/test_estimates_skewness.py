"""An answer says so where its interval rests on a handful of reports."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import untold

N = 2000
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


def answers(folder, design: str, estimator: str, runs: int) -> tuple[list[bool], list[bool]]:
    """Of some collections: whether the interval holds, and whether the answer warns."""
    held, warned = [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        uid = np.repeat(np.arange(N), rng.integers(0, 4, N))
        amount, kind = np.minimum(99, rng.exponential(12, len(uid)).astype(int)), rng.choice(list("abcdefgh"), len(uid))
        rows, out = pa.table({"uid": uid, "amount": amount, "kind": kind}), folder / f"{design}{run}"
        untold.perturb(plan_of(design), "orders", rows, population=list(range(N)), out=out, seed=run)
        with untold.connect(out, summaries=False) as con:
            answer = con.sql(SUM, estimator=estimator)
            (row,) = answer.df().itertuples()
        held.append(row.s_low <= amount[(kind == "a") & (amount >= 13) & (amount <= 58)].sum() <= row.s_high)
        warned.append(any("few reports" in note and "use estimator='blue'" in note for note in answer.notes))
    return held, warned


def test_a_published_design_with_few_reports_behind_a_number_says_so(tmp_path):
    """hio-join with greedy, many rows: few reports are about the right view, and each stands for ten rows."""
    held, warned = answers(tmp_path, "hio-join", "greedy", 10)
    assert np.mean(held) > 0.7
    assert all(warned)


def test_the_default_design_is_normal_enough(tmp_path):
    held, warned = answers(tmp_path, "tuned", "blue", 8)
    assert np.mean(held) > 0.8
    assert not any(warned)


@pytest.mark.parametrize(("people", "says"), [(60, True), (5000, False)])
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
