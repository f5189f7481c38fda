"""How fast questions are answered: beside the peers' support counting and DuckDB's own COUNT over the raw rows, in one run.

Lines to hold: OLH support counting 4,000x the fastest peer; a two-range COUNT over a million reports, without a
summary, within 4x of DuckDB's COUNT over the rows themselves; with a summary within 20 ms whatever n; memory that does
not grow with n.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from benchmarks.speed import _measure as m
from benchmarks.table import Value, show

import untold
from untold.oracles import OLH
from untold.randomness import Secure

COLUMNS = ("work", "reports", "cells", "unit", "wall", "cpu", "beside", "its wall", "ratio", "GB", "line")
COUNTED = {20: 4_000_000, 125: 1_000_000, 1000: 200_000, m.CELLS: 20_000}  # cells: reports
MOST_BESIDE = 10_000_000  # beyond, DuckDB's own time is of no interest
ASK = """
import sys, time, untold
con = untold.connect(sys.argv[1], summaries=False)
start = time.perf_counter()
con.sql(sys.argv[2]).arrow()
found = {"seconds": time.perf_counter() - start}
"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed query")
    parser.add_argument("--reports", type=float, nargs="*", default=[1e5, 1e6, 1e7, 1e8], help="how many to ask")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args(argv)
    measured = m.peers()
    before = m.machine()
    rows = list(counting(options.repeats, measured))
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        for reports in map(int, options.reports):
            rows += asking(Path(folder), reports, options.repeats)
    title = (
        f"Asking 125 x 125 values at epsilon 1 ({before}; afterwards {m.machine()}). Best of several, warm.\n"
        "wall and cpu in the unit named; ratio is peer / untold for counting, untold / DuckDB for COUNT."
    )
    show("speed-query", title, COLUMNS, rows)


def counting(repeats: int, measured: list[dict[str, Any]]) -> Iterator[list[Value]]:
    """For every cell, how many OLH reports support it."""
    for cells, reports in COUNTED.items():
        oracle = OLH(1.0, cells)
        messages = oracle.encode_many(np.random.default_rng(1).integers(0, cells, reports), Secure())
        time = m.best(partial(oracle.support_counts, messages), min(repeats, 9))
        ns, cpu = time.wall * 1e9 / reports / cells, time.cpu * 1e9 / reports / cells
        peer, whose = m.fastest(measured, "olh_count_ns_per_cell", cells)
        yield ["OLH support counting", reports, cells, "ns a cell", ns, cpu, whose, peer, peer / ns, None, "4,000x"]


def asking(folder: Path, reports: int, repeats: int) -> Iterator[list[Value]]:
    """The same COUNT over raw rows, by a scan of reports (blue and greedy), and from a summary."""
    raw, out = folder / f"{reports}.parquet", folder / f"reports-{reports}"
    m.write_people(raw, reports)
    untold.perturb(m.two_attributes(), m.SERVICE, raw, out=out, progress=False)
    if reports <= MOST_BESIDE:
        yield from beside_duckdb(raw, out, reports, repeats if reports <= 1_000_000 else 3)
    found = m.in_a_process(ASK, str(out), m.QUERY)
    milliseconds = found["seconds"] * 1e3
    row: list[Value] = ["COUNT, scan, own process, cold", reports, None, "ms", milliseconds]
    yield [*row, None, None, None, None, found["gigabytes"], "GB the same for every n"]
    with untold.connect(out) as indexed:
        indexed.index()
        time = m.best(lambda: indexed.sql(m.QUERY).arrow(), repeats)
    yield [
        "COUNT, summary",
        reports,
        None,
        "ms",
        time.wall * 1e3,
        time.cpu * 1e3,
        None,
        None,
        None,
        None,
        "under 20 ms",
    ]
    raw.unlink()


def beside_duckdb(raw: Path, out: Path, reports: int, repeats: int) -> Iterator[list[Value]]:
    """untold and DuckDB in turn, so that both see the same machine."""
    own = duckdb.connect()
    sql = m.QUERY.replace(m.SERVICE, f"'{raw}'")
    with untold.connect(out, summaries=False) as con:
        for estimator in ("blue", "greedy"):
            ask = partial(con.sql, m.QUERY, estimator=estimator)
            base = m.best(lambda: own.execute(sql).fetchall(), repeats)
            time = m.best(partial(answered, ask), repeats)
            again = m.best(lambda: own.execute(sql).fetchall(), repeats)
            wall, cpu = min(base.wall, again.wall), min(base.cpu, again.cpu)
            row: list[Value] = [f"COUNT, scan, {estimator}", reports, None, "ms", time.wall * 1e3, time.cpu * 1e3]
            line = f"at most 4x (of cpu: {time.cpu / cpu:.2g}x)" if reports == 1_000_000 else None
            yield [*row, "DuckDB, raw rows", wall * 1e3, time.wall / wall, None, line]
    own.close()


def answered(ask: Callable[[], untold.Answer]) -> None:
    """Have the answer, not only the promise of one."""
    ask().arrow()
