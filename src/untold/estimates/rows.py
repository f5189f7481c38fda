"""From moments to the rows of an answer: formulas, HAVING, ORDER BY, LIMIT."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cmp_to_key
from math import isnan
from typing import Any

from untold.estimates.estimate import Estimated, estimate
from untold.estimates.totals import Totals, totals_from
from untold.question.model import (
    Comparison,
    Condition,
    Formula,
    Logic,
    PublicKey,
    Quantile,
    Question,
    Side,
    SortKey,
)
from untold.question.possible import possible_groups
from untold.schema.kinds.calendar import as_moment
from untold.scores.compile import Compiled
from untold.scores.scan import Moments

Adjust = Callable[[Formula, Estimated], Estimated]  # what is done to an estimate before it is used
Invert = Callable[[Quantile, int, tuple[object, ...]], Estimated]  # quantile, number of the sensitive group, public key


@dataclass(frozen=True, eq=False)
class Row:
    """One row of an answer before it is shown: its group's keys, and any formula on demand."""

    keys: tuple[Any, ...]  # one per GROUP BY key of the question
    totals: Totals
    confidence: float
    invert: Callable[[Quantile], Estimated]
    adjust: Adjust = lambda formula, found: found
    known: dict[Formula, Estimated] = field(
        default_factory=dict
    )  # a quantile costs several scans: never search it twice
    number: int = 0  # among the combinations of sensitive labels

    def estimated(self, formula: Formula) -> Estimated:
        """A formula for this group."""
        if formula not in self.known:
            if isinstance(formula, Quantile):
                self.known[formula] = self.invert(formula)
            else:
                self.known[formula] = self.adjust(formula, estimate(formula, self.totals, self.confidence))
        return self.known[formula]

    def side(self, side: Side) -> Any:
        """One side of a comparison."""
        if side.kind == "literal":
            return side.literal
        if side.kind == "key":
            return self.keys[side.key]
        assert side.formula is not None
        return getattr(self.estimated(side.formula), side.kind)


@dataclass(frozen=True, eq=False)
class Measured:
    """The totals of one combination of public keys and sensitive labels."""

    key: tuple[object, ...]  # public
    number: int  # among the combinations of sensitive labels
    labels: tuple[object, ...]  # sensitive
    totals: Totals
    adjust: Adjust = lambda formula, found: found


def measured(compiled: Compiled, moments: Sequence[Moments]) -> list[Measured]:
    """What a scan has found out, for every combination of public keys that occurs."""
    pairs, sampling = {pair: n for n, pair in enumerate(compiled.scan.pairs)}, compiled.over_time.sampling
    more = compiled.spelled.noise, compiled.spelled.several
    return [
        Measured(group.key, number, labels, totals_from(group, numbers, pairs, compiled.squares, sampling, *more))
        for group in moments
        for number, (labels, numbers) in enumerate(compiled.groups)
    ]


def rows_of(question: Question, groups: Sequence[Measured], confidence: float, invert: Invert) -> list[Row]:
    """One row for each combination of public keys that occurs and of sensitive labels, HAVING, ORDER BY and LIMIT applied.

    A combination that WHERE rules out has no row: its count is 0 without any error, and would win where noise is negative.
    """
    rows = []
    public = [isinstance(key, PublicKey) for key in question.keys]
    possible = possible_groups(question)
    groups = [group for group in groups if possible[group.number]]
    for group in sorted(groups, key=lambda each: (tuple(map(_sortable, each.key)), each.number)):

        def quantile(formula: Quantile, group: Measured = group) -> Estimated:
            return invert(formula, group.number, group.key)

        keys = _keys(public, group.key, group.labels)
        rows.append(Row(keys, group.totals, confidence, quantile, group.adjust, number=group.number))
    kept = [row for row in rows if question.having is None or holds(question.having, row)]
    kept = sorted_rows(kept, question.order)
    end = None if question.limit is None else question.offset + question.limit
    return kept[question.offset : end]


def _keys(public: Sequence[bool], key: tuple[object, ...], labels: tuple[object, ...]) -> tuple[Any, ...]:
    if not key or not labels:
        return key or labels
    left, right = iter(key), iter(labels)
    return tuple(next(left) if each else next(right) for each in public)


COMPARE = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: Condition, row: Row) -> bool:
    """Whether a row meets a condition; a comparison with an unknown number does not hold."""
    if isinstance(condition, Comparison):
        left, right = row.side(condition.left), row.side(condition.right)
        if condition.operator in ("is", "is not"):
            return _missing(left) == (condition.operator == "is")
        if isinstance(left, date) or isinstance(right, date):  # a day, a time, or the text of one
            left, right = as_moment(left), as_moment(right)
        if left is None or right is None or _unknown(left) or _unknown(right):
            return False
        return bool(COMPARE[condition.operator](left, right))
    assert isinstance(condition, Logic)
    parts = (holds(each, row) for each in condition.conditions)
    return (
        not next(parts) if condition.operator == "not" else (all(parts) if condition.operator == "and" else any(parts))
    )


def sorted_rows(rows: Sequence[Row], order: Sequence[SortKey]) -> list[Row]:
    """Sort by several keys, unknown values last."""

    def compare(a: Row, b: Row) -> int:
        for key in order:
            left, right = a.side(key.side), b.side(key.side)
            if left == right:
                continue
            if _missing(left) or _missing(right):
                if _missing(left) and _missing(right):
                    continue
                return 1 if _missing(left) else -1
            before = -1 if left < right else 1
            return -before if key.descending else before
        return 0

    return sorted(rows, key=cmp_to_key(compare))


def _unknown(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _missing(value: Any) -> bool:
    return value is None or _unknown(value)


def _sortable(value: object) -> tuple[bool, str, Any]:
    """Public keys of any type in a fixed order."""
    return (value is None, type(value).__name__, 0 if value is None else value)
