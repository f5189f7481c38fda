"""How often 95% intervals hold, per class of query: hundreds of collections of the same people, drawn anew each time.

Prints, for each class, epsilon and number of people: the share of intervals that hold the truth, the shares that lie above it
(missed to the left) and below it (to the right), the mean standard error over the root mean squared error, and how often
an error was 0 or unknown. With 400 collections a right interval is outside 93-97% once in 17 times.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from benchmarks.coverage.collect import collect
from benchmarks.coverage.stars import star_errors
from benchmarks.coverage.trials import Asked
from benchmarks.coverage.worlds import WORLDS, Tables, World
from benchmarks.table import show

import untold
from untold.estimates.estimate import Estimated
from untold.scores.coefficients import blue
from untold.scores.compile import compile_question
from untold.sql.question import question

AT_ONCE = 400_000  # people in a folder
Errors = list[tuple[Estimated, float]]  # an estimate and the truth
HEADER = [
    "class",
    "epsilon",
    "people",
    "intervals",
    "hold",
    "miss left",
    "miss right",
    "se / rmse",
    "no end",
    "se 0 or nan",
]


def truths(sql: str, tables: Tables) -> dict[tuple[object, ...], float]:
    """What DuckDB says of the true rows, by the keys of the answer."""
    import duckdb

    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return {row[:-1]: float(row[-1] or 0) for row in connection.sql(sql).fetchall()}


def world_errors(
    world: World, epsilon: float, people: int, times: int, seed: int, counted: bool, classes: Sequence[str] = ()
) -> Iterator[tuple[str, Errors]]:
    """For every class of a world, or some of them: all estimates with the truth."""
    plan, tables = world.plan(epsilon), world.tables(people)
    texts = {name: sql for name, sql in world.asked.items() if not classes or name in classes}
    epochs = tuple(range(plan.panel.epochs)) if plan.panel else (0,)
    asked = Asked([compile_question(question(sql, plan), plan, blue, epochs) for sql in texts.values()], blue, counted)
    true = [truths(sql, tables) for sql in texts.values()]
    found: list[Errors] = [[] for _ in true]
    chunk = max(1, AT_ONCE // people)
    for first in range(0, times, chunk):
        trials = min(chunk, times - first)
        with tempfile.TemporaryDirectory() as folder:
            collect(plan, tables, people, trials, Path(folder) / "r", seed + first)
            with untold.connect(Path(folder) / "r", threads=1) as con:
                for each in asked.answers(con, people, trials):
                    for own, want, rows in zip(found, true, each, strict=True):
                        own += [(cells[0], want.get(keys, 0.0)) for keys, cells in rows]
    yield from zip(texts, found, strict=True)


def summed_up(name: str, epsilon: float, people: int, found: Errors) -> list[str | int | float | None]:
    """One row of the table."""
    low, high, se, value = (
        np.array([getattr(cell, each) for cell, _ in found]) for each in ("low", "high", "se", "value")
    )
    want = np.array([truth for _, truth in found])
    left, right = want < low, want > high
    endless = ~np.isfinite(low) | ~np.isfinite(high)
    usual = ~endless & np.isfinite(se)
    ratio = float(np.sqrt((se[usual] ** 2).mean() / ((value - want)[usual] ** 2).mean())) if usual.any() else None
    poor = float(((se == 0) | np.isnan(se)).mean())
    shares = [float(1 - (left | right).mean()), float(left.mean()), float(right.mean())]
    return [name, epsilon, people, len(found), *shares, ratio, float(endless.mean()), poor]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy coverage", description=__doc__)
    parser.add_argument("--times", type=int, default=400, help="collections of each kind")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.2, 1.0, 3.0, 6.0])
    parser.add_argument("--people", type=int, nargs="*", default=[2000, 20_000])
    parser.add_argument("--worlds", nargs="*", default=[*(world.name for world in WORLDS), "star"])
    parser.add_argument("--classes", nargs="*", default=[], help="some classes of these worlds; default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--counted", action="store_true", help="decode groups from counts, which takes longer")
    given = parser.parse_args(argv)
    rows = []
    for people in given.people:
        for epsilon in given.epsilons:
            for name in given.worlds:
                world = next((each for each in WORLDS if each.name == name), None)
                found = (
                    star_errors(epsilon, people, given.times, given.seed)
                    if world is None
                    else world_errors(world, epsilon, people, given.times, given.seed, given.counted, given.classes)
                )
                for kind, errors in found:
                    rows.append(summed_up(kind, epsilon, people, errors))
                    print(*rows[-1], sep="\t", flush=True)
    rows.sort(key=lambda row: str(row[0]))
    show("coverage", "How often 95% intervals hold", HEADER, rows)
    return 0
