"""Values of an expression for every code of one attribute, computed as DuckDB computes them on a row.

Integers and decimals are exact (int and Fraction), doubles are floats, NULL is None. An attribute on knots is a double
that a device has rounded at random: a jump between two knots has no right answer, and `shape` tracks where jumps are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Scalar = int | float | Fraction | bool | str | None
Shape = Literal["constant", "steps", "line", "curve"]


@dataclass(frozen=True, eq=False)
class Spread:
    """One value for each code, or one for all.

    shape  constant
           steps: jumps only at knots, or the attribute has no values between its codes
           line: slope * attribute + offset
           curve: anything else
    """

    values: Any  # a scalar, or an array of objects
    shape: Shape
    slope: float = 0.0
    offset: float = 0.0

    def each(self, size: int) -> npt.NDArray[np.object_]:
        """An array with one value for each code."""
        array = np.empty(size, dtype=object)
        array[:] = self.values
        return array


def constant(value: Scalar) -> Spread:
    """The same for all codes."""
    offset = float(value) if isinstance(value, int | float | Fraction) else 0.0
    return Spread(value, "constant", 0.0, offset)


def mapped(function: Callable[..., Any], *arguments: Any) -> Any:
    """A function of scalars, code by code."""
    if not any(isinstance(argument, np.ndarray) for argument in arguments):
        return function(*arguments)
    with np.errstate(all="ignore"):
        return np.frompyfunc(function, len(arguments), 1)(*arguments)


def strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """NULL in, NULL out; a double among the arguments makes all of them doubles."""

    def call(*arguments: Scalar) -> Any:
        if any(a is None for a in arguments):
            return None
        if any(isinstance(a, float) for a in arguments):
            return function(*(a if isinstance(a, bool | str) else float(a) for a in arguments if a is not None))
        return function(*arguments)

    return call


def truncated_quotient(a: Any, b: Any) -> Any:
    """DuckDB's // of integers: towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: Any, b: Any) -> Any:
    """DuckDB's %: the sign of the left side."""
    return math.fmod(a, b) if isinstance(a, float) else a - b * truncated_quotient(a, b)


def rounded(a: Any, digits: Any = 0) -> Any:
    """Half away from zero."""
    if digits < 0:
        unit = 10 ** -int(digits)
        return int(math.copysign(1, a)) * ((2 * abs(a) + unit) // (2 * unit)) * unit
    below = math.floor(abs(a))
    number = below + (2 * (abs(a) - below) >= 1)
    return math.copysign(float(number), a) if isinstance(a, float) else number if a >= 0 else -number


def power(a: Any, b: Any) -> float:
    """A double; infinite or not a number where there is none."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def floored(a: Any) -> Any:
    """A double, except of a decimal."""
    return math.floor(a) if isinstance(a, Fraction) else float(math.floor(a))


def ceiled(a: Any) -> Any:
    """A double, except of a decimal."""
    return math.ceil(a) if isinstance(a, Fraction) else float(math.ceil(a))


def compared(operator: str) -> Callable[[Any, Any], bool]:
    """A comparison of two scalars."""
    return {
        "=": lambda a, b: a == b,
        "<>": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }[operator]
