"""Numbers and dates of which none is refused: `clip = true` in the plan file.

What lies below the domain and what lies above it has codes of its own, before and behind all others, so that the share at the
ends is known. SQL takes them for the lowest and the highest value. What is no number or date at all (a text, nothing, NaN) lies
below; a number with more digits than declared is rounded down.

    code        0        1 .. size - 2        size - 1
    value       low      those of the domain  high

In classes, of which each has two codes for each of its parts, there is a class of one number at each end. Its bit is always 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.kinds.attribute import Bad, Positions, Sensitive
from untold.plan.schema.kinds.wrapping import Wrapping

KEY = "clip"  # in the table of an attribute
REFUSALS = (BadRecord, ArithmeticError, TypeError, ValueError)  # a silence would tell who has such a value


@dataclass(frozen=True)
class Clipped(Wrapping):
    """Another attribute with a domain from low to high, and whatever lies outside of it."""

    keys: ClassVar[tuple[str, ...]] = (KEY,)

    def dump(self) -> dict[str, Any]:
        """The other table, and that it is clipped."""
        return {**self.inner.dump(), KEY: True}

    def describe(self) -> str:
        """The domain in words."""
        return f"{self.inner.describe()}, clipped"

    @property
    def beyond(self) -> int:  # type: ignore[override]  # by its kind
        """One at each end, or a class with all of its parts."""
        return 2 * self.inner.parts if self.inner.halves else 1

    @property
    def outside_code(self) -> int:
        """Below all others."""
        return 0

    @property
    def above_code(self) -> int:
        """Of what lies above the domain."""
        return self.size - self.beyond

    @property
    def size(self) -> int:
        """More by those at both ends."""
        return self.inner.size + 2 * self.beyond

    def _own(self, code: int) -> int:
        """The code of the other attribute that has the same value."""
        if code < self.beyond:
            return 0
        return min(code - self.beyond, self.inner.size - 1)

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """Those of the lowest and the highest value once more."""
        own = self.inner.numbers
        return np.concatenate([np.repeat(own[:1], self.beyond), own, np.repeat(own[-1:], self.beyond)])

    @property
    def even(self) -> tuple[float, ...]:
        """As ever; nobody beyond the ends."""
        inner, nobody = self.inner.even, (0.0,) * self.beyond
        return (*nobody, *((1 / self.inner.size,) * self.inner.size if inner is None else inner), *nobody)

    def value(self, code: int) -> Any:
        """Of what lies outside, that of the end."""
        return self.inner.value(self._own(code))

    def label(self, code: int) -> Any:
        """As SQL has it: what lies below is in the group of the lowest value, or in the first class."""
        return self.inner.label(self._own(code))

    def number(self, code: int) -> float:
        """Of what lies outside, that of the end."""
        return self.inner.number(self._own(code))

    def code_of(self, value: Any) -> int:
        """Every value has a code, if it does not lie between two."""
        code, fraction = self.position(value)
        return self.inner.code_of(value) + self.beyond if fraction else code

    def position(self, value: Any) -> tuple[int, float]:
        """Nothing is refused."""
        try:
            code, fraction = self.inner.position(value)
        except REFUSALS:
            return self._outside(value), 0.0
        return code + self.beyond, fraction

    def _outside(self, value: Any) -> int:
        """The code of what the other attribute refuses."""
        try:
            side, below = self.inner.aside(value)
            if side == 0:
                return self.inner.position(below)[0] + self.beyond
        except REFUSALS:
            return self.outside_code
        return self.outside_code if side < 0 else self.above_code

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """As the other attribute computes them; those that it refuses one by one, each different one once."""
        own, bad = self.inner.positions(values)
        found: npt.NDArray[Any] = own + own.dtype.type(self.beyond)
        if bad.any():
            found[bad] = Sensitive.positions(self, values[bad])[0]
        return found, np.zeros_like(bad)

    def place(self, literal: Any) -> float | None:
        """As ever, behind the codes at the lower end; outside of the domain before or behind all codes."""
        place = self.inner.place(literal)
        if place is None or place < 0:
            return place
        return place + self.beyond if place <= self.inner.size - 1 else float(self.size)
