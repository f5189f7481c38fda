"""Kind `ordinal` without bins: integers from `low` to `high`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds.attribute import Bad, Positions, ValueType
from untold.plan.schema.kinds.range import Range, read_bounds
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.words import plain


@dataclass(frozen=True)
class Ordinal(Range):
    """Integers low..high: code = value - low."""

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """kind = "ordinal" without bins, cuts and digits."""
        return super().claims(declared) and not {"bins", "cuts", "digits"} & {*declared}

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From two integers, at most MAX_DOMAIN values."""
        bounds = read_bounds(table, whole=True)
        if bounds is None:
            return None
        low, high = bounds
        if high - low >= MAX_DOMAIN:
            reason = f"{plain(low)}..{plain(high)} are {high - low + 1} values, more than {MAX_DOMAIN}"
            table.note("high", reason, "Add bins, such as bins = 1000, to keep numbers on a grid")
            return None
        return cls(name, low, high)

    @property
    def size(self) -> int:
        """Number of coded values."""
        return int(self.high - self.low) + 1

    @property
    def step(self) -> float:
        """One."""
        return 1.0

    @property
    def value_type(self) -> ValueType:
        """Integers."""
        return "integer"

    def value(self, code: int) -> int:
        """An integer."""
        return int(self.low) + code

    def code_of(self, value: Any) -> int:
        """The code of an allowed integer, 31.0 included."""
        number = self._inside(value)
        if number != int(number):
            raise BadRecord(
                f"{self.name} = {value!r} is not an integer; allowed are {self.describe()}. "
                "Round it, or give the attribute bins in the plan."
            )
        return int(number) - int(self.low)

    def rounded_down(self, value: Any) -> int | float | None:
        """31.5 is 31."""
        number = as_number(value)
        return math.floor(number) if number is not None and math.isfinite(number) else number

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """Codes; 31.0 is the integer 31, 31.5 is none."""
        low, high = int(self.low), int(self.high)
        if values.dtype == np.int64:  # what is below low wraps around to far above high: one comparison for both
            codes = (values - np.int64(low)).view(np.uint64)
            return codes.astype(np.uint32), codes > np.uint64(high - low)
        bad = ~((values >= low) & (values <= high))  # NaN is neither
        if values.dtype == np.float64:
            bad |= values != np.floor(values)
        inside = np.where(bad, low, values).astype(np.int64)
        return (inside - low).astype(np.uint32), bad

    def describe(self) -> str:
        """The domain in words."""
        return f"integers {plain(self.low)}..{plain(self.high)}"
