"""Many small collections in one folder: a public column `trial` tells them apart, so one query answers all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import untold

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 9},
    "sick": {"kind": "categorical", "values": ["no", "yes"]},
    "trial": {"kind": "public"},
}
TRIALS, PEOPLE = 400, 100


def plan_over_time(epsilon: float = 4.0, **more: Any) -> untold.Plan:
    """One service of people that is collected epoch by epoch, and whatever else is said."""
    services = {"people": {"attributes": ATTRIBUTES}} | more.pop("services", {})
    declared = {"name": "years", "user_key": "uid", "epsilon": epsilon, "lifetime": 1000.0, "services": services}
    return untold.Plan.from_dict(declared | more)


def people(epochs: int, trials: int = TRIALS, size: int = PEOPLE, seed: int = 1) -> list[pa.Table]:
    """The true rows of every epoch: the same people, who age little and fall sick anew."""
    rng = np.random.default_rng(seed)
    count = trials * size
    born, prone = rng.integers(0, 8, count), rng.random(count)
    return [
        pa.table(
            {
                "uid": np.arange(count),
                "age": np.minimum(born + epoch // 2, 9),
                "sick": np.where(rng.random(count) < 0.1 + 0.5 * prone, "yes", "no"),
                "trial": np.arange(count) // size,
            }
        )
        for epoch in range(epochs)
    ]


def collect(plan: untold.Plan, tables: Sequence[pa.Table], out: Path, first_seed: int = 100) -> Path:
    """Everybody reports in every epoch, or in those of a panel."""
    for epoch, table in enumerate(tables):
        untold.perturb(plan, "people", table, out=out, epoch=epoch, seed=first_seed + epoch)
    return out


def covered(
    answer: pa.Table, truth: dict[tuple[Any, ...], float], keys: Sequence[str], name: str = "x"
) -> tuple[float, float]:
    """The share of rows whose interval holds the truth, and the root mean square of errors over that of standard errors."""
    rows = answer.to_pylist()
    errors = np.array([row[name] - truth[tuple(row[key] for key in keys)] for row in rows])
    inside = [row[f"{name}_low"] <= truth[tuple(row[key] for key in keys)] <= row[f"{name}_high"] for row in rows]
    se = np.array([row[f"{name}_se"] for row in rows])
    return float(np.mean(inside)), float(np.sqrt((se**2).mean() / (errors**2).mean()))
