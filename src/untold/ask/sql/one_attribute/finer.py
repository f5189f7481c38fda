"""Attributes as a query needs them: cut wherever one of its conditions cuts a class of numbers or a step of the calendar.

Devices tell the class or step alone. A query is read as if they told more, over such a finer attribute; `totals/cut_classes.py`
then writes what it asks in the classes that there are, and says what is certain of those that it cuts.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.question.model import Column, Floats
from untold.plan import Plan
from untold.plan.schema import Sensitive, Service
from untold.plan.schema.kinds.calendar import as_moment
from untold.plan.schema.kinds.classes import Classes
from untold.plan.schema.kinds.dates import Calendar, Date, Timestamp
from untold.plan.schema.kinds.or_missing import OrMissing

MOST_MOMENTS = 1 << 16  # that an attribute is looked at by
CLOSE = 1e-9  # of a unit in the last digit: computed limits are rounded to digits
Ints = npt.NDArray[np.int64]


class CutClass(Exception):
    """A condition or key cuts classes of a column: the query is to be read anew, over a finer attribute."""

    def __init__(self, column: Column, finer: Sensitive, tree: exp.Expr) -> None:
        super().__init__(column)
        self.column, self.cut = column, Cut(finer, tree)


@dataclass(frozen=True, eq=False)
class Cut:
    """An attribute that is cut, and what cuts it."""

    attribute: Sensitive
    tree: exp.Expr


@dataclass(frozen=True)
class FinerClasses(Classes):
    """Classes that are cut further; in words they are those that devices tell."""

    kept: Classes = field(kw_only=True)

    def label(self, code: int) -> Any:
        """Where the class begins that devices tell."""
        return self.kept.label(2 * self.kept.pieces[int(self.members[code // 2])][2])

    def describe(self) -> str:
        """As it is kept."""
        return self.kept.describe()

    @cached_property
    def members(self) -> Ints:
        """The class that each part lies in, or the part of a class where classes are kept in parts: its number among `pieces`."""
        return np.array([bisect_right(self.kept.limits, start) for start in self.starts], dtype=np.int64)

    @cached_property
    def widths(self) -> Floats:
        """Of the parts: how many numbers lie in each, if they have digits."""
        unit = 0.0 if self.digits is None else 10.0**-self.digits
        return np.asarray(np.array(self.ends) - np.array(self.starts) + unit, dtype=np.float64)


@dataclass(frozen=True)
class FinerDate(Date):
    """Days of wider steps."""

    kept: Calendar = field(kw_only=True)

    def label(self, code: int) -> Any:
        """The beginning of the step that devices tell."""
        return self.kept.value(int(self.members[code]))

    def describe(self) -> str:
        """As it is kept."""
        return self.kept.describe()

    @cached_property
    def members(self) -> Ints:
        """The step that each day lies in."""
        return _members(self, self.kept)


@dataclass(frozen=True)
class FinerTimestamp(Timestamp):
    """Hours, minutes or seconds of wider steps."""

    kept: Calendar = field(kw_only=True)

    def label(self, code: int) -> Any:
        """The beginning of the step that devices tell."""
        return self.kept.value(int(self.members[code]))

    def describe(self) -> str:
        """As it is kept."""
        return self.kept.describe()

    @cached_property
    def members(self) -> Ints:
        """The step that each moment lies in."""
        return _members(self, self.kept)


Finer = FinerClasses | FinerDate | FinerTimestamp


def _members(finer: Calendar, kept: Calendar) -> Ints:
    moments = np.array([finer.value(code) for code in range(finer.size)], dtype="datetime64[s]")
    return kept.positions(moments)[0].astype(np.int64)


def finer_of(attribute: Sensitive) -> Finer | None:
    """The attribute as one that is cut, whether or not values may be missing; None if it is not."""
    inner = attribute.without_missing
    return inner if isinstance(inner, FinerClasses | FinerDate | FinerTimestamp) else None


def like(attribute: Sensitive, inner: Sensitive) -> Sensitive:
    """Another inner attribute, whose values may be missing if those of the first one may."""
    return OrMissing(attribute.name, inner) if attribute.may_be_missing else inner


def cut_at(attribute: Sensitive, cuts: Iterable[float]) -> Sensitive:
    """Classes with further cuts."""
    inner = attribute.without_missing
    assert isinstance(inner, Classes)
    every = tuple(sorted({*inner.limits, *cuts}))
    kept = inner.kept if isinstance(inner, FinerClasses) else inner
    return like(attribute, FinerClasses(inner.name, inner.low, inner.high, every, inner.digits, kept=kept))


def new_cuts(attribute: Sensitive, boundary: float, before: Iterable[bool]) -> set[float]:
    """Where classes have to be cut for a jump right before a number, or right after it; none where they are."""
    inner = attribute.without_missing
    assert isinstance(inner, Classes)
    found = {_cut(inner, boundary, each) for each in before}
    return {cut for cut in found if inner.low < cut <= inner.high and cut not in inner.limits}


def _cut(inner: Classes, boundary: float, before: bool) -> float:
    """The first number above a jump."""
    if not math.isfinite(boundary):
        return boundary
    if inner.digits is None:
        return boundary if before else math.nextafter(boundary, math.inf)
    units = Fraction(repr(boundary)) * 10**inner.digits
    whole = round(units)
    if abs(units - whole) > CLOSE * max(1, abs(units)):
        whole = math.ceil(units)
    elif not before:
        whole += 1
    return float(Fraction(whole, 10**inner.digits))


@lru_cache(maxsize=64)
def in_moments(attribute: Sensitive) -> Sensitive | None:
    """Dates as days, times as moments; None if they are kept so, or there would be too many."""
    inner = attribute.without_missing
    if not isinstance(inner, Calendar) or finer_of(attribute) is not None:
        return None
    words = list(inner.steps)
    for word in words[: words.index(inner.step)]:
        step = inner.steps[word]
        first, last = step.number(_moment(inner.low)), step.number(_end(inner)) - 1
        if last - first < MOST_MOMENTS:
            low, high = (type(inner).shown(step.begin(number)) for number in (first, last))
            kind = FinerDate if isinstance(inner, Date) else FinerTimestamp
            return like(attribute, kind(inner.name, low, high, word, kept=inner))
    return None


def _moment(value: Any) -> datetime:
    moment = as_moment(value)
    assert moment is not None
    return moment


def _end(inner: Calendar) -> datetime:
    """When the last step ends."""
    step = inner.steps[inner.step]
    return step.begin(step.number(_moment(inner.high)) + 1)


STEPPED = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)


def whole_steps(tree: exp.Expr, attributes: Mapping[Column, Sensitive]) -> exp.Expr:
    """The tree with comparisons of moments with the beginning of a step, by = or IN, as ones of that step: it is what GROUP BY
    shows, and what tools ask for again."""
    copy = tree.copy()
    for node in list(copy.walk()):
        if isinstance(node, STEPPED):
            _rewrite(node, "this", [node.expression], attributes)
            _rewrite(node, "expression", [node.this], attributes)
        elif isinstance(node, exp.In) and node.expressions:
            _rewrite(node, "this", node.expressions, attributes)
    return copy


def _rewrite(node: exp.Expr, side: str, others: list[exp.Expr], attributes: Mapping[Column, Sensitive]) -> None:
    column = _bare(node.args[side])
    if not isinstance(column, exp.Column):
        return
    attribute = attributes.get(Column(column.table, column.name))
    inner = None if attribute is None else finer_of(attribute)
    if not isinstance(inner, FinerDate | FinerTimestamp) or not all(begins(each, inner.kept) for each in others):
        return
    node.set(side, exp.TimestampTrunc(this=column.copy(), unit=exp.Var(this=inner.kept.step.upper())))


def begins(tree: exp.Expr, kept: Calendar) -> bool:
    """Whether a literal is the beginning of a step."""
    moment = literal_moment(tree)
    step = kept.steps[kept.step]
    return moment is not None and step.begin(step.number(moment)) == moment


def literal_moment(tree: exp.Expr) -> datetime | None:
    """The moment that is written out: '2026-01-31' or DATE '2026-01-31'."""
    tree = _bare(tree)
    if isinstance(tree, exp.Cast):
        tree = _bare(tree.this)
    return as_moment(tree.name) if isinstance(tree, exp.Literal) and tree.is_string else None


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


@dataclass(frozen=True)
class FinerPlan(Plan):
    """A plan some of whose attributes are finer than devices tell, while a query is read."""

    finer: Mapping[Column, Sensitive] = field(default_factory=dict)

    def service(self, name: str) -> Service:
        """Its declaration, with finer attributes."""
        found = self.declared(name)
        own = {column.attribute: each for column, each in self.finer.items() if column.service == name}
        return replace(found, attributes=tuple(own.get(a.name, a) for a in found.attributes)) if own else found

    def declared(self, name: str) -> Service:
        """Its declaration, as it stands in the plan."""
        return self.schema.service(name)


def with_finer(plan: Plan, cuts: Mapping[Column, Cut]) -> Plan:
    """The plan with some attributes replaced."""
    finer = {column: cut.attribute for column, cut in cuts.items()}
    if isinstance(plan, FinerPlan):
        return replace(plan, finer={**plan.finer, **finer})
    return FinerPlan(plan.schema, plan.designs, plan.format, finer)
