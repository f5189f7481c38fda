"""Collecting 32 attributes of a million people, and releasing all 496 two-way marginals.

    scripts/bench speed marginals [--people 1000000] [--repeats 3]

Collection is the whole way: a Parquet file in, checked rows, secure draws, a segment and its manifest out. Releasing
is from the folder: counting reports, consistency, and every table with its standard errors.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.speed._measure import best, machine
from benchmarks.table import show

import untold
from untold.marginals import load, plan_for

ATTRIBUTES = 32
COLLECT, RELEASE = 2.0, 5.0  # seconds wanted, for a million people


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench speed marginals")
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(argv)
    names = [f"a{i}" for i in range(ATTRIBUTES)]
    plan = plan_for({name: {"kind": "categorical", "values": [0, 1]} for name in names}, 1.0, options.people, 3)
    with tempfile.TemporaryDirectory() as scratch:
        source, folders = Path(scratch) / "people.parquet", iter(range(1000))
        pq.write_table(people(options.people, names), source)
        made: list[Path] = []

        def collect() -> None:
            made.append(Path(scratch) / f"reports{next(folders)}")
            untold.perturb(plan, "people", source, out=made[-1], progress=False)

        def release() -> None:
            found = load(made[-1])
            for pair in combinations(names, 2):
                _ = found.release(pair).result

        collected = best(collect, options.repeats)
        released = best(release, options.repeats)
    views = len(plan.design("people").views)
    rows: list[list[str | int | float | None]] = [
        ["collect 32 attributes", collected.wall, collected.cpu, COLLECT, verdict(collected.wall, COLLECT)],
        ["all 496 two-way marginals", released.wall, released.cpu, RELEASE, verdict(released.wall, RELEASE)],
    ]
    title = f"{options.people:,} people, {views} views, {machine()}"
    show("speed-marginals", title, ["step", "seconds", "processor seconds", "wanted below", "verdict"], rows)


def people(rows: int, names: list[str]) -> pa.Table:
    """Related bits, some frequent, some rare."""
    rng = np.random.default_rng(7)
    base = rng.random(rows, dtype=np.float32)
    bits = {
        name: ((0.5 * base + 0.5 * rng.random(rows, dtype=np.float32)) < 0.1 + 0.02 * i).astype(np.int8)
        for i, name in enumerate(names)
    }
    return pa.table({"uid": rng.permutation(rows), **bits})


def verdict(seconds: float, wanted: float) -> str:
    """Whether it is fast enough."""
    return "met" if seconds <= wanted else "missed"
