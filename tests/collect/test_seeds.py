"""One seed, many streams: services, epochs, plans and later tables never share the words that perturb them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import untold

N = 3000
VOTE = {"attributes": {"vote": {"kind": "ordinal", "low": 0, "high": 9}}}


def plan(**more):
    given = {"name": "twice", "user_key": "uid", "epsilon": 2.0, "lifetime": 20.0, "services": {"a": VOTE, "b": VOTE}}
    return untold.Plan.from_dict(given | more)


def votes(seed: int, start: int = 0) -> pa.Table:
    return pa.table({"uid": np.arange(start, start + N), "vote": np.random.default_rng(seed).integers(0, 10, N)})


def same(left: pa.Table, right: pa.Table) -> float:
    """Share of people with equal messages."""
    return float(np.mean(left["message"].to_numpy() == right["message"].to_numpy()))


def test_services_epochs_and_plans_draw_by_themselves():
    table = votes(1)
    first = untold.perturb(plan(), "a", table, seed=7).table
    assert same(first, untold.perturb(plan(), "a", table, seed=7).table) == 1
    others = [
        untold.perturb(plan(), "b", table, seed=7).table,
        untold.perturb(plan(), "a", table, seed=7, epoch=1).table,
        untold.perturb(plan(name="other"), "a", table, seed=7).table,
        untold.perturb(plan(), "a", table, seed=8).table,
    ]
    assert all(same(first, other) < 0.5 for other in others)


def test_two_tables_of_one_folder_draw_by_themselves(tmp_path):
    made = [untold.perturb(plan(), "a", votes(1, start), out=tmp_path / "r", seed=7) for start in (0, N)]
    assert same(*(pq.read_table(each.segment) for each in made)) < 0.5


def test_a_join_of_services_with_one_seed_is_right(tmp_path):
    """Equal words made joined scores products of the same noise. Within 5 standard errors but for one run in 10^6."""
    for service, seed in (("a", 1), ("b", 2)):
        untold.perturb(plan(epsilon=4.0), service, votes(seed), out=tmp_path / "r", seed=7)
    truth = float(np.mean((votes(1)["vote"].to_numpy() < 5) & (votes(2)["vote"].to_numpy() < 5)))
    with untold.connect(tmp_path / "r") as con:
        sql = "SELECT COUNT(*) AS n FROM a JOIN b USING (uid) WHERE a.vote < 5 AND b.vote < 5"
        (row,) = con.sql(sql).df().itertuples()
    assert abs(row.n - N * truth) < 5 * row.n_se
