"""Two kinds of attributes that no plan can name unless a test puts them into KINDS."""

from __future__ import annotations

from calendar import month_name
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, ClassVar, Self

import numpy as np

from untold.errors import BadRecord
from untold.plan.schema.kinds import Listed, Sensitive
from untold.plan.schema.table import Table

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
class Day(Sensitive):
    """Days from low to high: a type of values that no other kind has. `STORED_AS` must have a row for it."""

    low: date
    high: date

    kind: ClassVar[str] = "day"
    keys: ClassVar[tuple[str, ...]] = ("low", "high")
    ordered: ClassVar[bool] = True
    no_number: ClassVar[str] = "its values are days"
    value_type: ClassVar[Any] = "day"

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
        """Of a day."""
        code = self.place(value) if type(value) is date else None
        if code is None or not 0 <= code < self.size:
            raise BadRecord(f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}.")
        return int(code)

    def positions(self, values: Any) -> Any:
        """Of an array of days."""
        days = (values.astype("datetime64[D]") - np.datetime64(self.low)).astype(np.int64)
        bad = (days < 0) | (days >= self.size)
        return np.where(bad, 0, days).astype(np.uint32), bad
