"""From moments to the rows of an answer: formulas, HAVING, ORDER BY, LIMIT."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.ask.estimates.choice import RowChoice, choice_of, parted
from untold.ask.estimates.estimate import Estimated, Estimates, estimates, estimates_over, normal_quantile, of_one
from untold.ask.estimates.measured import Blocks, Measured, names_of, numbers_of, totals_of
from untold.ask.estimates.possible import Possible, PossibleInAny, cut_to
from untold.ask.estimates.ranks import SortedBy, ranks
from untold.ask.estimates.simultaneous import joint_confidence, reaching_further
from untold.ask.estimates.totals import Totals
from untold.ask.question.formulas import needs_rows
from untold.ask.question.groups import possible_groups
from untold.ask.question.model import (
    Comparison,
    Condition,
    Floats,
    Formula,
    KeyFunction,
    Logic,
    PublicKey,
    Quantile,
    Question,
    Ranked,
    SensitiveKey,
    Side,
    SortKey,
)
from untold.plan.schema.kinds.calendar import as_moment

Invert = Callable[[Quantile, int, tuple[object, ...], float], Estimated]
# quantile, number of the sensitive group, public key, confidence


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """The rows of an answer: any formula for all groups at once, and which groups there are rows for, in order.

    family   groups whose intervals hold together; None: each interval by itself
    choice   how estimates decide which rows are shown; None: they do not
    among    the groups that have a rank, whether they are shown or not
    """

    question: Question
    groups: Sequence[Measured]
    confidence: float
    invert: Invert
    numbers: list[int]  # of groups
    columns: dict[Formula, Estimates] = field(default_factory=dict)
    known: dict[tuple[Formula, int], Estimated] = field(default_factory=dict)  # a quantile costs several scans
    functions: dict[KeyFunction, pa.Array] = field(default_factory=dict)
    family: tuple[int, ...] | None = None
    choice: RowChoice | None = None
    joint: dict[Formula, float] = field(default_factory=dict)
    possible: Possible | PossibleInAny | None = None  # what intervals are cut to
    cut: dict[Formula, Estimates] = field(default_factory=dict)
    among: Sequence[int] = ()
    ranked: dict[Ranked, dict[int, Estimated]] = field(default_factory=dict)

    def column(self, formula: Formula) -> Estimates:
        """A formula, row by row."""
        if needs_rows(formula) or self.adjusted or not self.numbers:
            cells = [self.estimated(formula, number) for number in self.numbers]
            names = ("value", "se", "low", "high")
            return Estimates(*(np.array([getattr(cell, name) for cell in cells], dtype=np.float64) for name in names))
        found = self._within(formula)
        kept = self.numbers
        return Estimates(found.value[kept], found.se[kept], found.low[kept], found.high[kept])

    def widths(self, formula: Formula) -> Floats:
        """How wide intervals are, row by row, before they are cut to what is possible; nan where nobody knows."""
        if needs_rows(formula) or not self.numbers:
            return np.full(len(self.numbers), np.nan)
        found = self._everywhere(formula)
        with np.errstate(invalid="ignore"):
            return np.asarray((found.high - found.low)[self.numbers])

    def best(self, formula: Formula) -> tuple[Floats, Floats]:
        """The best guess of a formula and its typical error, row by row; nan where there is none."""
        cells = [self.estimated(formula, number) for number in self.numbers]
        return np.array([cell.best for cell in cells], float), np.array([cell.typical for cell in cells], float)

    def keys(self, key: int) -> list[Any]:
        """One of the GROUP BY keys, row by row."""
        side, place = self._place(key)
        return [self.named[number][side][place] for number in self.numbers]

    def function(self, function: KeyFunction) -> pa.Array:
        """A function of keys, row by row."""
        return self._of_keys(function).take(pa.array(self.numbers, pa.int64()))

    def _of_keys(self, function: KeyFunction) -> pa.Array:
        """The same for all groups, computed once."""
        from untold.ask.sql.one_attribute.of_keys import values_of_rows
        from untold.ask.sql.refusals import Refusal

        if function not in self.functions:
            columns = [[self.key(key, number) for number in range(len(self.named))] for key in function.keys]
            try:
                self.functions[function] = values_of_rows(function, columns, len(self.named))
            except Refusal as refusal:  # of public values, which are seen only now
                raise refusal.said_of(self.question.sql) from None
        return self.functions[function]

    def side(self, side: Side, number: int) -> Any:
        """One side of a comparison, in a group."""
        if side.kind == "literal":
            return side.literal
        if side.kind == "function":
            assert side.function is not None
            return self._of_keys(side.function)[number].as_py()
        if side.kind == "key":
            return self.key(side.key, number)
        assert side.formula is not None
        found = self.estimated(side.formula, number)
        return found.best if side.kind == "value" and not isnan(found.best) else getattr(found, side.kind)

    def key(self, key: int, number: int) -> Any:
        """One of the GROUP BY keys of a group."""
        side, place = self._place(key)
        return self.named[number][side][place]

    def _place(self, key: int) -> tuple[int, int]:
        """Where a key is among `named`: with the public ones or with the labels, and at which place."""
        public = [isinstance(each, PublicKey) for each in self.question.keys]
        return 0 if public[key] else 1, sum(each == public[key] for each in public[:key])

    def estimated(self, formula: Formula, number: int) -> Estimated:
        """A formula for one group."""
        if (formula, number) not in self.known:
            group = self.groups[number] if needs_rows(formula) or self.adjusted else None
            if needs_rows(formula):
                assert group is not None
                found = self._over_quantiles(formula, group, number)
            elif group is not None and group.adjust is not None:
                adjusted = group.adjust(formula, self._everywhere(formula).at(number), self.sure(formula))
                found = self._cut_one(formula, adjusted, number)
            else:
                found = self._within(formula).at(number)
            if isnan(found.value):  # a window without rows has no best guess either
                found = replace(found, best=nan, typical=nan)
            self.known[formula, number] = found
        return self.known[formula, number]

    def _over_quantiles(self, formula: Formula, group: Measured, number: int) -> Estimated:
        if isinstance(formula, Ranked):
            return self._ranks(formula)[number]
        if isinstance(formula, Quantile):
            return self.invert(formula, group.number, group.key, self.sure(formula))

        def leaf(part: Formula, confidence: float) -> Estimates:
            if isinstance(part, Ranked):
                return of_one(self._ranks(part)[number])
            if not isinstance(part, Quantile):
                return self._cut(part, estimates(part, group.totals, confidence), number)
            return of_one(self.invert(part, group.number, group.key, confidence))

        return estimates_over(formula, leaf, self.sure(formula)).at(())

    def _ranks(self, ranked: Ranked) -> dict[int, Estimated]:
        """Of every row, whether it is shown or not."""
        if ranked not in self.ranked:
            parts: dict[tuple[object, ...], list[int]] = {}
            for number in self.among:
                parts.setdefault(tuple(self.key(key, number) for key in ranked.within), []).append(number)
            out = self.ranked[ranked] = {}
            z = normal_quantile(self.confidence)
            for members in parts.values():
                found = ranks(ranked, [self._sorted_by(key, members) for key in ranked.order])
                for place, number in enumerate(members):
                    value, low, high = (float(each[place]) for each in (found.value, found.low, found.high))
                    out[number] = Estimated(value, (high - low) / (2 * z), low, high)
        return self.ranked[ranked]

    def _sorted_by(self, key: SortKey, members: Sequence[int]) -> SortedBy:
        """What some rows are ranked by, with intervals that hold for all of them together."""
        if key.side.formula is None:
            return SortedBy([self.side(key.side, number) for number in members], key.descending)
        family = tuple(members) if self.family is None else tuple(self.among)
        together = replace(self, family=family, columns={}, known={}, cut={}, joint={})
        cells = [together.estimated(key.side.formula, number) for number in members]
        low, high = (np.array([getattr(cell, end) for cell in cells], dtype=np.float64) for end in ("low", "high"))
        return SortedBy([cell.value for cell in cells], key.descending, (low, high))

    def sure(self, formula: Formula) -> float:
        """The confidence of single intervals: higher than what was asked for where all of them have to hold together."""
        if self.family is None:
            return self.confidence
        if formula not in self.joint:
            errors = None
            if not needs_rows(formula):
                errors = estimates(formula, totals_of(self.groups), self.confidence).se
            self.joint[formula] = joint_confidence(
                formula, self.question, self.groups, self.family, errors, self.confidence
            )
        return self.joint[formula]

    @cached_property
    def adjusted(self) -> bool:
        """Whether something is done to the estimates of single groups."""
        return not isinstance(self.groups, Blocks) and any(group.adjust is not None for group in self.groups)

    @cached_property
    def named(self) -> list[tuple[tuple[object, ...], tuple[object, ...]]]:
        """Public keys and sensitive labels of every group."""
        return names_of(self.groups)

    def _everywhere(self, formula: Formula) -> Estimates:
        if formula not in self.columns:
            sure = self.confidence if self.family is None else self.sure(formula)
            found = estimates(formula, totals_of(self.groups), sure, self._cut)
            if self.family is not None:
                found = reaching_further(formula, self.groups, found, normal_quantile(sure))
            self.columns[formula] = found
        return self.columns[formula]

    def _within(self, formula: Formula) -> Estimates:
        """The same, cut to what is possible."""
        if formula not in self.cut:
            self.cut[formula] = self._cut(formula, self._everywhere(formula))
        return self.cut[formula]

    def _cut(self, formula: Formula, found: Estimates, place: int | None = None) -> Estimates:
        """The intervals of all groups, or of one, cut to what is possible."""
        if self.possible is None:
            return found
        low, high = self.possible.spans(formula)
        if low.size > 1 or high.size > 1:
            low, high = self.possible.of_groups(formula, self._labels if place is None else self._labels[place])
        shape = (-1,) if found.value.ndim else ()
        return cut_to(found, low.reshape(shape), high.reshape(shape))

    def _cut_one(self, formula: Formula, found: Estimated, place: int) -> Estimated:
        """The same for one group, its best guess included."""
        if self.possible is None:
            return found
        low, high = self.possible.of_groups(formula, self._labels[place])
        cut = cut_to(of_one(found), low, high).at(())
        return replace(found, low=cut.low, high=cut.high, best=min(max(found.best, float(low)), float(high)))

    @cached_property
    def _labels(self) -> npt.NDArray[np.int64]:
        """Of every group, its number among the combinations of sensitive labels."""
        return np.array(numbers_of(self.groups), dtype=np.int64)


def rows_of(
    question: Question,
    groups: Sequence[Measured],
    confidence: float,
    invert: Invert,
    simultaneous: bool | None = False,
    within: Possible | PossibleInAny | None = None,
) -> AnswerRows:
    """One row for each combination of public keys that occurs and of sensitive labels, HAVING, ORDER BY and LIMIT applied.

    A combination that WHERE rules out has no row: its count is 0 without any error, and would win where noise is negative.

    simultaneous   whether intervals hold for all rows together. None: if estimates decide which rows are shown
    within         what intervals are cut to
    """
    possible = possible_groups(question) if question.keys else np.ones(1, dtype=bool)  # there is a row in any case
    places = [place for place, number in enumerate(numbers_of(groups)) if possible[number]]
    for total in question.totals:
        if total.frame is not None:
            groups = without_absent(question, groups)
            break
    rows = AnswerRows(question, groups, confidence, invert, places, among=places, possible=within)
    if any(isinstance(key, PublicKey) for key in question.keys):
        order = numbers_of(groups)
        places.sort(key=lambda place: (tuple(map(_sortable, rows.named[place][0])), order[place]))
    if not (question.having or question.order or question.limit is not None or question.offset or simultaneous):
        return rows
    fixed, noisy = parted(question.having)
    places = [place for place in places if all(holds(each, rows, place) for each in fixed)]
    choice = choice_of(question, noisy, len(places))
    end = None if question.limit is None else question.offset + question.limit
    if simultaneous or (simultaneous is None and choice is not None):
        shown = places if choice is not None else sorted_places(rows, places, question.order)[question.offset : end]
        rows = replace(rows, family=tuple(shown), columns={}, known={}, cut={}, ranked={})
    places = [place for place in places if all(holds(each, rows, place) for each in noisy)]
    places = sorted_places(rows, places, question.order)
    return replace(rows, numbers=places[question.offset : end], choice=choice)


def without_absent(question: Question, groups: Sequence[Measured]) -> Sequence[Measured]:
    """The same groups; totals over a window that has no rows, as LAG of the first one, are unknown."""
    framed = {i: total.frame for i, total in enumerate(question.totals) if total.frame is not None}
    sensitive = [n for n, key in enumerate(question.keys) if isinstance(key, SensitiveKey)]
    keys = [question.keys[n] for n in sensitive]
    shape = [len(key.labels) for key in keys if isinstance(key, SensitiveKey)]
    gone: dict[int, np.ndarray[Any, np.dtype[np.bool_]]] = {}
    for i, frame in framed.items():
        axis = sensitive.index(frame.key) if frame.key in sensitive else -1
        absent = frame.absent_labels(shape[axis]) if axis >= 0 else np.zeros(1, dtype=np.bool_)
        if absent.any():
            along = absent.reshape([-1 if n == axis else 1 for n in range(len(shape))])
            gone[i] = np.broadcast_to(along, shape).reshape(-1)
    if not gone:
        return groups

    def unknown(totals: Totals, numbers: Any) -> Totals:
        values = totals.values.copy()
        for i, absent in gone.items():
            values[..., i] = np.where(absent[numbers], np.nan, values[..., i])
        return replace(totals, values=values)

    if isinstance(groups, Blocks):
        blocks = groups.blocks
        return Blocks(replace(each, totals=unknown(each.totals, slice(None))) for each in blocks)
    return [replace(each, totals=unknown(each.totals, each.number)) for each in groups]


COMPARE = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: Condition, rows: AnswerRows, place: int) -> bool:
    """Whether a group meets a condition; a comparison with an unknown number does not hold."""
    if isinstance(condition, Comparison):
        left, right = rows.side(condition.left, place), rows.side(condition.right, place)
        if condition.operator in ("is", "is not"):
            return _missing(left) == (condition.operator == "is")
        if isinstance(left, date) or isinstance(right, date):  # a day, a time, or the text of one
            left, right = as_moment(left), as_moment(right)
        if left is None or right is None or _unknown(left) or _unknown(right):
            return False
        return bool(COMPARE[condition.operator](left, right))
    assert isinstance(condition, Logic)
    parts = (holds(each, rows, place) for each in condition.conditions)
    return (
        not next(parts) if condition.operator == "not" else (all(parts) if condition.operator == "and" else any(parts))
    )


def sorted_places(rows: AnswerRows, places: Sequence[int], order: Sequence[SortKey]) -> list[int]:
    """Sort by several keys, unknown values last: by the last key first, as sorting keeps the order of equals."""
    out = list(places)
    for key in reversed(order):
        values = {place: rows.side(key.side, place) for place in out}
        there = [place for place in out if not _missing(values[place])]
        there.sort(key=values.__getitem__, reverse=key.descending)
        out = there + [place for place in out if _missing(values[place])]
    return out


def _unknown(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _missing(value: Any) -> bool:
    return value is None or _unknown(value)


def _sortable(value: object) -> tuple[bool, str, Any]:
    """Public keys of any type in a fixed order."""
    return (value is None, type(value).__name__, 0 if value is None else value)
