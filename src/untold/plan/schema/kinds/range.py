"""What attributes with `low` and `high` share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds.attribute import Sensitive
from untold.plan.schema.names import MAX_INTEGER
from untold.plan.schema.table import Table
from untold.plan.schema.words import plain, show


@dataclass(frozen=True)
class Range(Sensitive):
    """Numbers from low to high, in equal steps."""

    low: float
    high: float

    kind: ClassVar[str] = "ordinal"
    keys: ClassVar[tuple[str, ...]] = ("low", "high")
    ordered: ClassVar[bool] = True
    numeric: ClassVar[bool] = True
    clips: ClassVar[bool] = True

    @property
    @abstractmethod
    def step(self) -> float:
        """Distance of two neighbouring values."""

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """All values, in order."""
        steps = self.size - 1
        numbers = self.low + np.arange(self.size, dtype=np.float64) * (self.high - self.low) / steps
        numbers[-1] = self.high
        return numbers

    def place(self, literal: float) -> float:
        """Steps from the lowest value."""
        return (literal - self.low) / self.step

    def dump(self) -> dict[str, Any]:
        """Its bounds."""
        return {"low": self.low, "high": self.high}

    def aside(self, value: Any) -> tuple[int, Any]:
        """By its number; what has none is below."""
        number = self.rounded_down(value)
        if number is None or not number >= self.low:  # NaN neither
            return -1, None
        return (1, None) if number > self.high else (0, number)

    def rounded_down(self, value: Any) -> int | float | None:
        """The number of a value, with no more digits than this attribute has; None if it is no number."""
        return as_number(value)

    def _inside(self, value: Any) -> int | float:
        """The value as a number from low to high."""
        number = as_number(value)
        if number is None:
            raise BadRecord(f"{self.name} = {value!r} is not a number; allowed are {self.describe()}.")
        if not self.low <= number <= self.high:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}. "
                "Clip the value or leave the record out."
            )
        return number


def read_bounds(table: Table, whole: bool) -> tuple[float, float] | None:
    """low and high: integers if `whole`, any finite numbers otherwise."""
    low = _bound(table, "low", whole) if table.require("low", "Write the smallest allowed value") else None
    high = _bound(table, "high", whole) if table.require("high", "Write the largest allowed value") else None
    if low is None or high is None:
        return None
    if low >= high:
        table.note("low", f"{plain(low)} is not below high = {plain(high)}", "Make low smaller than high")
        return None
    return low, high


def _bound(table: Table, key: str, whole: bool) -> int | float | None:
    value = table.number(key)
    if value is None:
        return None
    if isinstance(value, float) and whole:
        table.note(key, f"{value!r} is not an integer", "Write an integer, or add bins for numbers on a grid")
        return None
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        table.note(
            key, f"{show(value)} is beyond 2^53, where clients lose digits", "Subtract a constant from the values"
        )
        return None
    return value
