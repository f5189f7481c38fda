"""An attribute of any kind whose value may be missing: `missing = true` in the plan file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.plan.schema.kinds.attribute import Bad, Positions, Sensitive
from untold.plan.schema.kinds.wrapping import Wrapping

KEY = "missing"  # in the table of an attribute


def is_missing(value: Any) -> bool:
    """Whether a value stands for nothing: None, NaN of any library, pandas' NA and NaT, a null of Arrow.

    >>> from decimal import Decimal
    >>> [is_missing(value) for value in (None, float("nan"), np.datetime64("NaT"), Decimal("nan"), 0, "", False)]
    [True, True, True, True, False, False, False]
    """
    if value is None or type(value).__name__ == "NAType":  # pandas.NA, which refuses to be compared
        return True
    if isinstance(value, str | bool | int):
        return False
    try:
        unequal = value != value  # what is not itself is not a number, or not a time
    except (TypeError, ValueError, ArithmeticError):  # what cannot be compared is something
        return False
    return (
        unequal is True or (isinstance(unequal, np.bool_) and bool(unequal)) or getattr(value, "is_valid", 1) is False
    )


@dataclass(frozen=True)
class OrMissing(Wrapping):
    """Another attribute, or nothing. A missing value has one more code, behind all others, and is SQL's NULL.

    A device perturbs that code like any other: nobody learns whether a person has a value.
    """

    keys: ClassVar[tuple[str, ...]] = (KEY,)

    def dump(self) -> dict[str, Any]:
        """The other table, and that it may be missing."""
        return {**self.inner.dump(), KEY: True}

    def describe(self) -> str:
        """The domain in words."""
        return f"{self.inner.describe()}, or missing"

    @property
    def even(self) -> tuple[float, ...] | None:
        """As ever; as many people without a value as have one value, or are in one part of a class."""
        inner = self.inner.even
        if inner is None:
            return None
        without = 1 / (1 + sum(share > 0 for share in inner) / (2 if self.halves else 1))
        return (*(share * (1 - without) for share in inner), without)

    @property
    def without_missing(self) -> Sensitive:
        """The other attribute."""
        return self.inner

    @property
    def missing_code(self) -> int:
        """The last one."""
        return self.inner.size

    @property
    def size(self) -> int:
        """One more."""
        return self.inner.size + 1

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """Of values that are there."""
        return self.inner.numbers

    @property
    def listed(self) -> tuple[Any, ...] | None:
        """The same list and None, if there is one."""
        return None if self.inner.listed is None else (*self.inner.listed, None)

    def value(self, code: int) -> Any:
        """None of the last code."""
        return None if code == self.missing_code else self.inner.value(code)

    def label(self, code: int) -> Any:
        """None of the last code."""
        return None if code == self.missing_code else self.inner.label(code)

    def number(self, code: int) -> float:
        """As ever."""
        return self.inner.number(code)

    def code_of(self, value: Any) -> int:
        """What is missing has a code, too."""
        return self.missing_code if is_missing(value) else self.inner.code_of(value)

    def position(self, value: Any) -> tuple[int, float]:
        """What is missing lies exactly at its code."""
        return (self.missing_code, 0.0) if is_missing(value) else self.inner.position(value)

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """As ever: missing values are not among them."""
        return self.inner.positions(values)
