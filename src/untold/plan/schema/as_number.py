"""Accepts numbers of any library (numpy, Decimal, Python) and gives back Python's own."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np


def as_number(value: Any) -> int | float | None:
    """A number of Python, numpy or decimal as an int or a double; None for everything else, booleans too.

    >>> as_number(np.int8(3)), as_number(Decimal("0.5")), as_number(True), as_number("3")
    (3, 0.5, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else math.nan
    return float(value) if isinstance(value, float | np.floating) else None
