"""The shop of the overview, small: a plan and tables that follow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from untold.plan import Plan

USERS = {
    "max_active": 2,
    "attributes": {
        "age": {"kind": "ordinal", "low": 1, "high": 125},
        "income": {"kind": "ordinal", "low": 0, "high": 250_000, "bins": 125},
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
        "os": {"kind": "public"},
    },
}
SALES = {
    "rows_per_user": {"max": 4, "report": 2},
    "attributes": {
        "amount": {"kind": "ordinal", "low": 0, "high": 500, "bins": 100},
        "category": {"kind": "categorical", "values": ["sports", "food", "other"]},
    },
}


def declare(**services: Any) -> Plan:
    return Plan.from_dict({"name": "shop", "user_key": "uid", "epsilon": 2.0, "lifetime": 20.0, "services": services})


PLAN = declare(users=USERS, sales=SALES)


def users(n: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "uid": [f"u{i}" for i in range(n)],
            "age": rng.integers(1, 126, n),
            "income": rng.uniform(0, 250_000, n),
            "state": rng.choice(["NY", "WA", "CA"], n).tolist(),
            "os": rng.choice(["ios", "android"], n).tolist(),
        }
    )


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, pa.array(values))


def with_value(table: pa.Table, name: str, row: int, value: Any) -> pa.Table:
    values = table[name].to_pylist()
    return with_column(table, name, [*values[:row], value, *values[row + 1 :]])


def everything(root: Path) -> list[str]:
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*"))
