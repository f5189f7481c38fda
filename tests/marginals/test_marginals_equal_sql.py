"""A marginal is a GROUP BY: both are read from the same evidence, and print the same numbers."""

import numpy as np
import pyarrow as pa
import pytest

import untold

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 24},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    "pay": {"kind": "ordinal", "low": 0, "high": 7, "missing": True},
}


@pytest.mark.parametrize("settings", [{}, {"max_active": 2}, {"design": "hio"}, {"fanout": 2}])
@pytest.mark.parametrize("attributes", [["age"], ["state", "pay"], ["pay", "age"]])
def test_estimates_and_variances_agree(tmp_path, settings, attributes):
    """con.sql said 3,285.6 +- 485.3 of a count and con.marginals 3,279.0 +- 481.4."""
    service = {"attributes": ATTRIBUTES, **settings}
    plan = untold.Plan.from_dict({"name": "m", "user_key": "uid", "epsilon": 2.0, "services": {"s": service}})
    rng, n = np.random.default_rng(1), 2_000
    people = {
        "uid": np.arange(n),
        "age": rng.integers(0, 25, n),
        "state": np.array(["NY", "WA", "CA"])[rng.integers(0, 3, n)],
        "pay": rng.integers(0, 8, n),
    }
    untold.perturb(plan, "s", pa.table(people), out=tmp_path / "r", seed=1)
    names = ", ".join(attributes)
    with untold.connect(tmp_path / "r") as con:
        found = con.marginals().unbiased(attributes)
        rows = con.sql(f"SELECT {names}, COUNT(*) AS n FROM s GROUP BY {names}").df()
    assert len(rows) == found.table.size
    assert found.table.reshape(-1) * n == pytest.approx(rows["n"].to_numpy(), rel=1e-9, abs=1e-9)
    assert (found.errors.reshape(-1) * n) ** 2 == pytest.approx(rows["n_se"].to_numpy() ** 2, rel=1e-9, abs=1e-9)
