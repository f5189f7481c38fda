"""Kind `ordinal` with `digits`: decimal numbers with a fixed number of digits behind the point, exact in and out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds.attribute import Bad, Positions, ValueType
from untold.plan.schema.kinds.range import Range, read_bounds
from untold.plan.schema.names import MAX_DOMAIN, MAX_INTEGER
from untold.plan.schema.table import Table
from untold.plan.schema.words import plain

MOST_DIGITS = 9
MOST_EXPONENT = 60  # of a Decimal: beyond, its digits would fill the memory
TEXT = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?")


@dataclass(frozen=True)
class Decimals(Range):
    """Numbers low..high with `digits` digits behind the point: code = value * 10^digits - low * 10^digits, all integers."""

    digits: int

    keys: ClassVar[tuple[str, ...]] = ("low", "high", "digits")

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """kind = "ordinal" with digits."""
        return super().claims(declared) and "digits" in declared and "cuts" not in declared

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From two numbers with no more digits than declared."""
        digits = table.integer("digits", 1, MOST_DIGITS, "Write how many digits stand behind the point, such as 2")
        if "bins" in table.data:
            table.note("bins", "bins and digits at once", "Keep bins for numbers on a grid, or digits for all of them")
            return None
        bounds = read_bounds(table, whole=False)
        if bounds is None or digits is None:
            return None
        attribute = cls(name, float(bounds[0]), float(bounds[1]), digits)
        for key in ("low", "high"):
            if attribute.whole(getattr(attribute, key)) is None:
                reason = f"{plain(getattr(attribute, key))} has more than {digits} digits behind the point"
                table.note(key, reason, "Round it, or raise digits")
                return None
        if attribute.size > MAX_DOMAIN:
            reason = f"{attribute.size} values with {digits} digits, more than {MAX_DOMAIN}"
            table.note("digits", reason, "Use fewer digits, or bins to keep numbers on a grid")
            return None
        return attribute

    def dump(self) -> dict[str, Any]:
        """Bounds and digits."""
        return {**super().dump(), "digits": self.digits}

    def whole(self, number: float) -> int | None:
        """number * 10^digits where the number is the double nearest to such a decimal, as 0.1 is; None for others."""
        units = round(number * 10**self.digits) if abs(number) * 10**self.digits <= MAX_INTEGER else 0
        return units if units / 10**self.digits == number else None

    @cached_property
    def _first(self) -> int:
        units = self.whole(self.low)
        assert units is not None
        return units

    @cached_property
    def size(self) -> int:
        """Number of decimals."""
        last = self.whole(self.high)
        assert last is not None
        return last - self._first + 1

    @property
    def step(self) -> float:
        """The last digit."""
        return float(10**-self.digits)

    @property
    def value_type(self) -> ValueType:
        """Decimals."""
        return "decimal"

    def value(self, code: int) -> Decimal:
        """With all of its digits: 3.10."""
        return Decimal(self._first + int(code)).scaleb(-self.digits)

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The nearest doubles."""
        return (self._first + np.arange(self.size)) / float(10**self.digits)

    def place(self, literal: Any) -> float:
        """Last digits from the lowest value."""
        return float(Fraction(literal) * 10**self.digits - self._first)

    def code_of(self, value: Any) -> int:
        """Of a Decimal, a text, an integer, or a double that is nearest to a decimal with so many digits."""
        units = self.units(value)
        if units is None:
            raise BadRecord(
                f"{self.name} = {value!r} is not a number with at most {self.digits} digits behind the point; "
                f"allowed are {self.describe()}. Round it."
            )
        if not 0 <= units - self._first < self.size:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}. "
                "Clip the value or leave the record out."
            )
        return units - self._first

    def units(self, value: Any) -> int | None:
        """A Decimal, a text, an integer or a double in units of the last digit; None if it has more digits, or is no number."""
        if isinstance(value, str):
            value = Decimal(value) if TEXT.fullmatch(value) else None
        if isinstance(value, Decimal):
            fits = value.is_finite() and abs(value.adjusted()) <= MOST_EXPONENT
            exact = Fraction(value) * 10**self.digits if fits else Fraction(1, 2)
            return int(exact) if exact.denominator == 1 else None
        number = as_number(value)
        if isinstance(number, float):
            return self.whole(number) if abs(number) < MAX_INTEGER else None  # NaN neither
        return None if number is None else number * 10**self.digits

    def rounded_down(self, value: Any) -> float | None:
        """3.147 with two digits is 3.14."""
        if isinstance(value, str):
            value = Decimal(value) if TEXT.fullmatch(value) else None
        number = as_number(value)
        if number is None or not math.isfinite(number):
            return number
        if abs(number) > MAX_INTEGER:
            return math.copysign(math.inf, number)
        if isinstance(value, Decimal):
            return float(math.floor(Fraction(value) * 10**self.digits) / 10**self.digits)
        return float(math.floor(number * 10**self.digits) / 10**self.digits)

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """Doubles and integers by array operations; decimals and texts each different one once."""
        if values.dtype.kind not in "iuf":
            return super().positions(values)
        scale = float(10**self.digits)
        numbers = values.astype(np.float64)
        inside = (numbers >= self.low) & (numbers <= self.high)  # NaN is neither
        units = np.rint(np.where(inside, numbers, self.low) * scale)
        bad = ~inside | (units / scale != numbers)
        return np.where(bad, 0, units - self._first).astype(np.uint32), bad

    def describe(self) -> str:
        """The domain in words."""
        return f"numbers {self.value(0)}..{self.value(self.size - 1)} with {self.digits} digits behind the point"
