"""Collects many trials of a world into one folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import untold
from benchmarks.coverage.worlds import Tables
from untold.plan import Plan


def repeated(table: pa.Table, people: int, trials: int) -> pa.Table:
    """The same rows for every trial; trial t has the people from t * people on."""
    rows = pa.concat_tables([table] * trials)
    uid = np.tile(table["uid"].to_numpy(), trials) + people * np.repeat(np.arange(trials), table.num_rows)
    return rows.set_column(0, "uid", pa.array(uid))


def collect(plan: Plan, tables: Tables, people: int, trials: int, out: Path, seed: int) -> None:
    """Everybody reports to every service, in the epochs that are drawn for them if there is a panel."""
    everybody = np.arange(people * trials)
    for service, table in tables.items():
        rows = repeated(table, people, trials)
        population = everybody.tolist() if plan.service(service).rows else None
        if plan.panel is None:
            untold.perturb(plan, service, rows, population=population, out=out, seed=seed, progress=False)
            continue
        for epoch in range(plan.panel.epochs):
            own = rows.filter(pc.equal(rows["epoch"], epoch)).drop_columns("epoch")
            untold.perturb(plan, service, own, out=out, epoch=epoch, seed=seed, progress=False)
