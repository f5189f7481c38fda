"""How fast a join of two services is answered: beside DuckDB's own join and sum over the raw rows, in one run.

Line to hold: a join over 1e6 users in two services within 4x of DuckDB's join and sum over the rows themselves.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.speed import _measure as m
from benchmarks.table import Value, show

import untold

ASKED = {
    "COUNT": "SELECT COUNT(*) AS x FROM one JOIN two USING (uid) WHERE a BETWEEN 20 AND 60 AND b BETWEEN 30 AND 99",
    "SUM": "SELECT SUM(b) AS x FROM one JOIN two USING (uid) WHERE a BETWEEN 20 AND 60",
    "AVG": "SELECT AVG(b) AS x FROM one JOIN two USING (uid) WHERE a BETWEEN 20 AND 60 AND b >= 10",
}


def ask(con: Any, sql: str) -> Any:
    """The answer, with its interval."""
    return con.sql(sql).arrow()


def in_turn(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int) -> list[m.Timed]:
    """Best times of each, measured in turn, so that a busy machine is busy for both."""
    found = [[m.best(each, 1) for each in (ours, theirs)] for _ in range(repeats)]
    return [m.Timed(min(pair[i].wall for pair in found), min(pair[i].cpu for pair in found)) for i in (0, 1)]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed joins")
    parser.add_argument("--users", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args(argv)
    users = int(options.users)
    value = {"kind": "ordinal", "low": 0, "high": m.VALUES - 1}
    services = {"one": {"attributes": {"a": value}}, "two": {"attributes": {"b": value}}}
    plan = untold.Plan.from_dict({"name": "joins", "user_key": "uid", "epsilon": 2.0, "services": services})
    before = m.machine()
    rows: list[list[Value]] = []
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        raw, out = Path(folder), Path(folder) / "reports"
        rng = np.random.default_rng(1)
        for name, column in (("one", "a"), ("two", "b")):
            table = pa.table({"uid": rng.permutation(users), column: rng.integers(0, m.VALUES, users)})
            pq.write_table(table, raw / f"{name}.parquet", row_group_size=m.ROW_GROUP)
            untold.perturb(plan, name, raw / f"{name}.parquet", out=out, progress=False)
        db = duckdb.connect()
        for name in services:
            db.execute(f"CREATE VIEW {name} AS FROM '{raw / name}.parquet'")
        with untold.connect(out, summaries=False) as con:
            for what, sql in ASKED.items():
                ours, raw_rows = in_turn(partial(ask, con, sql), partial(db.execute, sql), options.repeats)
                times = [1e3 * t for timed in (ours, raw_rows) for t in (timed.wall, timed.cpu)]
                rows.append([what, users, *times, ours.wall / raw_rows.wall, "4"])
    title = (
        f"A join of two services ({before}; afterwards {m.machine()}). Best of {options.repeats}, warm, milliseconds."
    )
    columns = ["what", "users", "untold wall", "untold cpu", "DuckDB wall", "DuckDB cpu", "ratio", "line"]
    show("speed-joins", title, columns, rows)
