"""How fast records become reports, and reports become counts: beside pure-ldp and multi-freq-ldpy, in one run.

Lines to hold: encoding with secure randomness 100x the fastest peer and 10 million reports a second on two cores,
everything included; all 15,625 cells of a view from a million reports within 0.1 s and 10,000x the peers; ten million
users from Parquet to Parquet within 1.5 GB.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.speed import _measure as m
from benchmarks.table import Value, show

import untold
from untold.collect import pool
from untold.collect.bulk import encode_codes
from untold.collect.sources import BATCH
from untold.exact import NANO
from untold.plan.designs.base import oracle_for
from untold.randomness import Secure

COLUMNS = (
    "work",
    "oracle",
    "threads",
    "reports",
    "ns",
    "cpu ns",
    "millions/s",
    "GB",
    "peer ns",
    "fastest peer",
    "times faster",
    "per core",
    "line",
)
PERTURB = """
import sys, time, untold
start = time.perf_counter()
collected = untold.perturb(untold.Plan.load(sys.argv[1]), "people", sys.argv[2], out=sys.argv[3], progress=False)
found = {"seconds": time.perf_counter() - start, "reports": collected.reports}
"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed encode")
    parser.add_argument("--reports", type=float, default=1e6, help="reports to encode and to decode in memory")
    parser.add_argument("--users", type=float, nargs="*", default=[1e7, 2e7], help="users from Parquet to Parquet")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args(argv)
    measured = m.peers()
    before = m.machine()
    rows = [
        row for oracle in (None, "olh") for row in encoding(oracle, int(options.reports), options.repeats, measured)
    ]
    rows.append(decoding(int(options.reports), options.repeats, measured))
    rows += [parquet_to_parquet(int(users)) for users in options.users]
    rows += known(measured)
    title = (
        f"Encoding 125 x 125 values at epsilon 1 with secure randomness ({before}; afterwards {m.machine()}).\n"
        "ns are per report, best of several, on the clock; cpu ns are processor time, all threads together. A peer encodes\n"
        "one of 15,625 cells with OLH on one thread; its ns are processor time, so a busy machine counts against us alone.\n"
        "Times faster: by the clock; per core: processor time against processor time.\n"
        "Peers decode too slowly to wait for: their time for 20 reports and 15,625 cells is scaled to as many reports."
    )
    show("speed-encode", title, COLUMNS, rows)


def encoding(oracle: str | None, reports: int, repeats: int, measured: list[dict[str, Any]]) -> Iterator[list[Value]]:
    """A table in memory to a table of reports, and the loop inside alone, on one and two threads."""
    plan, table = m.two_attributes(oracle), m.people(reports)
    design = plan.design(m.SERVICE)
    codes = [table.column(name).to_numpy().astype(np.uint32) for name in ("a", "b")]
    parts = [[column[i : i + BATCH] for column in codes] for i in range(0, reports, BATCH)]
    peer, whose = m.fastest(measured, "olh_encode_ns", m.CELLS)
    name = oracle or "AGR"
    for threads in (1, 2):
        with threads_of(threads), ThreadPoolExecutor(threads) as workers:
            inner = m.best(lambda: list(workers.map(lambda part: encode_codes(design, part, Secure()), parts)), repeats)
            whole = m.best(lambda: untold.perturb(plan, m.SERVICE, table, progress=False, ledger={}), repeats)
        for work, time in (("encode codes", inner), ("perturb a table", whole)):
            ns = time.wall * 1e9 / reports
            line = "100x; 10 millions/s on two" if work == "perturb a table" else None
            cpu = time.cpu * 1e9 / reports
            yield [work, name, threads, reports, ns, cpu, 1e3 / ns, None, peer, whose, peer / ns, peer / cpu, line]


@contextmanager
def threads_of(count: int) -> Iterator[None]:
    """Let perturb use this many threads."""
    usual, pool.threads = pool.threads, lambda: count
    try:
        yield
    finally:
        pool.threads = usual


def decoding(reports: int, repeats: int, measured: list[dict[str, Any]]) -> list[Value]:
    """All cells of the finest view, for reports that are all about it."""
    oracle = oracle_for("auto", NANO, m.CELLS)
    cells = np.random.default_rng(3).integers(0, m.CELLS, reports)
    messages = oracle.encode_many(cells, Secure())
    time = m.best(lambda: oracle.estimate(messages), repeats)
    per_cell, whose = m.fastest(measured, "olh_count_ns_per_cell", m.CELLS)
    ns, peer = time.wall * 1e9 / reports, per_cell * m.CELLS
    cpu = time.cpu * 1e9 / reports
    line = f"under 0.1 s (here {time.wall:.3f}); 10,000x"
    return [
        f"decode {m.CELLS:,} cells",
        oracle.name,
        1,
        reports,
        ns,
        cpu,
        1e3 / ns,
        None,
        peer,
        whose,
        peer / ns,
        peer / cpu,
        line,
    ]


def parquet_to_parquet(users: int) -> list[Value]:
    """In a process of its own, for its peak of memory; key checks and the disk included."""
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as name:
        folder = Path(name)
        m.write_people(folder / "people.parquet", users)
        (folder / "plan.json").write_text(m.two_attributes().to_json())
        found = m.in_a_process(
            PERTURB, str(folder / "plan.json"), str(folder / "people.parquet"), str(folder / "reports")
        )
    ns = found["seconds"] * 1e9 / users
    line = f"under 1.5 GB ({found['seconds']:.1f} s)"
    return ["Parquet to Parquet", "AGR", 2, users, ns, None, 1e3 / ns, found["gigabytes"], None, None, None, None, line]


def known(measured: list[dict[str, Any]]) -> Iterator[list[Value]]:
    """The peers themselves, at as many cells."""
    for peer in measured:
        for what, oracle in (("olh_encode_ns", "olh"), ("grr_encode_ns", "grr")):
            ns = peer[what][str(m.CELLS)]
            library = f"{peer['library']} {peer['version']}"
            yield [f"{library}: encode", oracle, 1, None, ns, None, 1e3 / ns, None, None, None, None, None, None]
