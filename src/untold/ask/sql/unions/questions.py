"""SQL text -> the questions of its SELECTs: one, or several with UNION ALL between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from untold.ask.question.model import Question
from untold.ask.sql.from_clause.bind import NO_DATES, EpochDates
from untold.ask.sql.parameters import NO_VALUES, Values
from untold.ask.sql.parse import parse
from untold.ask.sql.question import Tables, question
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.unions.grouping_sets import WORDS, groupings
from untold.ask.sql.unions.shape import UnionTail, check_shapes, read_tail
from untold.ask.sql.unions.split import Split, split, with_groupings
from untold.plan import Plan

if TYPE_CHECKING:
    from untold.ask.sql.facts import Facts


@dataclass(frozen=True, eq=False)
class Union:
    """Several questions, and the order of all their rows."""

    questions: tuple[Question, ...]
    tail: UnionTail


def union(
    sql: str,
    plan: Plan,
    tables: Tables | None = None,
    dates: EpochDates = NO_DATES,
    values: Values = NO_VALUES,
    facts: Facts | None = None,
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
    whole = parts.groupings
    texts = [(text, None) for text in parts.branches] if whole == 0 else [(sql, number) for number in range(whole)]
    asked = tuple(question(text, plan, tables, dates, sql, values, facts, number) for text, number in texts)
    try:
        check_shapes(parts, asked)
        return Union(asked, read_tail(parts, asked[0].outputs))
    except Refusal as refusal:
        raise refusal.said_of(sql) from None


def questions(
    sql: str,
    plan: Plan,
    tables: Tables | None = None,
    dates: EpochDates = NO_DATES,
    values: Values = NO_VALUES,
    facts: Facts | None = None,
) -> tuple[Question, ...]:
    """The questions of all SELECTs of a text."""
    several = union(sql, plan, tables, dates, values, facts)
    return (question(sql, plan, tables, dates, values=values, facts=facts),) if several is None else several.questions


def _split(sql: str, values: Values) -> Split | None:
    try:
        if (several := split(sql, values)) is not None or WORDS.search(sql) is None:
            return several
        found = groupings(parse(sql, values))
        return with_groupings(sql, values, len(found)) if found else None
    except Refusal as refusal:
        raise refusal.said_of(sql) from None
