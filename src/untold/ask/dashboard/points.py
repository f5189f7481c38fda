"""Attributes as questions are read before classes are known: numbers at points that are near enough to each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar, Self

import numpy as np

from untold.ask.question.model import Floats
from untold.errors import BadRecord
from untold.plan.schema import Sensitive
from untold.plan.schema.kinds import Attribute, Categorical, Classes, Date, Decimals, Grouped, Knots, Ordinal, OrMissing
from untold.plan.schema.kinds.attribute import ValueType
from untold.plan.schema.kinds.range import Range
from untold.plan.schema.table import Table

MOST_POINTS = 1 << 18  # all decimals of a domain, if they are no more; else so many evenly, and those of the questions
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?|\.\d+)(?![\w.])")
MOST_DIGITS = 6  # behind the point, where a plan says nothing of digits


@dataclass(frozen=True)
class Points(Sensitive):
    """Some numbers of a domain, in rising order; nobody reports them."""

    at: tuple[float, ...]
    whole: bool  # whether all numbers of the domain are integers

    kind: ClassVar[str] = "ordinal"
    keys: ClassVar[tuple[str, ...]] = ()
    ordered: ClassVar[bool] = True
    numeric: ClassVar[bool] = True

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """No plan declares it."""
        raise NotImplementedError

    def dump(self) -> dict[str, Any]:
        """Nothing: it is never frozen."""
        return {}

    def describe(self) -> str:
        """The domain in words."""
        return f"numbers {self.at[0]:g}..{self.at[-1]:g}"

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.at)

    @property
    def value_type(self) -> ValueType:
        """Integers or any numbers."""
        return "integer" if self.whole else "number"

    @property
    def numbers(self) -> Floats:
        """All of them."""
        return np.array(self.at)

    def value(self, code: int) -> Any:
        """The number."""
        return int(self.at[code]) if self.whole else self.at[code]

    def code_of(self, value: Any) -> int:
        """Of one of the points."""
        found = int(np.searchsorted(self.at, value))
        if found == self.size or self.at[found] != value:
            raise BadRecord(f"{self.name} = {value!r} is not a point.")
        return found

    def place(self, literal: Any) -> float:
        """Counted in points."""
        return float(np.interp(float(literal), self.at, np.arange(self.size), -1.0, float(self.size)))


def numbers_in(texts: Iterable[str]) -> set[Decimal]:
    """All numbers that are written in SQL, without regard to what they are compared with."""
    return {Decimal(found) for text in texts for found in NUMBER.findall(text)}


def digits_of(attribute: Sensitive, literals: Iterable[Decimal]) -> int:
    """Digits behind the point that tell the numbers of an attribute apart, as far as questions may."""
    if isinstance(attribute, Ordinal):
        return 0
    if isinstance(attribute, Decimals | Classes) and attribute.digits is not None:
        return attribute.digits
    found = [-int(number.normalize().as_tuple().exponent) for number in literals]
    return min(max([0, *found]) + 1, MOST_DIGITS)


def as_read(attribute: Attribute, literals: set[Decimal]) -> Attribute:
    """The attribute with all values that questions may tell apart."""
    if isinstance(attribute, OrMissing):
        inner = as_read(attribute.inner, literals)
        assert isinstance(inner, Sensitive)
        return OrMissing(attribute.name, inner)
    if isinstance(attribute, Ordinal | Knots | Classes | Decimals):
        return _points(attribute, literals)
    if isinstance(attribute, Grouped):
        return Categorical(attribute.name, attribute.values)
    if isinstance(attribute, Date):
        return replace(attribute, high=_last_day(attribute), step="day")
    return attribute


def _points(attribute: Range, literals: set[Decimal]) -> Points:
    digits = digits_of(attribute, literals)
    scale = 10**digits
    first, last = round(attribute.low * scale), round(attribute.high * scale)
    if last - first < MOST_POINTS:
        units = np.arange(first, last + 1)
    else:
        own = [int(sign * each * scale) + beside for each in literals for sign in (1, -1) for beside in (-1, 0, 1)]
        units = np.unique([*np.linspace(first, last, MOST_POINTS // 4).astype(np.int64), *own])
        units = units[(units >= first) & (units <= last)]
    return Points(attribute.name, tuple((units / scale).tolist()), digits == 0)


def _last_day(attribute: Date) -> Any:
    """Of the last step."""
    step = attribute.steps[attribute.step]
    begin = datetime(attribute.high.year, attribute.high.month, attribute.high.day)
    return attribute.shown(step.begin(step.number(begin) + 1) - timedelta(days=1))
