"""Synthetic rows are drawn from best guesses: what attributes do together is in them where reports tell it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

import untold

PEOPLE, COLUMNS = 40_000, 6


def correlation(table: pa.Table, one: str, other: str) -> float:
    return float(np.corrcoef(table[one].to_numpy(), table[other].to_numpy())[0, 1])


def test_rows_of_many_columns_keep_what_pairs_do_together(tmp_path: Path) -> None:
    """Of 15 pairs, three are related, by 0.8. In rows from the plausible marginals, as before, one of them falls short."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(PEOPLE, COLUMNS // 2))
    columns = {
        f"c{i}": np.clip(8 + 2.5 * (0.9 * base[:, i // 2] + 0.44 * rng.normal(size=PEOPLE)), 0, 15)
        for i in range(COLUMNS)
    }
    columns = {name: values.astype(np.int64) for name, values in columns.items()}
    attributes = {name: {"kind": "ordinal", "low": 0, "high": 15} for name in columns}
    services = {"t": {"max_active": 2, "attributes": attributes}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 5.0, "services": services})
    truth = pa.table({"uid": np.arange(PEOPLE), **columns})
    untold.perturb(plan, "t", truth, out=tmp_path / "r", seed=1, progress=False)
    with untold.connect(tmp_path / "r") as con:
        marginals = con.marginals()
        rows = marginals.sample(20_000, seed=3)
        for pair in range(COLUMNS // 2):
            one, other = f"c{2 * pair}", f"c{2 * pair + 1}"
            assert correlation(truth, one, other) > 0.75
            assert correlation(rows, one, other) > 0.4
        assert abs(correlation(rows, "c0", "c5")) < 0.2
        assert rows.equals(marginals.sample(20_000, seed=3))
        marginals.releaser.guessed = None
        before = marginals.sample(20_000, seed=3)
    assert min(correlation(before, f"c{2 * pair}", f"c{2 * pair + 1}") for pair in range(COLUMNS // 2)) < 0.4
