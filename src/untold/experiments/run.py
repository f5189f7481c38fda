"""`experiments.run`: the same people report again and again under several plans, and every answer is compared with the truth."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from untold.answers.answer import Answer
from untold.answers.optional import library
from untold.ask.connection import Connection, connect
from untold.collect.perturb import perturb
from untold.collect.sources import open_source
from untold.errors import UntoldError
from untold.experiments.redrawn import redrawn
from untold.plan import Plan
from untold.plan.estimator_names import EstimatorName
from untold.tables.table_like import TableLike

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Truth = list[dict[str, Any]]  # rows, by column
COLUMNS = ("plan", "query", "repetition", "row", "column", "truth", "estimate", "se", "low", "high", "best", "typical")


@dataclass(frozen=True)
class Experiment:
    """One row for each estimate of each collection: plan, query, repetition, row (its keys), column, truth, estimate, se, low,
    high, and the best guess with its typical error where they were asked for. `truth` is empty where DuckDB has no such row."""

    table: pa.Table

    def df(self) -> pd.DataFrame:
        """As a pandas data frame."""
        library("pandas", "pandas", "Experiment.df()")
        return self.table.to_pandas()

    def pl(self) -> pl.DataFrame:
        """As a polars data frame."""
        return library("polars", "polars", "Experiment.pl()").from_arrow(self.table)

    def summary(self) -> pa.Table:
        """For each plan and query: root mean squared error with its standard error, the rms of stated errors, the share of
        intervals that hold the truth, and, where there are best guesses, their rmse and rms of typical errors."""
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self.table.to_pylist():
            if row["truth"] is not None:
                found.setdefault((row["plan"], row["query"]), []).append(row)
        return pa.Table.from_pylist(
            [{"plan": plan, "query": query, **_summed_up(rows)} for (plan, query), rows in found.items()]
        )


def run(
    plans: Plan | Mapping[str, Plan],
    tables: Mapping[str, TableLike],
    queries: str | Sequence[str] | Mapping[str, str],
    repetitions: int = 20,
    seed: int = 0,
    *,
    estimator: EstimatorName = "blue",
    plausible: bool = False,
    confidence: float = 0.95,
    population: TableLike | Iterable[object] | None = None,
) -> Experiment:
    """Collect `repetitions` times under each plan, ask every query, and compare with what DuckDB says of the true rows.

    plans        one, or several by name
    tables       the true rows of each service
    queries      SQL, or several, or several by name
    seed         the same seed gives the same draws; each repetition has draws of its own, and plans share none
    population   everybody who is asked, for services with many rows of a person

    Questions about one service without public columns are answered from counts of messages that are drawn in memory: exactly
    what a folder of such reports would answer. All others write a folder for each collection, and remove it.
    """
    if repetitions < 1:
        raise UntoldError(f"repetitions = {repetitions}: 1 or more are needed.")
    named = {plans.name: plans} if isinstance(plans, Plan) else dict(plans)
    asked = _named_queries(queries)
    given = {name: _as_arrow(table) for name, table in tables.items()}
    truths = {name: _truth(sql, given) for name, sql in asked.items()}
    options: dict[str, Any] = {"estimator": estimator, "plausible": plausible, "confidence": confidence}
    rows: list[tuple[object, ...]] = []
    for plan_name, plan in named.items():
        con, engine = redrawn(plan, given, seed)
        drawn = {name: answer for name, sql in asked.items() if (answer := _from_counts(con, sql, options)) is not None}
        for repetition in range(repetitions):
            engine.begin(repetition)
            for name, answer in drawn.items():
                rows += _compared(answer.again(), truths[name], (plan_name, name, repetition))
        written = {name: sql for name, sql in asked.items() if name not in drawn}
        for repetition in range(repetitions if written else 0):
            with _collected(plan, given, seed + repetition, population) as collected:
                for name, sql in written.items():
                    rows += _compared(collected.sql(sql, **options), truths[name], (plan_name, name, repetition))
    return Experiment(pa.table(dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))))


def _named_queries(queries: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(queries, str):
        return {queries: queries}
    return dict(queries) if isinstance(queries, Mapping) else {sql: sql for sql in queries}


def _as_arrow(table: TableLike) -> pa.Table:
    with open_source(table) as source:
        return pa.Table.from_batches(list(source.batches(source.schema.names)), source.schema)


def _truth(sql: str, tables: Mapping[str, pa.Table]) -> Truth:
    """What DuckDB says of the true rows, row by row."""
    import duckdb

    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        try:
            found = connection.sql(sql)
            names, rows = found.columns, found.fetchall()
        except duckdb.Error as error:
            raise UntoldError(f"DuckDB cannot tell the truth of: {sql}\n{error}") from error
    return [dict(zip(names, row, strict=True)) for row in rows]


def _from_counts(con: Connection, sql: str, options: Mapping[str, Any]) -> Answer | None:
    """The answer from counts in memory; None where it needs reports, which refuse what cannot be answered at all."""
    try:
        answer = con.sql(sql, **options)
        answer.again().arrow()
    except UntoldError:
        return None
    return answer


def _compared(answer: Answer, truth: Truth, told: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    """Every estimate of an answer beside its truth."""
    found = answer.result.table
    names = found.column_names
    estimated = [name for name in names if f"{name}_se" in names]
    errors = {f"{name}_{what}" for name in estimated for what in ("se", "low", "high", "best", "typical")}
    keys = [name for name in names if name not in estimated and name not in errors]
    true = {tuple(row[key] for key in keys): row for row in truth}
    for row in found.to_pylist():
        own = tuple(row[key] for key in keys)
        for name in estimated:
            wanted = true.get(own, {}).get(name)
            ends = (row.get(f"{name}_{what}") for what in ("se", "low", "high", "best", "typical"))
            shown = ", ".join(map(str, own))
            yield (*told, shown, name, None if wanted is None else float(wanted), row[name], *ends)


@contextmanager
def _collected(
    plan: Plan, tables: Mapping[str, pa.Table], seed: int, population: TableLike | Iterable[object] | None
) -> Iterator[Connection]:
    """A folder with the reports of everybody, as long as it is asked."""
    with tempfile.TemporaryDirectory(prefix="untold-experiment-") as home:
        out = Path(home) / "reports"
        for name in plan.services:
            if name in tables:
                many = population if plan.service(name).rows is not None else None
                perturb(plan, name, tables[name], out=out, seed=seed, population=many, progress=False)
        with connect(out, summaries="in memory") as con:
            yield con


def _summed_up(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | int | None]:
    truth, estimate, se, low, high = (
        np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=float)
        for name in ("truth", "estimate", "se", "low", "high")
    )
    squares = (estimate - truth) ** 2
    rmse = float(np.sqrt(squares.mean()))
    by_repetition = _means([row["repetition"] for row in rows], squares)
    told: dict[str, float | int | None] = {
        "estimates": len(rows),
        "rmse": rmse,
        "rmse_se": _error_of_root(by_repetition, rmse),
        "stated": float(np.sqrt(np.nanmean(se**2))),
        "covered": float(((low <= truth) & (truth <= high)).mean()),
    }
    if any(row["best"] is not None for row in rows):
        best, typical = (np.array([row[name] for row in rows], dtype=float) for name in ("best", "typical"))
        told |= {"best_rmse": float(np.sqrt(np.nanmean((best - truth) ** 2))), "typical": _rms(typical)}
    return told


def _rms(values: Any) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def _means(groups: Sequence[int], values: Any) -> Any:
    """The mean of each repetition: estimates of one collection are not independent."""
    places = np.array(groups)
    return np.array([values[places == each].mean() for each in dict.fromkeys(groups)])


def _error_of_root(means: Any, rmse: float) -> float | None:
    """The standard error of a root mean square, from means of independent collections."""
    if len(means) < 2 or rmse == 0:
        return None
    return float(means.std(ddof=1) / np.sqrt(len(means)) / (2 * rmse))
