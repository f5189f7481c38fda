"""How often 95% intervals hold, per class of query: hundreds of collections of the same people, drawn anew each time.

Prints, for each class, epsilon and number of people: the share of intervals that hold the truth, the shares that lie above it
(missed to the left) and below it (to the right), the mean standard error over the root mean squared error, and how often
an error was 0 or unknown. With 400 collections a right interval is outside 93-97% once in 17 times. Every query is asked by
`con.sql`, as users do, and takes the route that theirs take, unless another one is named.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.coverage.collect import collect
from benchmarks.coverage.stars import star_errors
from benchmarks.coverage.trials import TrialConnection, keep_scores
from benchmarks.coverage.worlds import WORLDS, Tables, World
from benchmarks.table import show

import untold
from untold.ask.estimates.estimate import Estimated
from untold.ask.evidence.routes import ROUTES

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
    world: World, epsilon: float, people: int, times: int, seed: int, route: str | None, classes: Sequence[str] = ()
) -> Iterator[tuple[str, Errors]]:
    """For every class of a world, or some of them: all estimates with the truth."""
    plan, tables = world.plan(epsilon), world.tables(people)
    queries = {name: query for name, query in world.queries.items() if not classes or name in classes}
    true = {name: truths(query.truth or query.sql, tables) for name, query in queries.items()}
    found: dict[str, Errors] = {name: [] for name in queries}
    chunk = max(1, AT_ONCE // people)
    for first in range(0, times, chunk):
        trials = min(chunk, times - first)
        with tempfile.TemporaryDirectory() as folder:
            collect(plan, tables, people, trials, Path(folder) / "r", seed + first)
            with untold.connect(Path(folder) / "r", summaries=False, threads=1) as whole:
                con = TrialConnection(whole, people, route)
                queries = {name: query for name, query in queries.items() if con.can(name, query)}
                for trial in range(trials):
                    for name, query in queries.items():
                        found[name] += errors_of(con.rows_of(trial, query), true[name], query.whole)
    yield from found.items()


def errors_of(table: pa.Table, truth: dict[tuple[object, ...], float], whole: bool) -> Errors:
    """The estimates of an answer with the truth; of one that counts as a whole, that of the row that is furthest off."""
    rows = [tuple(row.values()) for row in table.to_pylist()]
    found = [(Estimated(*row[-4:]), truth.get(row[:-4], 0.0)) for row in rows]
    if not whole:
        return found
    exact = Estimated(0.0, nan, 0.0, 0.0), 0.0
    return [max(found, key=lambda each: max(each[0].low - each[1], each[1] - each[0].high), default=exact)]


def summed_up(name: str, epsilon: float, people: int, found: Errors) -> list[str | int | float | None]:
    """One row of the table."""
    low, high, se, value = (
        np.array([getattr(cell, each) for cell, _ in found]) for each in ("low", "high", "se", "value")
    )
    want = np.array([truth for _, truth in found])
    rounding = 1e-9 * np.maximum(1.0, np.abs(want))  # of doubles, where a total is exact
    left, right = want < low - rounding, want > high + rounding
    endless = ~np.isfinite(low) | ~np.isfinite(high)
    usual = ~endless & np.isfinite(se)
    ratio = float(np.sqrt((se[usual] ** 2).mean() / ((value - want)[usual] ** 2).mean())) if usual.any() else None
    poor = float(((se == 0) | np.isnan(se)).mean())
    shares = [float(1 - (left | right).mean()), float(left.mean()), float(right.mean())]
    return [name, epsilon, people, len(found), *shares, ratio, float(endless.mean()), poor]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy coverage", description=__doc__)
    parser.add_argument("--times", type=int, default=400, help="collections of each kind")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 4.0, 5.0, 6.0, 8.0])
    parser.add_argument("--people", type=int, nargs="*", default=[2000, 20_000])
    parser.add_argument("--worlds", nargs="*", default=[*(world.name for world in WORLDS), "star"])
    parser.add_argument("--classes", nargs="*", default=[], help="some classes of these worlds; default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--route", choices=[route.name for route in ROUTES], help="where it applies; default: the users'"
    )
    given = parser.parse_args(argv)
    keep_scores()
    rows = []
    for people in given.people:
        for epsilon in given.epsilons:
            for name in given.worlds:
                world = next((each for each in WORLDS if each.name == name), None)
                found = (
                    star_errors(epsilon, people, given.times, given.seed)
                    if world is None
                    else world_errors(world, epsilon, people, given.times, given.seed, given.route, given.classes)
                )
                for kind, errors in found:
                    if errors:
                        rows.append(summed_up(kind, epsilon, people, errors))
                        print(*rows[-1], sep="\t", flush=True)
    for people in given.people:
        print(f"\n{people:,} people:\n\n{as_markdown([row for row in rows if row[2] == people], given.epsilons)}")
    rows.sort(key=lambda row: str(row[0]))
    show("coverage", "How often 95% intervals hold", HEADER, rows)
    return 0


def as_markdown(rows: Sequence[Sequence[Any]], epsilons: Sequence[float]) -> str:
    """The table of docs/accuracy.md: per cent that hold, in brackets those that lie above and below the truth, without an end."""
    cells = {(row[0], row[1]): row for row in rows}
    lines = [f"| class | {' | '.join(f'{e:g}' for e in epsilons)} |", "| --- |" + " --- |" * len(epsilons)]
    for name in dict.fromkeys(row[0] for row in rows):
        own = [cells.get((name, epsilon)) for epsilon in epsilons]
        lines.append(f"| {name} | {' | '.join('' if row is None else _cell(row) for row in own)} |")
    return "\n".join(lines)


def _cell(row: Sequence[Any]) -> str:
    hold, left, right, endless = (100 * row[place] for place in (4, 5, 6, 8))
    return f"{hold:.1f} ({left:.1f}, {right:.1f})" + (f" *{endless:.0f}%*" if endless >= 0.5 else "")
