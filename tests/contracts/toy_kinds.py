"""Three kinds of attributes that no plan can name unless a test puts them into KINDS."""

from __future__ import annotations

from calendar import month_name
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, ClassVar, Self

import numpy as np

from untold.errors import BadRecord
from untold.schema.kinds import Listed, Sensitive
from untold.schema.read_attribute import read_attribute
from untold.schema.table import Table

MONTHS = tuple(month_name[1:])


@dataclass(frozen=True)
class Month(Listed, Sensitive):
    """Twelve names in an order, each with a number: January is 1."""

    values: tuple[str, ...] = MONTHS

    kind: ClassVar[str] = "month"
    keys: ClassVar[tuple[str, ...]] = ()
    ordered: ClassVar[bool] = True
    numeric: ClassVar[bool] = True

    @classmethod
    def read(cls, name: str, table: Table) -> Self:
        """There is nothing to declare."""
        return cls(name)

    def dump(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def number(self, code: int) -> float:
        """As calendars count."""
        return code + 1.0

    def describe(self) -> str:
        """The domain in words."""
        return "a month, January to December"


@dataclass(frozen=True)
class Maybe(Sensitive):
    """Another attribute, or nothing: a missing value is one more code behind all others, and SQL's NULL."""

    inner: Sensitive

    kind: ClassVar[str] = "maybe"
    keys: ClassVar[tuple[str, ...]] = ("of",)

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From the table of the other attribute."""
        inner = table.table("of", "a table")
        found = None if inner is None else read_attribute(name, inner)
        return cls(name, found) if isinstance(found, Sensitive) else None

    def dump(self) -> dict[str, Any]:
        """That table."""
        return {"of": self.inner.declared()}

    def describe(self) -> str:
        """The domain in words."""
        return f"{self.inner.describe()}, or missing"

    rounds = property(lambda self: self.inner.rounds)
    ordered = property(lambda self: self.inner.ordered)
    numeric = property(lambda self: self.inner.numeric)
    no_number = property(lambda self: self.inner.no_number)
    numbers = property(lambda self: self.inner.numbers)
    caution = property(lambda self: self.inner.caution)
    value_type = property(lambda self: self.inner.value_type)
    size = property(lambda self: self.inner.size + 1)
    missing_code = property(lambda self: self.inner.size)

    @property
    def listed(self) -> tuple[Any, ...] | None:
        """The same list and None, if there is one."""
        return None if self.inner.listed is None else (*self.inner.listed, None)

    def value(self, code: int) -> Any:
        """None of the last code."""
        return None if code == self.missing_code else self.inner.value(code)

    def number(self, code: int) -> float:
        """As ever."""
        return self.inner.number(code)

    def code_of(self, value: Any) -> int:
        """None has a code."""
        return self.missing_code if value is None else self.inner.code_of(value)

    def position(self, value: Any) -> tuple[int, float]:
        """None lies exactly at its code."""
        return (self.missing_code, 0.0) if value is None else self.inner.position(value)

    def positions(self, values: Any) -> Any:
        """None is not among them."""
        return self.inner.positions(values)

    def place(self, literal: Any) -> float | None:
        """As ever."""
        return self.inner.place(literal)


@dataclass(frozen=True)
class Day(Sensitive):
    """Days from low to high: a type of values that no other kind has. `STORED_AS` must have a row for it."""

    low: date
    high: date

    kind: ClassVar[str] = "day"
    keys: ClassVar[tuple[str, ...]] = ("low", "high")
    ordered: ClassVar[bool] = True
    no_number: ClassVar[str] = "its values are days"
    value_type: ClassVar[Any] = "date"

    @classmethod
    def read(cls, name: str, table: Table) -> Self:
        """TOML has dates, JSON has texts."""
        return cls(name, *(date.fromisoformat(str(table.data[key])) for key in ("low", "high")))

    def dump(self) -> dict[str, Any]:
        """Texts."""
        return {"low": self.low.isoformat(), "high": self.high.isoformat()}

    def describe(self) -> str:
        """The domain in words."""
        return f"days {self.low}..{self.high}"

    @property
    def size(self) -> int:
        """Number of days."""
        return (self.high - self.low).days + 1

    def value(self, code: int) -> date:
        """A day."""
        return self.low + timedelta(code)

    def place(self, literal: Any) -> float | None:
        """Days since low, of a day or its text."""
        try:
            return float((date.fromisoformat(str(literal)) - self.low).days)
        except ValueError:
            return None

    def code_of(self, value: Any) -> int:
        """Of a day or its text."""
        code = self.place(value)
        if code is None or not 0 <= code < self.size:
            raise BadRecord(f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}.")
        return int(code)

    def positions(self, values: Any) -> Any:
        """Of an array of days."""
        days = (values.astype("datetime64[D]") - np.datetime64(self.low)).astype(np.int64)
        bad = (days < 0) | (days >= self.size)
        return np.where(bad, 0, days).astype(np.uint32), bad
