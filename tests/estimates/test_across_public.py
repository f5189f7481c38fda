"""Totals over several public groups: the error of a share is that of the same share asked in one group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import untold
from untold.errors import UnsupportedQuery

PEOPLE = 4000
DECLARED = {
    "name": "shares",
    "user_key": "uid",
    "epsilon": 4.0,
    "services": {
        "users": {
            "attributes": {
                "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
                "age": {"kind": "ordinal", "low": 0, "high": 15},
                "os": {"kind": "public"},
                "paid": {"kind": "public"},
            }
        },
    },
}


def rows() -> pd.DataFrame:
    rng = np.random.default_rng(5)  # values of a test, not privacy
    return pd.DataFrame(
        {
            "uid": np.arange(PEOPLE),
            "state": rng.choice(["NY", "WA", "CA"], PEOPLE, p=[0.5, 0.3, 0.2]),
            "age": rng.integers(16, size=PEOPLE),
            "os": rng.choice(["ios", "web", "android"], PEOPLE, p=[0.6, 0.3, 0.1]),
            "paid": rng.integers(2, size=PEOPLE),
        }
    )


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("shares") / "reports"
    untold.perturb(untold.Plan.from_dict(DECLARED), "users", rows(), out=out, seed=2)
    with untold.connect(out) as opened:
        yield opened


ALIKE = [  # a share over public groups, and the same share by FILTER, without groups
    (
        "SELECT COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM users WHERE age > 4 GROUP BY os ORDER BY os",
        "SELECT COUNT(*) FILTER (WHERE os = '{}') / COUNT(*) AS x FROM users WHERE age > 4",
    ),
    (
        "SELECT SUM(age) / SUM(SUM(age)) OVER () AS x FROM users WHERE state = 'NY' GROUP BY os ORDER BY os",
        "SELECT SUM(age) FILTER (WHERE os = '{}') / SUM(age) AS x FROM users WHERE state = 'NY'",
    ),
    (
        "SELECT COUNT(*) - SUM(COUNT(*)) OVER () / 3 AS x FROM users WHERE age > 4 GROUP BY os ORDER BY os",
        "SELECT COUNT(*) FILTER (WHERE os = '{}') - COUNT(*) / 3 AS x FROM users WHERE age > 4",
    ),
]


@pytest.mark.parametrize(("over", "alone"), ALIKE)
def test_a_share_over_public_groups_is_the_same_share_asked_at_once(con: Any, over: str, alone: str) -> None:
    found = con.sql(over).fetchall()
    for row, os in zip(found, ("android", "ios", "web"), strict=True):
        np.testing.assert_allclose(row, con.sql(alone.format(os)).fetchall()[0], rtol=1e-6)


def test_within_a_sensitive_and_a_public_key(con: Any) -> None:
    over = "COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY {}) AS x FROM users GROUP BY os, paid, state ORDER BY os, paid, state"
    by_state = con.sql(f"SELECT os, paid, state, {over.format('state')}").df()
    alone = con.sql(
        "SELECT COUNT(*) FILTER (WHERE os = 'ios' AND paid = 1) / COUNT(*) AS x FROM users WHERE state = 'NY'"
    ).df()
    mine = by_state[(by_state.os == "ios") & (by_state.paid == 1) & (by_state.state == "NY")]
    np.testing.assert_allclose(
        mine[["x", "x_se", "x_low", "x_high"]].to_numpy(), alone[["x", "x_se", "x_low", "x_high"]].to_numpy(), rtol=1e-6
    )
    both = con.sql(f"SELECT os, paid, state, {over.format('os, state')}").df()
    np.testing.assert_allclose(both.groupby(["os", "state"]).x.sum(), 1.0, rtol=1e-9)


def test_the_error_would_be_wrong_if_the_whole_were_taken_as_known(con: Any) -> None:
    row = con.sql("SELECT os, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM users WHERE age > 4 GROUP BY os").df().iloc[1]
    count = con.sql("SELECT COUNT(*) AS n FROM users WHERE age > 4 AND os = 'ios'").df().iloc[0]
    whole = con.sql("SELECT COUNT(*) AS n FROM users WHERE age > 4").df().iloc[0]
    assert row.x_se < 0.9 * count.n_se / whole.n


@pytest.mark.parametrize("keys", ["os", "state", "os, state"])
def test_best_guesses_of_shares_add_up_to_one_and_have_a_typical_error(con: Any, keys: str) -> None:
    sql = f"SELECT {keys}, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM users WHERE age BETWEEN 3 AND 4 GROUP BY {keys}"
    found = con.sql(sql, plausible=True).df()
    assert found.x_best.sum() == pytest.approx(1.0, abs=1e-6)
    assert found.x_best.between(0, 1).all()
    assert (found.x_low >= 0).all()
    assert (found.x_high <= 1).all()
    assert ((found.x_typical > 0) & (found.x_typical < 0.3)).all()


def test_people_in_several_groups_are_refused(tmp_path: Any) -> None:
    users = {**DECLARED["services"]["users"], "repeat": "changes"}
    plan = untold.Plan.from_dict({**DECLARED, "lifetime": 40.0, "services": {"users": users}})
    for epoch in range(2):
        untold.perturb(plan, "users", rows()[:50], out=tmp_path / "r", epoch=epoch, seed=epoch)
    share = "SELECT os, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM users WHERE state = 'NY' {} GROUP BY os"
    with untold.connect(tmp_path / "r") as con:
        with pytest.raises(UnsupportedQuery, match="reports in several epochs are not independent"):
            con.sql(share.format(""))
        assert len(con.sql(share.format("AND epoch = 1"))) > 0
