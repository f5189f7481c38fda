"""What a process pays before its first answer: loading a plan, and a cold `untold query` beside a cold DuckDB."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.table import Value

LINES = {4: 1.0, 8: 1.0, 16: 2.0, 32: 3.0, 100: 10.0}  # seconds of a first load
CACHED = 0.2
COLD = 2.5  # times the processor time of DUCKDB
DUCKDB = "import duckdb; duckdb.sql('select 1').fetchall()"
ASKED = "SELECT state, COUNT(*) AS people FROM users GROUP BY state"
LOAD = """
import json, sys, time
import untold
given = json.load(sys.stdin)
untold.Plan.from_dict({**given, "services": {"t": {"attributes": {"a": {"kind": "categorical", "values": ["x", "y"]}}}}})
wall, cpu = time.perf_counter(), time.process_time()
untold.Plan.from_dict(given)
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def loads(declared: dict[int, dict[str, Any]]) -> list[list[Value]]:
    """The first load of each plan, and the next from the cache: seconds on the clock and of processor time."""
    rows: list[list[Value]] = []
    for count, plan in declared.items():
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as cache:
            settings = os.environ | {"XDG_CACHE_HOME": cache}
            found = [_loaded(plan, settings) for _ in range(4)]
        again = [min(each[i] for each in found[1:]) for i in (0, 1)]
        rows.append([count, *found[0], LINES.get(count, 10.0), *again, CACHED])
    return rows


def _loaded(plan: dict[str, Any], settings: dict[str, str]) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", LOAD], input=json.dumps(plan), env=settings, text=True, capture_output=True, check=True
    )
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def cold(repeats: int) -> list[list[Value]]:
    """`untold query` on the demo's folder and DuckDB's SELECT 1, in turn, each in a process of its own.

    Bytecode is there, as pip leaves it: DuckDB's is in any case.
    """
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as place:
        settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        settings |= {"PYTHONPYCACHEPREFIX": str(Path(place) / "bytecode")}
        untold = [sys.executable, "-m", "untold"]
        made = [*untold, "demo", "--quick", "--out", str(Path(place) / "demo")]
        subprocess.run(made, env=settings, check=True, capture_output=True)
        ask = [*untold, "query", str(Path(place) / "demo" / "reports"), ASKED]
        theirs = [sys.executable, "-c", DUCKDB]
        pairs = [(_processor(ask, settings), _processor(theirs, settings)) for _ in range(repeats + 1)][1:]
    ours, duck = (median(each[i] for each in pairs) for i in (0, 1))
    return [[1e3 * ours, 1e3 * duck, median(a / b for a, b in pairs), COLD]]


def _processor(command: Sequence[str], settings: dict[str, str]) -> float:
    """Seconds of processor time, of the program and of the system for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=settings, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
