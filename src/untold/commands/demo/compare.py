"""Answers the same questions from the reports and from the true rows, and puts both beside each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import pyarrow as pa

from untold.answers.cells import key_text
from untold.answers.numbers import number_text
from untold.ask.connection import Connection
from untold.ask.forecast.forecast import Expected
from untold.collect.scratch import scratch
from untold.commands.demo.questions import Asked

LARGE = 10_000_000  # the size of a population for which the error is forecast


@dataclass(frozen=True)
class Line:
    """One estimate of an answer."""

    label: str  # of its group, if it has one
    truth: float
    value: float
    low: float
    high: float
    closest: float | None = None  # the closest plausible answer, where it is another number

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low <= self.truth <= self.high


@dataclass(frozen=True)
class Compared:
    """A question and what came of it: from the reports here, and by forecast from `LARGE` people."""

    asked: Asked
    lines: tuple[Line, ...]
    people: int
    forecast: Expected
    made: float | None = None  # half of the largest line's interval where the plan was made for the questions

    @property
    def largest(self) -> Line:
        """The line by which the precision of all is judged."""
        return max(self.lines, key=lambda line: abs(line.truth))

    @property
    def precision(self) -> float:
        """Half of the interval, as a share of the true value."""
        return (self.largest.high - self.largest.low) / 2 / abs(self.largest.truth)

    @property
    def precision_made(self) -> float | None:
        """The same from the reports of a plan that was made for these questions."""
        return None if self.made is None else self.made / abs(self.largest.truth)

    @property
    def precision_at_large(self) -> float:
        """The same for `LARGE` people of this kind. Counts and sums grow with the people, averages and shares do not."""
        size = abs(self.largest.truth) * (LARGE / self.people if self.forecast.grows else 1)
        return 1.96 * self.forecast.se / size


def true_answer(sql: str, users: pa.Table, transactions: pa.Table) -> list[tuple[Any, ...]]:
    """The same SQL over the true rows, by DuckDB: what nobody could ask in reality."""
    with scratch() as (raw, _):
        raw.register("users", users)
        raw.register("transactions", transactions)
        rows: list[tuple[Any, ...]] = raw.execute(sql).fetchall()
        return rows


def _if_other(line: Line, closest: float) -> float | None:
    """The closest plausible answer, if people see another number than the answer's."""
    size = line.high - line.low if isfinite(line.high - line.low) else 0.0
    return closest if number_text(closest, size) != number_text(line.value, size) else None


def compare(con: Connection, made: Connection, asked: Asked, users: pa.Table, transactions: pa.Table) -> Compared:
    """Both answers, matched group by group. A group that nobody is in is missing from the truth: it is 0. `made` has reports of the
    same people under a plan for these questions."""
    answer, closest = con.sql(asked.sql), con.sql(asked.sql, plausible=True)
    truth = {row[:-1]: float(row[-1]) for row in true_answer(asked.sql, users, transactions)}
    keys = len(answer.result.keys)
    plausible = {row[:keys]: row[keys + 4] for row in closest}
    lines = tuple(
        Line(" ".join(map(key_text, row[:keys])), truth.get(row[:keys], 0.0), row[keys], *row[keys + 2 : keys + 4])
        for row in answer
    )
    others = [plausible[row[:keys]] for row in answer]
    lines = tuple(replace(line, closest=_if_other(line, other)) for line, other in zip(lines, others, strict=True))
    done = Compared(asked, lines, users.num_rows, con.plan.forecast(asked.sql, users=LARGE).columns[0])
    near = {" ".join(map(key_text, row[:keys])): (row[keys + 3] - row[keys + 2]) / 2 for row in made.sql(asked.sql)}
    return replace(done, made=near[done.largest.label])
