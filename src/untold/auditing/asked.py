"""Questions about made-up people whose answers are known: of each attribute, its most frequent value and its sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from untold.auditing.values import Row, Rows
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema import Sensitive, Service
from untold.tables.quoting import literal, quoted

MOST_ATTRIBUTES = 6  # of a service that are asked about
FAR = 5.0  # standard errors off: a sound client is that far off once in 1.7 million questions


@dataclass(frozen=True)
class Question:
    """SQL, and what is true."""

    sql: str
    truth: float


@dataclass(frozen=True)
class Asked:
    """A question, the truth, and the answer with its standard error."""

    sql: str
    truth: float
    value: float
    error: float

    @property
    def errors(self) -> float:
        """How many standard errors the answer is off."""
        off = abs(self.value - self.truth)
        return 0.0 if off <= 1e-6 * max(abs(self.truth), 1.0) else off / self.error if self.error > 0 else float("inf")

    @property
    def wrong(self) -> bool:
        """Whether that is no chance."""
        return self.errors > FAR

    def cells(self) -> tuple[str, ...]:
        """As a line of a table."""
        sql = self.sql if len(self.sql) <= 72 else f"{self.sql[:69]}..."
        return sql, f"{self.truth:,.0f}", f"{self.value:,.0f} +- {self.error:,.0f}", f"{self.errors:.1f}"


class Connection(Protocol):
    """What answers SQL."""

    def sql(self, query: str) -> Any: ...


def questions_of(plan: Plan, service: Service, crowd: Sequence[Rows]) -> Iterator[Question]:
    """About one service."""
    if not plan.design(service.name).answers_sql:
        return
    rows = [row for rows in crowd for row in rows]
    asked = service.sensitive[:MOST_ATTRIBUTES]
    if service.rows is not None:
        yield Question(f"SELECT COUNT(*) AS n FROM {quoted(service.name)}", float(len(rows)))
    tests = []
    for attribute in asked:
        if (
            attribute.numeric
            and not attribute.may_be_missing
            and attribute.value_type in ("integer", "number", "decimal")
        ):
            truth = float(sum(row[attribute.name] for row in rows))
            yield Question(f"SELECT SUM({quoted(attribute.name)}) AS n FROM {quoted(service.name)}", truth)
        if (chosen := _chosen(attribute, rows)) is not None:
            tests.append(chosen)
            yield _counted(service, rows, [chosen])
    if len(tests) > 1 and service.max_active > 1:
        yield _counted(service, rows, tests[:2])


Chosen = tuple[str, Callable[[Row], bool]]


def _chosen(attribute: Sensitive, rows: Sequence[Row]) -> Chosen | None:
    """The most frequent value; None where values are rounded, or it is missing."""
    if attribute.rounds or not rows:
        return None
    value, _ = Counter(row[attribute.name] for row in rows).most_common(1)[0]
    if value is None:
        return None
    return f"{quoted(attribute.name)} = {_literal(value)}", lambda row: bool(row[attribute.name] == value)


def _literal(value: Any) -> str:
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    return f"DATE '{value}'" if isinstance(value, date) else literal(value)


def _counted(service: Service, rows: Sequence[Row], tests: Sequence[Chosen]) -> Question:
    condition = " AND ".join(sql for sql, _ in tests)
    truth = sum(all(test(row) for _, test in tests) for row in rows)
    return Question(f"SELECT COUNT(*) AS n FROM {quoted(service.name)} WHERE {condition}", float(truth))


def ask_all(con: Connection, questions: Sequence[Question]) -> Iterator[Asked]:
    """Answers; what this plan cannot answer is left out."""
    for question in questions:
        try:
            value, error, *_ = con.sql(question.sql).fetchall()[0]
        except UntoldError:
            continue
        yield Asked(question.sql, question.truth, float(value), float(error))
