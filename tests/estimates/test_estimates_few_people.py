"""Among a handful of people nobody may have picked a view that tells something: the answer must not look certain."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import untold
from untold.plan import Plan

SIXTEEN = {"kind": "ordinal", "low": 0, "high": 15}
PLAN = Plan.from_dict(
    {
        "name": "few",
        "user_key": "uid",
        "epsilon": 0.2,
        "services": {"p": {"max_active": 1, "attributes": dict.fromkeys("abcd", SIXTEEN)}},
    }
)


@pytest.mark.parametrize("sample", [False, True])
def test_an_error_is_never_below_the_noise_of_the_design(sample: bool, tmp_path: Path) -> None:
    """Two people, 12 times. At epsilon 0.2 an error is nearly all noise of the devices, which the design tells. Before, that of the
    views that happened to be picked was taken, often 0. The bound is on the floor: no false alarms."""
    sql = "SELECT SUM(a) AS s, COUNT(*) FILTER (WHERE a < 8) AS n FROM p"
    expected = {column.name: column.se for column in PLAN.forecast(sql, users=2).columns}
    for seed in range(12):
        rows = {"uid": [0, 1], **{name: [3, 12] for name in "abcd"}}
        untold.perturb(PLAN, "p", pa.table(rows), out=tmp_path / str(seed), seed=seed, progress=False)
        with untold.connect(tmp_path / str(seed), summaries="in memory") as con:
            (row,) = con.sql(sql, sample=sample).arrow().to_pylist()
        assert row["s_se"] > 0.8 * expected["s"]
        assert row["n_se"] > 0.8 * expected["n"]
