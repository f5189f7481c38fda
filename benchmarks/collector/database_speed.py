"""How fast collectors over one PostgreSQL with a synchronous standby take reports in, all of it on this machine.

Collectors, both databases and the generators share its cores. So two collectors cannot take more than (cores of the machine /
cores that are busy with one) times the reports of one: that bound stands beside the line. It falls with other work on the
machine, whose cores are told as well: on a machine that is not quiet the ratio says little. Rows in which each collector is held
to a share of a core, as on a small machine of its own, leave room for the second: they tell whether the database stands in its way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.collector.cluster import Cluster, OverDatabase
from benchmarks.collector.quota import quota
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
    "generator's",
    "busy cores",
    "other work's",
    "line",
    "held",
)
RATE, BUSY, OTHERS = (COLUMNS.index(name) for name in ("reports/s", "busy cores", "other work's"))
BATCHES, TWICE = 20_000, 1.7  # reports a second; two collectors against one
SHARE = 0.35  # of a core, for each collector that is held


def measured(seconds: float) -> list[list[Value]]:
    """Batches to one collector; single reports to one and to two; the same with each held to a share of a core."""
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
        cluster = Cluster(Path(scratch), 2, options=("--segment-seconds", "5"), direct=True)
        one, both = cluster.collectors[:1], cluster.collectors
        large = {"connections": 8, "seconds": seconds, "size": 1000, "ready": 200}
        single = {"connections": 64, "seconds": seconds, "size": 1, "ready": int(4000 * seconds)}
        try:
            for each in both:
                each.start()
            rows = [row("batches of 1,000", one, 1000, *load(cluster, one, 0, **large))]
            rows[0][-2:] = [f"{BATCHES:,} reports/s", said(number(rows[0], RATE) >= BATCHES)]
            rows += pair("single reports", cluster, 1, single)
            rows += held_pair(cluster, 3, single)
        finally:
            cluster.stop()
    return rows


def pair(name: str, cluster: Cluster, part: int, work: dict[str, Any]) -> list[list[Value]]:
    """Single reports to one collector, and to two."""
    one, both = cluster.collectors[:1], cluster.collectors
    rows = [row(name, one, 1, *load(cluster, one, part * 10**8, **work))]
    rows.append(row(name, both, 1, *load(cluster, both, (part + 1) * 10**8, **work)))
    ratio = number(rows[1], RATE) / number(rows[0], RATE)
    cores = len(os.sched_getaffinity(0))
    bound = max(0.0, cores - number(rows[0], OTHERS)) / number(rows[0], BUSY)
    rows[1][-2:] = [
        f"{TWICE} times one ({ratio:.2f}; what is free of {cores} cores allows {bound:.2f})",
        said(ratio >= TWICE),
    ]
    return rows


def held_pair(cluster: Cluster, part: int, work: dict[str, Any]) -> list[list[Value]]:
    """The same, each collector held to a share of a core; a row that says so where that is not permitted."""
    name = f"single, {SHARE:g} core each"
    quotas = [quota(str(place), SHARE) for place in range(len(cluster.collectors))]
    try:
        if not all(quotas):
            blank: list[Value] = [None] * (len(COLUMNS) - 3)
            return [[name, len(cluster.collectors), *blank, "not permitted here"]]
        for each, collector in zip(quotas, cluster.collectors, strict=True):
            assert each is not None
            assert collector.process is not None
            each.hold(collector.process.pid)
        return pair(name, cluster, part, work)
    finally:
        for each in quotas:
            if each is not None:
                each.end()


def load(
    cluster: Cluster, servers: Sequence[OverDatabase], first: int, **work: Any
) -> tuple[list[dict[str, Any]], float, float]:
    """One generator for each collector, at once; the processor time that both databases took, and the cores that others did."""
    clock, machine = time.perf_counter(), machine_cpu()
    began, base = [each.cpu() for each in servers], cluster.database_cpu()
    running = []
    for place, each in enumerate(servers):
        given = {"port": each.port, "secret": each.tokens.secret.hex(), "first": first + place * 10**7, **work}
        command = [sys.executable, "-m", "benchmarks.collector.load", json.dumps(given)]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT))
    found = [json.loads(each.communicate(timeout=900)[0]) for each in running]
    for result, each, cpu in zip(found, servers, began, strict=True):
        result["cpu"] = each.cpu() - cpu
    database = cluster.database_cpu() - base
    ours = database + sum(each["cpu"] + each["all_cpu"] for each in found)
    return found, database, max(0.0, (machine_cpu() - machine - ours) / (time.perf_counter() - clock))


def machine_cpu() -> float:
    """Seconds of processor time that this machine has spent on anything at all."""
    user, nice, system, _, _, irq, soft, *_ = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def row(
    name: str, servers: Sequence[OverDatabase], size: int, found: list[dict[str, Any]], database: float, others: float
) -> list[Value]:
    """One line of the table."""
    for each in found:
        assert set(each["statuses"]) <= {"200", "503"}, each["statuses"]
    good = [each["statuses"].get("200", 0) for each in found]
    rate = sum(count / each["seconds"] for count, each in zip(good, found, strict=True))
    reports = max(1, sum(good) * size)
    spent = [sum(each["cpu"] for each in found), database, sum(each["own_cpu"] for each in found)]
    busy = sum(spent) / max(each["seconds"] for each in found)
    slowest = [max(each[name] for each in found) for name in ("p50", "p99")]
    print(f"{name}, {len(servers)} collectors: {rate * size:,.0f} reports/s, {busy:.2f} cores", flush=True)
    costs = (each / reports * 1e6 for each in spent)
    return [name, len(servers), rate, rate * size, *slowest, *costs, busy, others, "", ""]


def number(row: list[Value], place: int) -> float:
    """A cell that is one."""
    return float(str(row[place]))


def said(held: bool) -> str:
    return "yes" if held else "NO"
