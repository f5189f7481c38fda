"""SQL text -> the questions of its SELECTs: one, or several with UNION ALL between them."""

from __future__ import annotations

from dataclasses import dataclass

from untold.ask.question.model import Question
from untold.ask.sql.from_clause.bind import NO_DATES, EpochDates
from untold.ask.sql.parameters import NO_VALUES, Values
from untold.ask.sql.question import Tables, question
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.unions.shape import UnionTail, check_shapes, read_tail
from untold.ask.sql.unions.split import Split, split
from untold.plan import Plan


@dataclass(frozen=True, eq=False)
class Union:
    """Several questions, and the order of all their rows."""

    questions: tuple[Question, ...]
    tail: UnionTail


def union(
    sql: str, plan: Plan, tables: Tables | None = None, dates: EpochDates = NO_DATES, values: Values = NO_VALUES
) -> Union | None:
    """What a query with UNION ALL asks; None if it is one SELECT. UnsupportedQuery as for one.

    >>> plan = Plan.from_dict({"name": "poll", "user_key": "uid", "epsilon": 1.0, "services": {"people": {
    ...     "attributes": {"age": {"kind": "ordinal", "low": 0, "high": 99}}}}})
    >>> both = union("SELECT 'old', COUNT(*) FROM people WHERE age > 60 UNION ALL SELECT 'all', COUNT(*) FROM people", plan)
    >>> len(both.questions), both.questions[1].outputs[1].name
    (2, 'count_star()')
    """
    parts = _split(sql, values)
    if parts is None:
        return None
    asked = tuple(question(text, plan, tables, dates, sql, values) for text in parts.branches)
    try:
        check_shapes(parts, asked)
        return Union(asked, read_tail(parts, asked[0].outputs))
    except Refusal as refusal:
        raise refusal.said_of(sql) from None


def questions(
    sql: str, plan: Plan, tables: Tables | None = None, dates: EpochDates = NO_DATES, values: Values = NO_VALUES
) -> tuple[Question, ...]:
    """The questions of all SELECTs of a text."""
    several = union(sql, plan, tables, dates, values)
    return (question(sql, plan, tables, dates, values=values),) if several is None else several.questions


def _split(sql: str, values: Values) -> Split | None:
    try:
        return split(sql, values)
    except Refusal as refusal:
        raise refusal.said_of(sql) from None
