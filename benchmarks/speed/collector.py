"""How fast a collector takes reports in, with the load generator beside it on the same cores.

Lines to hold: 4,000 requests a second with a single report each, 99 of 100 answered within 150 ms; 60,000 durable reports
a second in batches of 1,000; ten times too many connections are told to come back and the next minute is as good as the
one before; memory does not grow with the number of reports. Over PostgreSQL with a synchronous standby: 20,000 reports a
second in batches, and two collectors take 1.7 times the single reports of one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.collector import database_speed
from benchmarks.collector.postgres import available
from benchmarks.collector.questions import asking
from benchmarks.collector.server import ROOT, Server
from benchmarks.table import Value, show

COLUMNS = (
    "work",
    "reports",
    "seconds",
    "requests/s",
    "reports/s",
    "p50 ms",
    "p99 ms",
    "turned away",
    "CPU us/request",
    "line",
    "held",
)
MEMORY = ("reports", "MB", "anonymous MB", "of files MB")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed collector")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--reports", type=float, default=1e7, help="over which memory is watched")
    parser.add_argument("--only", choices=("folder", "postgresql"), help="one kind of ledger alone")
    options = parser.parse_args(argv)
    if options.only != "folder":
        if available():
            rows = database_speed.measured(options.seconds)
            show("collector_postgresql", "Collectors over PostgreSQL on this machine", database_speed.COLUMNS, rows)
        else:
            print("PostgreSQL is not installed.")
    if options.only != "postgresql":
        over_folder(options)


def over_folder(options: argparse.Namespace) -> None:
    """One collector over a folder."""
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
        server = Server(Path(scratch) / "r")
        began = server.start()
        print(f"started in {began:.2f} s")
        try:
            rows = measured(server, options.seconds)
            show("collector", "A collector and its load generator on this machine", COLUMNS, rows)
            grown = memory(server, int(options.reports))
            show("collector_memory", "Resident memory of the collector", MEMORY, grown)
        finally:
            server.stop()
        again = server.start()
        server.stop()
        print(f"started again over {grown[-1][0]:,} reports in {again:.2f} s")


def load(server: Server, first: int, **work: Any) -> dict[str, Any]:
    """Run the generator beside the collector."""
    given = {"port": server.port, "secret": server.tokens.secret.hex(), "first": first, **work}
    command = [sys.executable, "-m", "benchmarks.collector.load", json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measured(server: Server, seconds: float) -> list[list[Value]]:
    """Singles, batches, overload, and singles again."""
    ready = int(6000 * seconds)
    single = {"connections": 64, "seconds": seconds, "ready": ready}
    rows = []
    for name, first, size, work, rate, slowest in (
        ("single reports", 0, 1, single, 4000, 150.0),
        ("batches of 1,000", 10**7, 1000, {"connections": 8, "seconds": seconds, "ready": 500}, 60, None),
        ("10x too many connections", 10**9, 1, {"connections": 5120, "seconds": seconds, "ready": ready}, None, None),
        ("within 10 s after", 2 * 10**9, 1, {**single, "seconds": 9.0}, 4000, 150.0),
    ):
        began, cpu = time.perf_counter(), server.cpu()
        found = load(server, first, size=size, **work)
        found["cpu"] = server.cpu() - cpu
        rows.append(row(name, size, found, rate, slowest))
        print(f"{name}: {found['statuses']} in {time.perf_counter() - began:.0f} s", flush=True)
    server.operate("/flush")
    with asking(server):
        time.sleep(3)  # until the first processes work
        cpu = server.cpu()
        found = load(server, 5 * 10**8, size=1, **single)
    found["cpu"] = server.cpu() - cpu
    alone = float(str(rows[0][3]))
    rows.append(row("single, beside slow questions", 1, found, alone / 2, None))
    return rows


def row(name: str, size: int, found: dict[str, Any], rate: float | None, slowest: float | None) -> list[Value]:
    """One line of the table."""
    good, all_ = found["statuses"].get("200", 0), sum(found["statuses"].values())
    away = sum(count for status, count in found["statuses"].items() if status in ("429", "503"))
    wrong = all_ - good - away
    per_second = good / found["seconds"]
    lines = [] if rate is None else [f"{rate * size:,.0f} reports/s"]
    lines += [] if slowest is None else [f"p99 < {slowest:g} ms"]
    held = (rate is None or per_second >= rate) and (slowest is None or found["p99"] < slowest) and not wrong
    if rate is None:
        lines, held = ["some turned away, no other failure"], away > 0 and not wrong
    return [
        *(name, good * size, found["seconds"], per_second, per_second * size, found["p50"], found["p99"], away),
        *(found["cpu"] / all_ * 1e6, ", ".join(lines), "yes" if held else "NO"),
    ]


def memory(server: Server, reports: int) -> list[list[Value]]:
    """Resident memory while reports come in, a tenth at a time."""
    rows: list[list[Value]] = []
    for part in range(11):
        if part:
            first = 3 * 10**9 + (part - 1) * reports // 10
            load(server, first, size=1000, connections=8, seconds=600, requests=reports // 10_000)
        server.operate("/flush")
        found = server.memory()
        rows.append([part * reports // 10, found["all"], found["anonymous"], found["files"]])
        print(f"{rows[-1][0]:,} reports: {found}", flush=True)
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
