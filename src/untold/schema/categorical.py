"""An attribute whose values are only names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from untold.errors import BadRecord
from untold.schema.as_number import as_number

Value = str | int | bool
SHOWN = 8  # values that fit into a sentence


@dataclass(frozen=True)
class Categorical:
    """One of a list of strings, integers or booleans; the code of a value is its place in the list."""

    name: str
    values: tuple[Value, ...]

    kind: ClassVar[str] = "categorical"

    @property
    def size(self) -> int:
        """Number of coded values."""
        return len(self.values)

    @cached_property
    def _codes(self) -> dict[Value, int]:
        return {value: code for code, value in enumerate(self.values)}

    def value(self, code: int) -> Value:
        """The value of a code."""
        return self.values[code]

    def code_of(self, value: Any) -> int:
        """The code of a value. true is not 1, and "1" is neither; 1.0 passes for 1, as tables with gaps store it."""
        code = self._codes.get(key) if (key := self._as_declared(value)) is not None else None
        if code is None:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed is {self.describe()}. "
                "Map it to one of these or leave the record out."
            )
        return code

    def _as_declared(self, value: Any) -> Value | None:
        """The value in the type of the declared ones, or None where it has no such form."""
        declared = type(self.values[0])
        if isinstance(value, bool | np.bool_):
            return bool(value) if declared is bool else None
        number = as_number(value)
        if declared is int and number is not None:
            return int(number) if abs(number) <= 2**53 and number == int(number) else None
        return str(value) if declared is str and isinstance(value, str) else None

    def describe(self) -> str:
        """The domain in words."""
        shown = ", ".join(str(v).lower() if isinstance(v, bool) else repr(v) for v in self.values[:SHOWN])
        more = f", ... ({self.size} values)" if self.size > SHOWN else ""
        return f"one of {shown}{more}"
