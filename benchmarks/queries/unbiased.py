"""Errors of many collections: are answers right on average, do intervals cover, and do forecasts say how large the errors are?

For a cell (one row of one answer) with truth T, estimates x_1..x_R and their standard errors s_1..s_R over R collections:

    z of the mean error   (mean(x) - T) / (S / sqrt(R)),   S^2 = sum (x_r - T)^2 / R
    measured error        sqrt(mean(s_r^2)): the product's own error bars, averaged. That they are right is checked by S^2 over it,
                          which is 1 up to a deviation of sqrt(2 / R)
    coverage              share of intervals that contain T
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, sqrt

import numpy as np

from benchmarks.queries.questions import Asked
from benchmarks.queries.repeat import Collections, Keys, compiled, kind, truths
from benchmarks.queries.tables import Table
from untold.ask.engines.base import Kind
from untold.ask.estimates.estimate import Estimated
from untold.plan import Plan


@dataclass(frozen=True)
class Cell:
    """One number of one answer over all collections."""

    key: Keys
    truth: float
    z: float
    spread: float  # S
    se: float  # measured error
    covered: float  # share of the intervals
    unbounded: float  # share of intervals without an end


@dataclass(frozen=True)
class Measured:
    """All cells of one query, and the errors that were forecast for it (the mean over groups; None where it needs a public column):
    for evenly spread values, and knowing how each attribute by itself is spread."""

    table: str
    asked: Asked
    cells: tuple[Cell, ...]
    even: float | None
    known: float | None

    @property
    def worst_z(self) -> float:
        """Largest |z| of its cells."""
        return max(abs(cell.z) for cell in self.cells)

    @property
    def se(self) -> float:
        """Mean measured error over groups, as a forecast gives it."""
        return float(np.mean([cell.se for cell in self.cells]))


def measure(table: Table, plan: Plan, questions: Sequence[Asked], times: int, seed: int = 1) -> list[Measured]:
    """Ask all questions of all collections. Each kind of question gets the same collections anew: memory for one at a time."""
    by_kind: dict[Kind, list[Asked]] = {}
    for each in questions:
        by_kind.setdefault(kind(each.sql, plan), []).append(each)
    found: dict[Asked, Measured] = {}
    for which, same in by_kind.items():
        collections = Collections(table, plan, [which], times, seed)
        found |= {each: _measured(table, plan, each, collections) for each in same}
    return [found[each] for each in questions]


def _measured(table: Table, plan: Plan, asked: Asked, collections: Collections) -> Measured:
    question = compiled(asked.sql, plan)
    true = truths(question, table)
    found: dict[Keys, list[Estimated]] = {}
    for answer in collections.answers(question):
        for key, estimates in answer.items():
            found.setdefault(key, []).append(estimates[0])
    counting = asked.kind == "group"  # a group without members counts 0
    wanted = {key: true[key][0] if key in true else 0.0 if counting else None for key in found}
    cells = tuple(_cell(key, value, found[key]) for key, value in wanted.items() if value is not None)
    if asked.public:
        return Measured(table.name, asked, cells, None, None)
    even, known = (plan.forecast(asked.sql, users=table.users, shares=s).columns[0].se for s in (None, table.shares()))
    return Measured(table.name, asked, cells, even, known)


def _cell(key: Keys, truth: float, estimates: Sequence[Estimated]) -> Cell:
    values = np.array([each.value for each in estimates])
    errors = values - truth
    spread = sqrt(float((errors**2).mean()))
    return Cell(
        key,
        truth,
        float(errors.mean()) / spread * sqrt(len(values)),
        spread,
        sqrt(float(np.mean([each.se**2 for each in estimates if not isnan(each.se)]))),
        float(np.mean([each.low <= truth <= each.high for each in estimates])),
        float(np.mean([np.isinf(each.low) or np.isinf(each.high) for each in estimates])),
    )


def pooled(cells: Iterable[Cell], times: int) -> tuple[float, float, int]:
    """Coverage over these cells and all collections, its binomial deviation, and the number of intervals."""
    covered = [cell.covered for cell in cells]
    share, intervals = float(np.mean(covered)), len(covered) * times
    return share, sqrt(0.95 * 0.05 / intervals), intervals
