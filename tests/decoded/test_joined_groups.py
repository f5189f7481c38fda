"""A join's groups, all at once from sums of the other services' scores, are those of a scan that scores every group."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.evidence import counted
from untold.ask.evidence.routes import ScannedScores, WeightedJoin
from untold.ask.scores import noise_floor
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.sql.question import question

PLAN = untold.Plan.from_dict(
    {
        "name": "joined",
        "user_key": "uid",
        "epsilon": 4.0,
        "services": {
            "people": {
                "attributes": {
                    "state": {"kind": "categorical", "values": list("abcdefgh")},
                    "age": {"kind": "ordinal", "low": 0, "high": 15},
                    "os": {"kind": "public"},
                }
            },
            "health": {"attributes": {"weight": {"kind": "ordinal", "low": 40, "high": 120, "bins": 16}}},
            "orders": {"rows_per_user": {"max": 3}, "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 9}}},
        },
    }
)
AT_ONCE = [
    "SELECT state, COUNT(*) AS c FROM people JOIN health USING (uid) WHERE weight > 80 GROUP BY state",
    "SELECT state, AVG(weight) AS m, COUNT(*) AS c FROM health JOIN people USING (uid) GROUP BY state",
    "SELECT state, FLOOR(age / 4) AS g, SUM(weight) AS s FROM people JOIN health USING (uid) GROUP BY state, FLOOR(age / 4)",
    "SELECT state, COUNT(*) AS c FROM people JOIN health USING (uid) WHERE os = 'x' AND (age < 4 OR weight < 60) GROUP BY state",
    "SELECT age, SUM(amount) AS s FROM people JOIN orders USING (uid) GROUP BY age",
    "SELECT amount, COUNT(*) AS c FROM people JOIN orders USING (uid) WHERE state = 'a' GROUP BY amount",
    "SELECT state, AVG(amount) AS m FROM people JOIN health USING (uid) JOIN orders USING (uid) WHERE weight > 70 GROUP BY state",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out, rng, users = tmp_path_factory.mktemp("joined") / "r", np.random.default_rng(4), 4_000
    uid = np.arange(users)
    people = {
        "uid": uid,
        "state": np.array(list("abcdefgh"))[rng.integers(0, 8, users)],
        "age": rng.integers(0, 16, users),
        "os": np.where(rng.random(users) < 0.5, "x", "y"),
    }
    orders = {"uid": rng.integers(0, users, 5_000), "amount": rng.integers(0, 10, 5_000)}
    first = np.unique(orders["uid"], return_index=True)[1]  # one row each is enough
    untold.perturb(PLAN, "people", pa.table(people), out=out, seed=1)
    untold.perturb(
        PLAN, "health", pa.table({"uid": uid[:3_500], "weight": rng.uniform(40, 120, 3_500)}), out=out, seed=2
    )
    rows = pa.table({name: values[first] for name, values in orders.items()})
    untold.perturb(PLAN, "orders", rows, population=uid.tolist(), out=out, seed=3)
    return out


@pytest.mark.parametrize("sql", AT_ONCE)
def test_groups_of_a_join_equal_a_scan_of_each(folder, sql, monkeypatch):
    """But for the floors of errors, which both know from below in ways of their own: they are taken away here."""
    for module in (noise_floor, counted):
        monkeypatch.setattr(module, "CAREFUL", 0.0)
    with untold.connect(folder, summaries=False) as con, untold.connect(folder, summaries=False) as scanned:
        scanned._reports = replace(scanned._reports, route=ScannedScores.name)
        asked = con._reports.compile(question(sql, PLAN), ESTIMATORS["blue"])
        assert WeightedJoin().why_not(asked) is None
        found, want = con.sql(sql).arrow(), scanned.sql(sql).arrow()
        assert found.column_names == want.column_names
        for name in found.column_names:
            a, b = (each[name].to_pylist() for each in (found, want))
            assert a == (pytest.approx(b, rel=1e-7, abs=1e-6, nan_ok=True) if isinstance(b[0], float) else b)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS c FROM people JOIN health USING (uid) WHERE weight > 80",
        "SELECT os, state, COUNT(*) AS c FROM people JOIN health USING (uid) GROUP BY os, state",
        "SELECT state, amount, COUNT(*) AS c FROM people JOIN orders USING (uid) GROUP BY state, amount",
    ],
)
def test_other_joins_are_scanned(folder, sql):
    with untold.connect(folder, summaries=False) as con:
        assert WeightedJoin().why_not(con._reports.compile(question(sql, PLAN), ESTIMATORS["blue"]))
        assert con.sql(sql).arrow().num_rows >= 1
