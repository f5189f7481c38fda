"""How fast collectors over one PostgreSQL with a synchronous standby take reports in, all of it on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.collector.cluster import Cluster, OverDatabase
from benchmarks.collector.server import ROOT
from benchmarks.table import Value

COLUMNS = (
    "work",
    "collectors",
    "requests/s",
    "reports/s",
    "p50 ms",
    "p99 ms",
    "CPU us/report",
    "database's",
    "line",
    "held",
)
BATCHES, TWICE = 20_000, 1.7  # reports a second; two collectors against one


def measured(seconds: float) -> list[list[Value]]:
    """Batches to one collector, then single reports to one and to two."""
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
        cluster = Cluster(Path(scratch), 2, options=("--segment-seconds", "5"))
        try:
            for each in cluster.collectors:
                each.start()
            one = cluster.collectors[:1]
            large = {"connections": 8, "seconds": seconds, "size": 1000, "ready": 200}
            single = {"seconds": seconds, "size": 1, "ready": int(4000 * seconds)}
            rows = [row("batches of 1,000", one, 1000, *load(cluster, one, 0, **large))]
            rows.append(row("single reports", one, 1, *load(cluster, one, 10**8, connections=64, **single)))
            both = load(cluster, cluster.collectors, 2 * 10**8, connections=64, **single)
            rows.append(row("single reports", cluster.collectors, 1, *both))
        finally:
            cluster.stop()
    ratio = float(str(rows[2][3])) / float(str(rows[1][3]))
    rows[0][-2:] = [f"{BATCHES:,} reports/s", said(float(str(rows[0][3])) >= BATCHES)]
    rows[2][-2:] = [f"{TWICE} times one ({ratio:.2f})", said(ratio >= TWICE)]
    return rows


def load(
    cluster: Cluster, servers: Sequence[OverDatabase], first: int, **work: Any
) -> tuple[list[dict[str, Any]], float]:
    """One generator for each collector, at once; and the processor time that both databases took."""
    began, base = [each.cpu() for each in servers], cluster.database_cpu()
    running = []
    for place, each in enumerate(servers):
        given = {"port": each.port, "secret": each.tokens.secret.hex(), "first": first + place * 10**7, **work}
        command = [sys.executable, "-m", "benchmarks.collector.load", json.dumps(given)]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT))
    found = [json.loads(each.communicate(timeout=900)[0]) for each in running]
    for result, each, cpu in zip(found, servers, began, strict=True):
        result["cpu"] = each.cpu() - cpu
    return found, cluster.database_cpu() - base


def row(
    name: str, servers: Sequence[OverDatabase], size: int, found: list[dict[str, Any]], database: float
) -> list[Value]:
    """One line of the table."""
    for each in found:
        assert set(each["statuses"]) <= {"200", "503"}, each["statuses"]
    good = [each["statuses"].get("200", 0) for each in found]
    rate = sum(count / each["seconds"] for count, each in zip(good, found, strict=True))
    reports = max(1, sum(good) * size)
    cpu = [sum(each["cpu"] for each in found) / reports * 1e6, database / reports * 1e6]
    slowest = [max(each[name] for each in found) for name in ("p50", "p99")]
    print(f"{name}, {len(servers)} collectors: {rate * size:,.0f} reports/s", flush=True)
    return [name, len(servers), rate, rate * size, *slowest, *cpu, "", ""]


def said(held: bool) -> str:
    return "yes" if held else "NO"
