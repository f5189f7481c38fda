"""The case study of MDA (SIGMOD'19, section 6.2.3) at full size: 150 million users.

Region, Category and Price are sensitive, Postage is public.

The paper's table is not public, nor are its domains. The synthetic one here has its size, the selectivities of Q4 and Q5
(0.049 and 0.011) and their true answers (0.168 and 0.171): Region of 32 values, Category of 64, Price 0..1023 in yuan, and
a postage that is 0 for most orders and 0.2 to 1 for the others. Published errors are of one run; so are ours.
"""

from __future__ import annotations

import argparse
import math
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.table import Value, show

import untold

USERS = 150_000_000
PIECE = 1_000_000
REGIONS, CATEGORIES, PRICES = 32, 64, 1024
CHEAP = 0.245  # share of orders with Price <= 50
PUBLISHED = {  # relative errors of HIO in Table 2, by epsilon
    "Q4": {0.5: 0.102, 1.0: 0.081, 2.0: 0.061, 5.0: 0.005},
    "Q5": {0.5: 0.086, 1.0: 0.138, 2.0: 0.066, 5.0: 0.008},
}
QUERIES = {
    "Q4": "SELECT AVG(postage) AS a FROM orders WHERE price <= 50 AND region = 0",
    "Q5": "SELECT AVG(postage) AS a FROM orders WHERE price <= 50 AND category = 52",
}
COLUMNS = ("query", "epsilon", "published error", "design", "estimate", "error", "its standard error", "true", "selectivity",
           "collect s", "ask DuckDB, s", "ask Spark, s")  # fmt: skip
ENGINES = ("duckdb", "spark")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench accuracy case_study")
    parser.add_argument("--users", type=float, default=USERS)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 2.0, 5.0])
    parser.add_argument("--designs", nargs="*", default=["hio", "tuned"])
    parser.add_argument("--engines", nargs="*", default=ENGINES, choices=ENGINES, help="their answers must be the same")
    options = parser.parse_args(argv)
    users = int(options.users)
    rows: list[list[Value]] = []
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as name:
        raw = Path(name) / "raw.parquet"
        write_orders(raw, users)
        truth = true_answers(raw)
        for design in options.designs:
            for epsilon in options.epsilons:
                rows += asked(raw, Path(name) / f"{design}-{epsilon}", design, epsilon, truth, options.engines)
    rows.sort(key=lambda row: (str(row[0]), float(row[1] or 0), str(row[3])))
    title = f"Case study of MDA 6.2.3 with {users:,} synthetic users: relative errors of one run."
    show("accuracy-case-study", title, COLUMNS, rows)


def plan(design: str, epsilon: float) -> untold.Plan:
    """The paper's service under one design: `hio` is the paper's, `tuned` ours, told that queries touch two attributes."""
    attributes = {
        "region": {"kind": "categorical", "values": list(range(REGIONS))},
        "category": {"kind": "categorical", "values": list(range(CATEGORIES))},
        "price": {"kind": "ordinal", "low": 0, "high": PRICES - 1},
        "postage": {"kind": "public"},
    }
    active = {"max_active": 2} if design == "tuned" else {}
    return untold.Plan.from_dict(
        {
            "name": "shop",
            "user_key": "uid",
            "epsilon": epsilon,
            "services": {"orders": {"design": design, "attributes": attributes} | active},
        }
    )


def orders(rows: int, first: int) -> pa.Table:
    """Users with one order each."""
    rng = np.random.default_rng(first)
    region = np.where(rng.random(rows) < 0.2, 0, rng.integers(1, REGIONS, rows))
    category = np.where(rng.random(rows) < 0.045, 52, rng.integers(0, CATEGORIES, rows) % 52)
    price = np.where(rng.random(rows) < CHEAP, rng.integers(0, 51, rows), 51 + rng.integers(0, PRICES - 51, rows))
    paid = rng.random(rows) < np.where(category == 52, 0.285, 0.28)
    postage = np.where(paid, rng.uniform(0.2, 1.0, rows), 0.0).round(2)
    uid = first + rng.permutation(rows)
    small = {"region": region, "category": category, "price": price}
    return pa.table(
        {"uid": uid, **{name: column.astype(np.int16) for name, column in small.items()}, "postage": postage}
    )


def write_orders(path: Path, users: int) -> None:
    with pq.ParquetWriter(path, orders(1, 0).schema, compression="zstd") as writer:
        for start in range(0, users, PIECE):
            writer.write_table(orders(min(PIECE, users - start), start))


def true_answers(raw: Path) -> dict[str, tuple[float, float]]:
    """Answer and selectivity of each query on the rows themselves."""
    found = {}
    for name, sql in QUERIES.items():
        condition = sql.split("WHERE ")[1]
        one = duckdb.sql(
            f"SELECT AVG(postage) FILTER (WHERE {condition}), AVG(({condition})::INT) FROM '{raw}'"
        ).fetchall()
        found[name] = (float(one[0][0]), float(one[0][1]))
    return found


def asked(
    raw: Path, out: Path, design: str, epsilon: float, truth: dict[str, tuple[float, float]], engines: Sequence[str]
) -> Iterator[list[Value]]:
    """Collect once, ask both queries of every engine, and throw the reports away."""
    start = time.perf_counter()
    untold.perturb(plan(design, epsilon), "orders", raw, out=out, progress=False)
    collecting = time.perf_counter() - start
    for name, sql in QUERIES.items():
        answers, seconds = {}, dict.fromkeys(ENGINES, math.nan)
        for engine in engines:
            with untold.connect(out, engine=engine, summaries=False) as con:
                start = time.perf_counter()
                answers[engine] = con.sql(sql).arrow().to_pylist()[0]
                seconds[engine] = time.perf_counter() - start
        answer = next(iter(answers.values()))
        for other in answers.values():
            if not all(math.isclose(answer[column], other[column], rel_tol=1e-9) for column in ("a", "a_se")):
                raise SystemExit(f"{name}: engines differ: {answers}")
        true, selectivity = truth[name]
        error = abs(answer["a"] - true) / true
        print(
            f"{name} epsilon {epsilon}: {design} {error:.4f}; collecting {collecting:.0f} s, asking {seconds}",
            flush=True,
        )
        yield [name, epsilon, PUBLISHED[name].get(epsilon), design, answer["a"], error, answer["a_se"] / true, true,
               selectivity, collecting, *seconds.values()]  # fmt: skip
    shutil.rmtree(out)
