"""Wide tables: answers and forecasts beside DuckDB's own GROUP BY over the raw rows, in one run.

A plan has a third each of ordinals 0..99, categoricals of 8 and yes/no, at epsilon 2. Lines to hold, summary present:
COUNT 20 ms; GROUP BY 8, 100 and 1,000 groups 50, 100 and 300 ms; AVG by 100 groups 200 ms; 100 x 100 groups 1 s; every
forecast 50 ms, the first 500 ms; without a summary 4 times DuckDB's GROUP BY plus 200 ms; a process below 1 GB. A join of
two services grouped by 50 values: 6 times DuckDB's own. Every time is given twice, as processor time / time on the clock.

Before that: plans of 4, 8, 16, 32 and 100 attributes load in 1, 1, 2, 3 and 10 s, and in 0.2 s from the cache; a cold
`untold query` takes at most 2.5 times the processor time of a cold DuckDB.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.speed import _measure as m
from benchmarks.speed import _width_lines as lines
from benchmarks.speed._width_start import cold, loads
from benchmarks.table import Value, show

import untold

KINDS: tuple[dict[str, Any], ...] = (
    {"kind": "ordinal", "low": 0, "high": 99},
    {"kind": "categorical", "values": [f"v{i}" for i in range(8)]},
    {"kind": "categorical", "values": ["yes", "no"]},
)
ASKED = {  # what: SQL, line in milliseconds, attributes that it needs
    "COUNT of a range": ("SELECT COUNT(*) AS x FROM t WHERE a0 BETWEEN 20 AND 60", 20, 1),
    "GROUP BY 8": ("SELECT a1, COUNT(*) AS x FROM t GROUP BY a1", 50, 2),
    "GROUP BY 100": ("SELECT a0, COUNT(*) AS x FROM t GROUP BY a0", 100, 1),
    "AVG by 8": ("SELECT a1, AVG(a0) AS x FROM t GROUP BY a1", 200, 2),
    "AVG by 100": ("SELECT a0, AVG(a3) AS x FROM t GROUP BY a0", 200, 4),
    "GROUP BY 100 x 8": ("SELECT a0, a1, COUNT(*) AS x FROM t GROUP BY a0, a1", 300, 2),
    "GROUP BY 100 x 100": ("SELECT a0, a3, COUNT(*) AS x FROM t GROUP BY a0, a3", 1000, 4),
}
THOUSAND = {"GROUP BY 1,000": ("SELECT k, COUNT(*) AS x FROM t GROUP BY k", 300, 1)}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench speed width")
    parser.add_argument("--people", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--attributes", type=int, nargs="*", default=[4, 8, 16, 32, 100])
    parser.add_argument("--start", action="store_true", help="only what comes before a first answer")
    options = parser.parse_args(argv)
    people, repeats, before = int(options.people), options.repeats, m.machine()
    columns = ["attributes", "first, s", "processor", "line", "cached, s", "processor", "line"]
    loaded = loads({n: declared(n) for n in options.attributes})
    show("speed-width-load", "Loading a plan", columns, loaded)
    title = "Cold processes, milliseconds of processor time"
    started = cold(2 * repeats + 1)
    show("speed-width-cold", title, ["untold query", "DuckDB", "ratio", "line"], started)
    held = lines.loading(loaded) + lines.starting(started)
    if options.start:
        show("speed-width-lines", "Lines", lines.COLUMNS, held)
        return
    rows: list[list[Value]] = []
    memory: list[list[Value]] = []
    for count in options.attributes:
        rows += asked_of(str(count), declared(count), raw_table(count, people), ASKED, repeats, memory)
    rows += thousand(people, repeats, memory) + joined(people, repeats)
    title = f"Wide tables, {people:,} people ({before}; then {m.machine()}). Milliseconds, processor / clock, best of {repeats}."
    columns = ["attributes", "what", "first", "then", "line", "DuckDB", "ratio"]
    show("speed-width", title, [*columns, "no summary", "its line", "forecast", "first one"], rows)
    title = "The most memory of a process that asks and forecasts all of these, megabytes"
    show("speed-width-memory", title, ["attributes", "questions", "summary", "no summary", "line"], memory)
    show("speed-width-lines", "Lines, by processor time", lines.COLUMNS, held + lines.asking(rows, memory))


def declared(count: int) -> dict[str, Any]:
    """A plan with so many attributes."""
    services = {"t": {"attributes": {f"a{i}": KINDS[i % 3] for i in range(count)}}}
    return {"name": "wide", "user_key": "uid", "epsilon": 2.0, "services": services}


def raw_table(count: int, people: int) -> pa.Table:
    """People whose attributes hang together a little."""
    rng = np.random.default_rng(count)
    shift = rng.normal(size=people)
    columns: dict[str, Any] = {"uid": np.arange(people)}
    for i in range(count):
        z = 0.5 * shift + rng.normal(size=people)
        ordinal, of_eight = np.clip(50 + 18 * z, 0, 99).astype(np.int64), np.clip(3 + 1.6 * z, 0, 7).astype(np.int64)
        columns[f"a{i}"] = [ordinal, np.array(KINDS[1]["values"])[of_eight], np.where(z > 0.8, "yes", "no")][i % 3]
    return pa.table(columns)


def thousand(people: int, repeats: int, memory: list[list[Value]]) -> list[list[Value]]:
    """An attribute of a thousand values."""
    table = pa.table({"uid": np.arange(people), "k": np.random.default_rng(3).binomial(999, 0.4, people)})
    services = {"t": {"attributes": {"k": {"kind": "ordinal", "low": 0, "high": 999}}}}
    plan = {"name": "wide", "user_key": "uid", "epsilon": 2.0, "services": services}
    return asked_of("1 of 1,000 values", plan, table, THOUSAND, repeats, memory)


def asked_of(
    name: str,
    given: dict[str, Any],
    table: pa.Table,
    asked: dict[str, tuple[str, int, int]],
    repeats: int,
    memory: list[list[Value]],
) -> list[list[Value]]:
    """Times of every question that the plan can answer; a line is added to `memory`."""
    plan, asks = untold.Plan.from_dict(given), list[str]()
    rows: list[list[Value]] = []
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        raw, out = Path(folder) / "raw.parquet", Path(folder) / "reports"
        pq.write_table(table, raw, row_group_size=m.ROW_GROUP)
        untold.perturb(plan, "t", raw, out=out, progress=False)
        db = duckdb.connect()
        db.execute(f"CREATE VIEW t AS FROM '{raw}'")
        con, plain = untold.connect(out), untold.connect(out, summaries=False)
        con.index()
        for what, (sql, line, needs) in asked.items():
            if needs > table.num_columns - 1:
                continue
            forecast_first = forecast_seconds(plan, sql)
            if forecast_first is None:  # the plan's reports do not speak of so many attributes together
                continue
            first = at_first(partial(ask, con, sql))
            then, theirs = m.best(partial(ask, con, sql), repeats), m.best(partial(fetched, db, sql), repeats)
            scan = m.best(partial(ask, plain, sql), min(repeats, 3))
            forecast = m.best(partial(plan.forecast, sql, users=1e6), repeats)
            asks.append(sql)
            own: list[Value] = [name, what, both(first), both(then), line, both(theirs), then.cpu / theirs.cpu]
            limit = f"{4e3 * theirs.cpu + 200:.0f}"
            rows.append([*own, both(scan), limit, both(forecast), both(forecast_first)])
        con.close()
        plain.close()
        memory.append([name, len(asks), *(1e3 * peak(out, asks, kept) for kept in (True, False)), 1000])
    return rows


ASKING = """
import json, sys
import untold
with untold.connect(sys.argv[1], summaries=json.loads(sys.argv[3])) as con:
    for sql in json.loads(sys.argv[2]):
        con.sql(sql).arrow()
        con.plan.forecast(sql, users=1e6)
found = {}
"""


def peak(folder: Path, asks: list[str], summaries: bool) -> float:
    """Gigabytes of a process that asks and forecasts all of these questions."""
    return m.in_a_process(ASKING, str(folder), json.dumps(asks), json.dumps(summaries))["gigabytes"]


def joined(people: int, repeats: int) -> list[list[Value]]:
    """Two services, grouped by 50 values of one."""
    value = {"kind": "ordinal", "low": 0, "high": 99}
    fifty = {"kind": "categorical", "values": [f"g{i}" for i in range(50)]}
    services = {"one": {"attributes": {"g": fifty}}, "two": {"attributes": {"b": value}}}
    plan = untold.Plan.from_dict({"name": "joins", "user_key": "uid", "epsilon": 2.0, "services": services})
    sql = "SELECT g, COUNT(*) AS x FROM one JOIN two USING (uid) WHERE b BETWEEN 30 AND 80 GROUP BY g"
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        raw, out, rng, db = Path(folder), Path(folder) / "reports", np.random.default_rng(1), duckdb.connect()
        columns = {
            "one": ("g", np.array(fifty["values"])[rng.integers(0, 50, people)]),
            "two": ("b", rng.integers(0, 100, people)),
        }
        for name, (column, values) in columns.items():
            pq.write_table(pa.table({"uid": rng.permutation(people), column: values}), raw / f"{name}.parquet")
            untold.perturb(plan, name, raw / f"{name}.parquet", out=out, progress=False)
            db.execute(f"CREATE VIEW {name} AS FROM '{raw / name}.parquet'")
        with untold.connect(out, summaries=False) as con:
            first = at_first(partial(ask, con, sql))
            then, theirs = m.best(partial(ask, con, sql), repeats), m.best(partial(fetched, db, sql), repeats)
    forecast = m.best(partial(plan.forecast, sql, users=1e6), repeats)
    own: list[Value] = [
        "join",
        "COUNT by 50",
        both(first),
        both(then),
        f"{6e3 * theirs.cpu:.0f}",
        both(theirs),
        then.cpu / theirs.cpu,
    ]
    return [[*own, "-", "-", both(forecast), "-"]]


def forecast_seconds(plan: untold.Plan, sql: str) -> m.Timed | None:
    """Of a first forecast; None if the plan cannot answer."""
    try:
        return at_first(partial(plan.forecast, sql, users=1e6))
    except untold.UnsupportedQuery:
        return None


def ask(con: Any, sql: str) -> Any:
    """The answer, with its intervals."""
    return con.sql(sql).arrow()


def fetched(db: Any, sql: str) -> Any:
    """DuckDB's answer on the raw rows."""
    return db.execute(sql).fetchall()


def at_first(work: Any) -> m.Timed:
    """Of the very first call."""
    wall, cpu = perf_counter(), process_time()
    work()
    return m.Timed(perf_counter() - wall, process_time() - cpu)


def both(time: m.Timed) -> str:
    """Milliseconds of processor time / on the clock."""
    return f"{1e3 * time.cpu:.0f} / {1e3 * time.wall:.0f}"
