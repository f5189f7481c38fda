"""Where a condition on an attribute with knots begins and ends: at knots, or refused with the two nearest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.schema import Sensitive
from untold.schema.words import plain
from untold.sql.names import Scope
from untold.sql.one_attribute.value_tables import Spread
from untold.sql.refusals import Refusal

CLOSE = 1e-9  # of a step: a literal such as 0.3 and the knot 0.30000000000000004 are the same place
MOST_JUMPS = 1 << 16


def rounded_attribute(tree: exp.Expr, scope: Scope) -> Sensitive:
    """The attribute on knots that an expression is about."""
    column = next(tree.find_all(exp.Column))
    attribute = scope.sensitive(column)
    assert attribute is not None
    assert attribute.rounds
    return attribute


def side_of(tree: exp.Expr, slope: float, offset: float, scope: Scope) -> npt.NDArray[np.object_] | float:
    """A number with the sign of slope * attribute + offset for every code; zero at the knot where the line is zero."""
    if slope == 0:
        return offset
    attribute = rounded_attribute(tree, scope)
    place = _place(tree, -offset / slope, attribute)
    sign = math.copysign(1.0, slope)
    return np.array([sign * (code - place) for code in range(attribute.size)], dtype=object)


def _place(tree: exp.Expr, boundary: float, attribute: Sensitive) -> float:
    """The boundary counted in steps from the lowest knot: an integer inside of the domain, else refused."""
    place = attribute.place(boundary)
    assert place is not None
    nearest = round(place) if math.isfinite(place) else place
    if abs(place - nearest) <= CLOSE * max(1.0, abs(place)):
        return float(nearest)
    if place < 0 or place > attribute.known - 1:
        return place
    below, above = attribute.value(math.floor(place)), attribute.value(math.floor(place) + 1)
    raise Refusal(
        tree,
        f"{plain(boundary)} lies between two knots of '{attribute.name}', {plain(below)} and {plain(above)}; "
        f"devices round {attribute.name} to its knots, so nothing is known about the numbers between them.",
        f"Write {plain(below)} or {plain(above)} instead; '{attribute.name}' has {attribute.describe()}.",
    )


def jumps_at_knots(tree: exp.Expr, line: Spread, function: Callable[[Any], Any], scope: Scope) -> Any:
    """FLOOR or CEIL of a line: every integer that it passes must be passed at a knot."""
    attribute = rounded_attribute(tree, scope)
    ends = sorted(line.slope * attribute.number(code) + line.offset for code in (0, attribute.known - 1))
    first, last = math.ceil(ends[0] - CLOSE), math.floor(ends[1] + CLOSE)
    if last - first > MOST_JUMPS:
        raise Refusal(tree, f"This makes {last - first} steps.", "Use wider steps.")
    values = [None if v is None else float(v) for v in line.values]
    for integer in range(first, last + 1):
        place = _place(tree, (integer - line.offset) / line.slope, attribute)
        if 0 <= place <= attribute.known - 1:
            values[int(place)] = float(integer)  # what a double next to the integer would hide
    array = np.empty(len(values), dtype=object)
    array[:] = [None if v is None else function(v) for v in values]
    return array
