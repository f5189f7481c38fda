"""Collects many trials of a world into one folder."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

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
    """Everybody reports to every service, in the epochs that they draw if there is a panel."""
    everybody = np.arange(people * trials)
    for service, table in tables.items():
        rows = repeated(table, people, trials)
        if plan.panel is not None:
            _collect_panel(plan, service, rows, everybody, out, seed)
            continue
        population = everybody.tolist() if plan.service(service).rows else None
        untold.perturb(plan, service, rows, population=population, out=out, seed=seed, progress=False)


def _collect_panel(plan: Plan, service: str, rows: pa.Table, everybody: np.ndarray, out: Path, seed: int) -> None:
    """Bulk perturbation leaves the draw of epochs to devices; here it is made for all of them at once."""
    assert plan.panel is not None
    rank = np.random.default_rng(seed).random((len(everybody), plan.panel.epochs)).argsort(axis=1).argsort(axis=1)
    takes_part = rank < plan.panel.report
    with patch("untold.collect.perturb.refuse_other_time", lambda *_: None):
        for epoch in range(plan.panel.epochs):
            own = rows.filter(pc.equal(rows["epoch"], epoch))
            drawn = own.filter(pa.array(takes_part[own["uid"].to_numpy(), epoch])).drop_columns("epoch")
            untold.perturb(plan, service, drawn, out=out, epoch=epoch, seed=seed, progress=False)
