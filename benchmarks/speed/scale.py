"""How time and memory grow with the number of reports: DuckDB and Spark on one and on two cores, in one run.

Lines to hold: time linear in n (slope 0.9 to 1.1 on logarithmic axes); memory of the Python side flat; Spark local[2] at
least 1.6x as fast as local[1] at 1e8, on a machine that is quiet enough.

A query has a fixed cost, measured on a folder of 1,000 reports; slopes are shown of all the time, and of the time over it.
local[1] is one task at a time, but its JVM compiles and collects garbage on other cores: it is also run on one core alone.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from itertools import groupby
from pathlib import Path

import numpy as np
from benchmarks.speed import _measure as m
from benchmarks.table import Value, show

import untold

COLUMNS = (
    "query",
    "engine",
    "reports",
    "wall s",
    "cpu s",
    "over fixed, ns a report",
    "slope",
    "slope over fixed",
    "Python GB",
    "JVM GB",
    "load",
    "answer",
)
WARM = 100_000  # reports: what is asked first, so that nothing is compiled while the clock runs
WARM_UPS = 10  # times: the JVM compiles for seconds
FIXED = 1_000  # reports: what is asked to see what a query costs whatever n is
ENOUGH = 60.0  # seconds: beyond it, nothing is asked again
CPU, OVER = 4, 5  # columns
QUERIES = {
    "COUNT": m.QUERY,
    "join": f"SELECT COUNT(*) AS n FROM {m.SERVICE} JOIN others USING (uid) WHERE a BETWEEN 20 AND 60 AND c >= 50",
}
ENGINES = {  # master, cores that the process may use
    "DuckDB": ("", "all"),
    "Spark local[1]": ("local[1]", "all"),
    "Spark local[1] on one core": ("local[1]", "1"),
    "Spark local[2]": ("local[2]", "all"),
}
ASK = """
import glob, os, pathlib, sys, time, untold
warm, out, sql, master, cores, warm_ups, repeats, enough = sys.argv[1:]
if cores != "all":
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
engine = {"engine": "spark", "master": master} if master else {}

def jvms():
    children = " ".join(pathlib.Path(f).read_text() for f in glob.glob("/proc/self/task/*/children")).split()
    return [pathlib.Path("/proc", c) for c in children if pathlib.Path("/proc", c, "comm").read_text().strip() == "java"]

def spent():
    ticks = [pathlib.Path(p, "stat").read_text().rsplit(")", 1)[1].split()[11:13] for p in jvms()]
    return time.process_time() + sum(int(t) for pair in ticks for t in pair) / os.sysconf("SC_CLK_TCK")

first = untold.connect(warm, summaries=False, **engine)
for _ in range(int(warm_ups) if master else 1):
    first.sql(sql).arrow()
con = untold.connect(out, summaries=False, **engine)
wall, cpu = [], []
while len(wall) < int(repeats) and sum(wall) < float(enough):
    start, before = time.perf_counter(), spent()
    answer = con.sql(sql).arrow()
    wall.append(time.perf_counter() - start)
    cpu.append(spent() - before)
peak = [line.split()[1] for p in jvms() for line in pathlib.Path(p, "status").read_text().splitlines() if "VmHWM" in line]
jvm = sum(map(int, peak)) * 1024 / 1e9
found = {"wall": min(wall), "cpu": min(cpu), "jvm": jvm, "answer": answer.column("n")[0].as_py()}
"""


def plan() -> untold.Plan:
    """Two attributes in one service, one in another, epsilon 1 each."""
    attribute = {"kind": "ordinal", "low": 0, "high": m.VALUES - 1}
    services = {m.SERVICE: {"attributes": {"a": attribute, "b": attribute}}, "others": {"attributes": {"c": attribute}}}
    return untold.Plan.from_dict({"name": "scale", "user_key": "uid", "epsilon": 2.0, "services": services})


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed scale")
    parser.add_argument("--reports", type=float, nargs="*", default=[1e6, 1e7, 1e8], help="of each service")
    parser.add_argument("--most-joined", type=float, default=1e8, help="the join is asked up to here")
    parser.add_argument("--repeats", type=int, default=3, help=f"at most; none after {ENOUGH:.0f} s")
    options = parser.parse_args(argv)
    rows: list[list[Value]] = []
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as name:
        folder = Path(name)
        warm = collected(folder / "warm", WARM, True)
        for reports in (FIXED, *map(int, options.reports)):
            out = collected(folder, reports, reports <= options.most_joined)
            for query, sql in QUERIES.items():
                if query == "COUNT" or reports <= options.most_joined:
                    rows += [measured(query, sql, engine, reports, warm, out, options.repeats) for engine in ENGINES]
            shutil.rmtree(out)
    rows = with_slopes(sorted(rows, key=lambda row: (str(row[0]), str(row[1]), row[2])))
    title = (
        f"A scan of n reports ({m.machine()}): best of {options.repeats}, no summaries.\n"
        f"Before that the query is asked {WARM_UPS} times of {WARM:,} reports.\n"
        f"slope: of log processor time against log n, from the row above; last row of an engine: over all n.\n"
        f"over fixed: the same with the processor time at {FIXED:,} reports taken off.\n"
        + "\n".join(
            sooner(rows, query, one) for query in QUERIES for one in ("Spark local[1]", "Spark local[1] on one core")
        )
    )
    show("speed-scale", title, COLUMNS, rows)


def collected(folder: Path, reports: int, joined: bool) -> Path:
    """A folder with so many reports of each service."""
    folder.mkdir(exist_ok=True)
    raw, out = folder / "raw.parquet", folder / f"reports-{reports}"
    m.write_people(raw, reports)
    untold.perturb(plan(), m.SERVICE, raw, out=out, progress=False)
    if joined:
        import pyarrow.parquet as pq

        others = pq.read_table(raw, columns=["uid", "b"]).rename_columns(["uid", "c"])
        untold.perturb(plan(), "others", others, out=out, progress=False)
    raw.unlink()
    return out


def measured(query: str, sql: str, engine: str, reports: int, warm: Path, out: Path, repeats: int) -> list[Value]:
    """One engine, one size, in a process of its own."""
    before = m.machine().split("load ")[1].split()[0]
    master, cores = ENGINES[engine]
    found = m.in_a_process(ASK, str(warm), str(out), sql, master, cores, str(WARM_UPS), str(repeats), str(ENOUGH))
    wall, cpu, jvm = found["wall"], found["cpu"], found["jvm"] or None
    print(f"{query:6} {engine:26} {reports:>12,}  {wall:8.3f} s, {cpu:8.3f} s of processor time", flush=True)
    slopes = [None] * 3
    return [query, engine, reports, wall, cpu, *slopes, found["gigabytes"], jvm, before, round(found["answer"])]


def with_slopes(rows: list[list[Value]]) -> list[list[Value]]:
    """Slopes of log(time) against log(n): between neighbours, and over all sizes of an engine in a row of their own."""
    out: list[list[Value]] = []
    for _, same in groupby(rows, key=lambda row: row[:2]):
        fixed, *sizes = same
        out.append(fixed)
        n = np.log([float(row[2] or 0) for row in sizes])
        cpu = np.array([float(row[CPU] or 0) for row in sizes])
        over = cpu - float(fixed[CPU] or 0)
        for i, row in enumerate(sizes):
            slopes = [_slope(n[i - 1 : i + 1], time[i - 1 : i + 1]) if i else None for time in (cpu, over)]
            out.append([*row[:OVER], float(over[i]) * 1e9 / float(np.exp(n[i])), *slopes, *row[OVER + 3 :]])
        if len(sizes) > 2:
            out.append([*fixed[:2], *[None] * 4, _slope(n, cpu), _slope(n, over), *[None] * 3, "all n"])
    return out


def _slope(n: np.ndarray, time: np.ndarray) -> float | None:
    """Of log(time) against n, which is in logarithms; None where a time is lost in that of a query without reports."""
    return float(np.polyfit(n, np.log(time), 1)[0]) if np.all(time > 0) else None


def sooner(rows: list[list[Value]], query: str, one: str) -> str:
    """How much faster two cores are than one, for the largest n."""
    times = {(row[1], row[2]): float(row[3] or 0) for row in rows if row[0] == query and row[2] is not None}
    largest = max(n for _, n in times if isinstance(n, int))
    ratio = times[one, largest] / times["Spark local[2]", largest]
    return f"{query}: Spark local[2] is {ratio:.2f}x as fast as {one[6:]} at {largest:,} reports (line: 1.6x at 1e8)."
