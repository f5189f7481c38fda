"""Several rows per person: a count has w^2 >= w, so its error is not that of people who all hold the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.evidence.routes import ScannedScores
from untold.ask.question.algebra import never_negative
from untold.ask.sql.question import question

N = 1000
ORDERS = {
    "rows_per_user": {"max": 2},
    "attributes": {
        "kind": {"kind": "categorical", "values": ["a", "b", "c", "d"]},
        "amount": {"kind": "ordinal", "low": 0, "high": 9},
        "change": {"kind": "ordinal", "low": -4, "high": 5},
    },
}
PLAN = untold.Plan.from_dict({"name": "rows", "user_key": "uid", "epsilon": 8.0, "services": {"orders": ORDERS}})
SQL = "SELECT COUNT(*) AS n, SUM(amount) AS s FROM orders WHERE kind = 'a'"


@pytest.mark.parametrize("at_once", [True, False])
def test_errors_are_as_large_as_they_are(tmp_path, at_once):
    """Everybody has one row of two. Standard errors were 1.3 times the real ones; 60 runs tell them to 9%."""
    errors, told = [], []
    rng = np.random.default_rng(1)
    kind, amount = rng.choice(list("abcd"), N), rng.integers(0, 10, N)
    rows = pa.table({"uid": np.arange(N), "kind": kind, "amount": amount, "change": amount - 4})
    truth = np.array([(kind == "a").sum(), amount[kind == "a"].sum()])
    for run in range(60):
        untold.perturb(PLAN, "orders", rows, population="present", out=tmp_path / str(run), seed=run)
        with untold.connect(tmp_path / str(run), summaries=False) as con:
            if not at_once:
                object.__setattr__(con._reports, "route", ScannedScores.name)
            (row,) = con.sql(SQL).df().itertuples()
        errors.append(np.array([row.n, row.s]) - truth)
        told.append([row.n_se, row.s_se])
    ratio = np.sqrt(np.mean(np.square(told), axis=0) / np.mean(np.square(errors), axis=0))
    assert (ratio > 0.75).all()
    assert (ratio < 1.25).all()


def test_only_amounts_that_are_never_negative_allow_it():
    sql = "SELECT COUNT(*), SUM(amount), SUM(change), SUM(amount - 3) FROM orders WHERE kind = 'a'"
    assert [never_negative(total) for total in question(sql, PLAN).totals] == [True, True, False, False]
