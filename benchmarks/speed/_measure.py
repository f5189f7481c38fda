"""What the speed benchmarks share: a plan with two attributes, timings, peers, processes with their peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.peers.run import SCRIPTS, run

import untold

SERVICE = "people"
VALUES = 125
CELLS = VALUES**2
QUERY = f"SELECT COUNT(*) AS n FROM {SERVICE} WHERE a BETWEEN 20 AND 60 AND b BETWEEN 30 AND 99"
PIECE = 1_000_000  # rows that are made at once
ROW_GROUP = 1 << 18  # as in untold's own segments


@dataclass(frozen=True)
class Timed:
    """Seconds, best of several: on the clock, and of processor time on all threads."""

    wall: float
    cpu: float


def best(work: Callable[[], Any], repeats: int) -> Timed:
    """The first run is not timed: it compiles and fills caches."""
    work()
    found = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return Timed(min(wall for wall, _ in found), min(cpu for _, cpu in found))


def two_attributes(oracle: str | None = None) -> untold.Plan:
    """125 x 125 cells at epsilon 1, the default design."""
    attribute = {"kind": "ordinal", "low": 0, "high": VALUES - 1}
    service: dict[str, Any] = {"attributes": {"a": attribute, "b": attribute}}
    if oracle:
        service["oracle"] = oracle
    return untold.Plan.from_dict({"name": "speed", "user_key": "uid", "epsilon": 1.0, "services": {SERVICE: service}})


def people(rows: int, first: int = 0) -> pa.Table:
    """User keys in no order, from `first` on, and two values each."""
    rng = np.random.default_rng(first + rows)
    a = rng.integers(0, VALUES, rows)
    return pa.table({"uid": first + rng.permutation(rows), "a": a, "b": (a + rng.integers(0, 60, rows)) % VALUES})


def write_people(path: Path, rows: int, first: int = 0) -> None:
    """The same as a Parquet file, piece by piece."""
    with pq.ParquetWriter(path, people(1).schema, compression="zstd") as writer:
        for start in range(0, rows, PIECE):
            writer.write_table(people(min(PIECE, rows - start), first + start), row_group_size=ROW_GROUP)


def peers() -> list[dict[str, Any]]:
    """What every peer library measured, in an environment of its own."""
    return [run(name) for name in SCRIPTS]


def fastest(measured: list[dict[str, Any]], what: str, cells: int) -> tuple[float, str]:
    """The least nanoseconds of all peers, and whose they are."""
    return min((peer[what][str(cells)], peer["library"]) for peer in measured)


def in_a_process(code: str, *arguments: str) -> dict[str, float]:
    """Run Python code in a process of its own: its peak of memory in gigabytes, and what it leaves in `found`."""
    process = subprocess.run(
        [sys.executable, "-c", code + PEAK, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    measured: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return measured


# Not ru_maxrss: a process inherits that from the one that started it.
PEAK = """
import json, pathlib
peak = next(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps(found | {"gigabytes": int(peak.split()[1]) * 1024 / 1e9}))
"""


def machine() -> str:
    """Cores and how busy they are: on a busy machine trust processor time, and ratios within one run."""
    return f"{os.cpu_count()} cores, load {' '.join(f'{load:.1f}' for load in os.getloadavg())}"
