"""Are answers right? Bias, coverage, forecasts and gains of single-service queries: the lines that a release must meet.

    scripts/bench accuracy queries [--collections 200] [--only unbiased|agreement|gains]

n = 1e6 people of SYN-1, 254,654 women of the census table, epsilon = 1. Every check prints what it found and whether it is met.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # short dot products: threads cost more than they bring

from argparse import ArgumentParser
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from benchmarks.queries.agreement import DESIGNS, SMALL, differences, small_table
from benchmarks.queries.gains import SETUPS, exact_gains, tried_gains
from benchmarks.queries.questions import CENSUS, SYNTHETIC
from benchmarks.queries.tables import EPSILON, PEOPLE, Table, even, fertility, syn1
from benchmarks.queries.unbiased import Cell, Measured, measure, pooled
from benchmarks.table import Value, show

PARTS = ("unbiased", "agreement", "gains")
LINEAR = ("count", "sum", "group")
SMALL_GROUP = 0.01  # of all people


def main(argv: list[str]) -> None:
    parser = ArgumentParser(prog="scripts/bench accuracy queries")
    parser.add_argument("--collections", type=int, default=200)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--quick", action="store_true", help="20 collections")
    given = parser.parse_args(argv)
    times = 20 if given.quick else given.collections
    for part in [given.only] if given.only else PARTS:
        {"unbiased": unbiased, "agreement": agreement, "gains": gains}[part](times)


def met(condition: bool) -> str:
    """The verdict."""
    return "met" if condition else "MISSED"


def unbiased(times: int) -> None:
    """Bias, coverage and forecasts over many collections."""
    census, synthetic, spread_evenly = fertility(), syn1(), even()
    measured = measure(census, census.plan(max_active=3), CENSUS, times)
    measured += measure(synthetic, synthetic.plan(max_active=2), SYNTHETIC, times)
    title = f"{len(measured)} queries, {times} collections each, epsilon = {EPSILON:g}"
    columns = ["table", "kind", "query", "|z|", "spread/se", "covered", "se", "forecast/se (even)", "(shares known)"]
    show("accuracy-queries", title, columns, [line(each) for each in measured])
    bias(measured)
    coverage(measured, times, {census.name: census.users, synthetic.name: synthetic.users})
    few = max(10, times // 10)
    as_assumed = measure(spread_evenly, spread_evenly.plan(max_active=2), SYNTHETIC, few)
    forecasts(measured, as_assumed)


def line(each: Measured) -> list[Value]:
    """One query."""
    wide = sqrt(float(np.mean([(cell.spread / cell.se) ** 2 for cell in each.cells])))
    covered = float(np.mean([cell.covered for cell in each.cells]))
    ratios = [None if said is None else said / each.se for said in (each.even, each.known)]
    return [each.table, each.asked.kind, each.asked.short, each.worst_z, wide, covered, each.se, *ratios]


def bias(measured: Sequence[Measured]) -> None:
    """|z| < 4 for every query; of GROUP BY for every group."""
    rows: list[list[Value]] = []
    for name, chosen in (
        ("linear: COUNT, SUM, GROUP BY", [m for m in measured if m.asked.kind in LINEAR]),
        ("AVG, ratios", [m for m in measured if m.asked.kind in ("avg", "ratio", "group avg")]),
        ("VARIANCE, STDDEV", [m for m in measured if m.asked.kind == "spread"]),
    ):
        worst = max(each.worst_z for each in chosen)
        rows.append([name, len(chosen), sum(len(each.cells) for each in chosen), worst, met(worst < 4)])
    show(
        "accuracy-bias",
        "Unbiased: the largest |z| of a mean error is below 4",
        ["kind", "queries", "numbers", "|z|", ""],
        rows,
    )


def coverage(measured: Sequence[Measured], times: int, users: dict[str, int]) -> None:
    """Of 95% intervals, by kind, and for groups of less than 1% of the people."""
    kinds: dict[str, list[Cell]] = {}
    for each in measured:
        kinds.setdefault(each.asked.kind, []).extend(each.cells)
        if each.asked.kind == "group":
            small = [cell for cell in each.cells if cell.truth < SMALL_GROUP * users[each.table]]
            kinds.setdefault("group, under 1% of the people", []).extend(small)
    rows: list[list[Value]] = []
    for kind, cells in kinds.items():
        share, deviation, intervals = pooled(cells, times)
        inside = 0.93 <= share <= 0.97
        rows.append([kind, intervals, 100 * share, 100 * deviation, met(inside)])
    show(
        "accuracy-coverage",
        "Coverage of 95% intervals is between 93% and 97%",
        ["kind", "intervals", "%", "+-", ""],
        rows,
    )


def forecasts(measured: Sequence[Measured], as_assumed: Sequence[Measured]) -> None:
    """The largest relative difference between forecast and measured standard error."""

    def worst(chosen: Sequence[Measured], known: bool) -> float:
        pairs = [(m.known if known else m.even, m.se) for m in chosen]
        return max(abs(said / se - 1) for said, se in pairs if said is not None)

    spreads = [each for each in measured if each.asked.kind == "spread"]
    linear = [each for each in measured if each.asked.kind in LINEAR]
    rest = [each for each in measured if each.asked.kind not in LINEAR]
    cases = [
        ("values spread evenly, as a forecast assumes", as_assumed, False, 0.10),
        ("real shapes, shares of single attributes given", [m for m in measured if m not in spreads], True, 0.10),
        ("the same, VARIANCE and STDDEV: attributes are not independent", spreads, True, 0.10),
        ("real shapes, assumed even: counts and sums", linear, False, None),
        ("real shapes, assumed even: averages, ratios, spreads", rest, False, None),
    ]
    rows: list[list[Value]] = []
    for name, chosen, known, limit in cases:
        found = worst(chosen, known)
        rows.append(
            [name, sum(m.even is not None for m in chosen), 100 * found, "" if limit is None else met(found < limit)]
        )
    show(
        "accuracy-forecast",
        "The forecast is within 10% of the measured standard error",
        ["case", "queries", "worst %", ""],
        rows,
    )


def agreement(_: int) -> None:
    """Scan, summary and slow twin."""
    table = small_table()
    rows: list[list[Value]] = []
    cases: list[tuple[Table, dict[str, Any], Sequence[str], str, bool]] = [
        (table, method, SMALL, estimator, True)
        for method in DESIGNS
        for estimator in (("blue", "greedy", "rdc") if method == DESIGNS[0] else ("blue",))
    ]
    cases.append((fertility(), {"max_active": 3}, [each.sql for each in CENSUS], "blue", False))
    for asked, method, texts, estimator, twin in cases:
        worst: dict[str, float] = {}
        for way, apart in differences(asked, asked.plan(**method), texts, estimator, twin):
            worst[way] = max(worst.get(way, 0.0), apart)
        name = f"{method.get('design', 'tuned')} {method.get('oracle', '')}".strip()
        verdict = met(max(worst.values()) < 1e-9)
        rows.append([asked.name, name, estimator, len(texts), worst["summary"], worst.get("slow twin"), verdict])
    columns = ["table", "design", "estimator", "queries", "summary", "slow twin", ""]
    show("accuracy-agreement", "Scan, summary and slow twin agree to 1e-9, relative", columns, rows)


def gains(_: int) -> None:
    """Against the paper's HIO: exact, then by experiment."""
    rows: list[list[Value]] = []
    for epsilon in (1.0, 2.0):
        for setup in SETUPS:
            found = exact_gains(setup, epsilon)
            good = found.default >= (setup.default or 0) and (found.blue is None or found.blue >= (setup.blue or 0))
            between = found.rdc >= 1 and (found.blue is None or found.rdc <= found.blue)
            verdict = met(good and between) if epsilon == 1.0 else ""
            row: list[Value] = [epsilon, setup.name, found.rdc, found.blue, setup.blue, found.default, setup.default]
            rows.append([*row, found.agr_blue, found.agr_default, verdict])
    columns = ["epsilon", "query", "rdc", "blue", "wanted", "default", "wanted", "blue, agr", "default, agr", ""]
    title = "Mean variance of HIO (OLH, greedy) divided by that of ...; last two: HIO with AGR instead of OLH; exact"
    show("accuracy-gains", title, columns, rows)
    rows = []
    for ranges in (1, 2):
        tried = tried_gains(ranges, EPSILON, PEOPLE, queries=16, times=40)
        base = tried[0]
        rows += [
            [
                f"{ranges} of 2",
                t.what,
                t.measured,
                t.measured / t.exact,
                base.measured / t.measured,
                base.exact / t.exact,
            ]
            for t in tried
        ]
    columns = ["ranges", "method", "MSE / n", "MSE / exact variance", "gain measured", "gain exact"]
    show(
        "accuracy-gains-tried",
        f"The same by experiment: SYN-1, {PEOPLE:,} people, AGR, 16 queries, 40 collections",
        columns,
        rows,
    )
