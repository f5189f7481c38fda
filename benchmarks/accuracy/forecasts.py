"""Forecast errors against measured ones, per class of query, on people who are spread far from evenly.

Three forecasts of the standard error of n people: from the plan alone (even), from the plan with what is known of each attribute,
of numbers of rows and of public numbers (shares), and from the first tenth of the reports. Each is divided by the
median of the standard errors of some collections of n people. First reports are those of each tenth of the people by itself,
collected once or several times: shown are the mean of the forecasts, the deviation of one of them, their median, and the share of
them that are within a fifth of what is measured; the factor to which they say that they are right (its median), and the share
of them that are. `--people` a tenth of which is the number of first reports: 20,000 stands for 2,000 of them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from benchmarks.accuracy.coverage import world_errors
from benchmarks.coverage.collect import collect
from benchmarks.coverage.worlds import WORLDS, Tables, World
from benchmarks.table import show

import untold
from untold.ask.forecast.forecast import Expected
from untold.errors import UnsupportedQuery
from untold.plan import Plan

TENTHS = 10


def shares_of(plan: Plan, tables: Tables, people: int) -> dict[str, list[float]]:
    """What somebody who knew the true rows would say of each attribute by itself."""
    out: dict[str, list[float]] = {}
    for name in plan.services:
        service, rows = plan.service(name), tables[name]
        for attribute in service.sensitive:
            codes = [attribute.code_of(value) for value in rows[attribute.name].to_pylist()]
            out[attribute.name] = np.bincount(codes, minlength=attribute.size).astype(float).tolist()
        for public in service.public:
            if pa.types.is_floating(rows[public.name].type):
                values = rows[public.name].to_numpy()
                out[public.name] = [float(values.mean()), float(values.std())]
        if service.rows is not None:
            each = np.zeros(people * service.parts, dtype=np.int64)
            place = rows["uid"].to_numpy()
            if service.each is not None:
                parts = np.array([service.each.values.index(value) for value in rows[service.each.name].to_pylist()])
                place = place * service.parts + parts
            np.add.at(each, place, 1)
            out[name] = np.bincount(each, minlength=service.rows.max + 1).astype(float).tolist()
    return out


def part_of(tables: Tables, number: int, few: int) -> Tables:
    """The rows of so many of the people, who are counted from 0 again."""
    out = {}
    for name, rows in tables.items():
        own = rows.filter(pc.equal(pc.divide(rows["uid"], few), number))
        out[name] = own.set_column(0, "uid", pc.subtract(own["uid"], number * few))
    return out


def compared(
    world: World, epsilon: float, people: int, times: int, seed: int, classes: Sequence[str], draws: int = 1
) -> Iterator[list[str | int | float | None]]:
    """One row for each class."""
    plan, tables = world.plan(epsilon), world.tables(people)
    known = shares_of(plan, tables, people)
    few = people // TENTHS
    epochs = range(plan.panel.epochs) if plan.panel else None
    first: dict[str, list[Expected]] = {name: [] for name in world.asked if not classes or name in classes}
    for draw in range(TENTHS * draws):
        with tempfile.TemporaryDirectory() as folder:
            collect(plan, part_of(tables, draw % TENTHS, few), few, 1, Path(folder) / "r", seed + draw)
            with untold.connect(Path(folder) / "r", threads=1) as con:
                for name in first:
                    found = con.forecast(world.queries[name].sql, users=people)
                    if found.assumptions.startswith("as in"):
                        first[name].append(found.columns[0])
    for name, errors in world_errors(world, epsilon, people, times, seed, None, classes):
        sql = world.queries[name].sql
        used = {key: value for key, value in known.items() if key in sql}
        se = np.array([cell.se for cell, _ in errors]).reshape(times, -1)
        usual = np.nanmean if "quantile" in name else np.nanmedian  # a quantile's is one of few numbers
        measured = float(usual(se, axis=0).mean())

        def said(shares: dict[str, list[float]] | None, sql: str = sql) -> float | None:
            try:
                return plan.forecast(sql, users=people, shares=shares, epochs=epochs).columns[0].se
            except UnsupportedQuery:
                return None

        row = [name, epsilon, few, people, measured, *(x and x / measured for x in (said(None), said(used)))]
        yield [*row, *_judged(first[name], measured), TENTHS * draws - len(first[name])]


def _judged(found: Sequence[Expected], measured: float) -> list[float | None]:
    """Mean, deviation and median of forecasts over what is measured; the share within a fifth of it; their factor, and the
    share within that."""
    if not found:
        return [None] * 6
    ratio, factor = np.array([each.se for each in found]) / measured, np.array([each.factor for each in found])
    right = np.maximum(ratio, 1 / ratio) <= factor
    near = np.abs(ratio - 1) < 0.2
    return [
        float(x) for x in (ratio.mean(), ratio.std(), np.median(ratio), near.mean(), np.median(factor), right.mean())
    ]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy forecasts", description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[1.0, 3.0])
    parser.add_argument("--people", type=int, nargs="*", default=[20_000])
    parser.add_argument("--draws", type=int, default=1, help="collections of each tenth")
    parser.add_argument("--classes", nargs="*", default=[], help="some classes of these worlds; default: all")
    parser.add_argument("--worlds", nargs="*", default=[world.name for world in WORLDS])
    given = parser.parse_args(argv)
    rows = []
    worlds = [world for world in WORLDS if world.name in given.worlds]
    for world, people, epsilon in product(worlds, given.people, given.epsilons):
        for row in compared(world, epsilon, people, given.times, 1, given.classes, given.draws):
            rows.append(row)
            print(*row, sep="\t", flush=True)
    header = ["class", "epsilon", "first", "people", "measured", "even", "shares", "first tenth", "deviation"]
    header += ["median", "within 20%", "factor", "within it", "not told"]
    show("forecasts", "Forecast standard error / measured one", header, rows)
    return 0
