"""What an answer can be at all: a count lies between 0 and everybody, an average between the ends of its attribute.

An interval that spans all of that tells nothing: its number is noise, and tables show "unknown" in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

import numpy as np
import numpy.typing as npt

from untold.ask.question.model import Apply, Constant, Floats, Formula, Question, Total, TotalOf

Ends = tuple[float, float]
ANYTHING: Ends = (-inf, inf)


def possible(formula: Formula, question: Question, most: float) -> Ends:
    """The ends of what a formula can be; `most` rows are there at most. Infinite where that is not known.

    TotalOf        rows times what one row can add
    N / D          what one row of D can add to N, if rows outside of D add nothing: averages and shares
    a + b f        mapped
    """
    if isinstance(formula, TotalOf):
        low, high = _row_ends(question.totals[formula.index if formula.between is None else formula.between[1]])
        return min(0.0, most * low), max(0.0, most * high)
    if not isinstance(formula, Apply) or len(formula.arguments) != 2:
        return ANYTHING
    left, right = formula.arguments
    if formula.operation not in ("add", "sub", "mul", "div"):
        return ANYTHING
    if formula.operation == "div" and isinstance(right, TotalOf) and (multiple := _multiple(left)) is not None:
        factor, total = multiple
        ends = _of_groups(question.totals[total.index], question.totals[right.index], question)
        return ANYTHING if ends == ANYTHING else _scaled([np.array(ends)], factor)
    fixed = [each for each in (left, right) if isinstance(each, Constant)]
    if len(fixed) != 1 or (formula.operation == "div" and fixed[0] is left):
        return ANYTHING
    inner, number = possible(right if fixed[0] is left else left, question, most), fixed[0].value
    slope, shift = {
        "add": (1.0, number),
        "sub": (-1.0, number) if fixed[0] is left else (1.0, -number),
        "mul": (number, 0.0),
        "div": (1 / number if number else inf, 0.0),
    }[formula.operation]
    low, high = sorted(shift + slope * end if slope else shift for end in inner)
    return ANYTHING if np.isnan(low) or np.isnan(high) else (low, high)


def _multiple(formula: Formula) -> tuple[float, TotalOf] | None:
    """A number times a total."""
    if isinstance(formula, TotalOf):
        return 1.0, formula
    if isinstance(formula, Apply) and formula.operation == "mul":
        fixed = [each.value for each in formula.arguments if isinstance(each, Constant)]
        totals = [each for each in formula.arguments if isinstance(each, TotalOf)]
        return (fixed[0], totals[0]) if fixed and totals else None
    return None


def are_unknown(low: Floats, high: Floats, ends: Ends) -> npt.NDArray[np.bool_]:
    """Which intervals rule out nothing that is possible."""
    return np.asarray((low <= ends[0]) & (high >= ends[1]) & (ends[0] < ends[1]))


def people_for(users: int, width: float, se: float, z: float, ends: Ends) -> float | None:
    """How many people an interval needs that is shorter than all that is possible: errors shrink with the root of their
    number, so (width / span)^2 times as many. By the width that there is, and the one that is forecast. None: unknown."""
    span = ends[1] - ends[0]
    known = [each for each in (width, 2 * z * se) if isfinite(each)]
    if not isfinite(span) or span <= 0 or not known:
        return None
    return users * max(max(known) / span, 1.0) ** 2


def _row_ends(total: Total) -> Ends:
    """The least and the most that one row can add."""
    if total.is_count:
        return 0.0, 1.0
    low = high = 0.0
    for term in total.terms:
        if term.publics:
            return ANYTHING
        ends = _scaled([f.values for f in term.factors], term.coefficient)
        low, high = low + ends[0], high + ends[1]
    return low, high


def _of_groups(above: Total, below: Total, question: Question) -> Ends:
    """Of N / D, where D may be of more groups than N: then the others add nothing to N."""
    every = frozenset(range(len(question.keys)))
    mine, all_of = (every if each.within is None else frozenset(each.within) for each in (above, below))
    if not all_of <= mine:
        return ANYTHING
    if above.frame != below.frame and (below.frame is not None or above.frame is None or above.frame.key in all_of):
        return ANYTHING
    low, high = _share_ends(above, below)
    return (low, high) if mine == all_of else (min(low, 0.0), max(high, 0.0))


def _share_ends(above: Total, below: Total) -> Ends:
    """Of N / D, each of one term: D says which rows count, N adds something for these rows alone."""
    if len(above.terms) != 1 or len(below.terms) != 1 or not below.is_count:
        return ANYTHING
    top, base = above.terms[0], below.terms[0]
    kept = {factor.column: factor.values != 0 for factor in base.factors}
    mine = {factor.column: factor.values for factor in top.factors}
    if top.publics != base.publics or any(c not in mine or np.any(mine[c][~k]) for c, k in kept.items()):
        return ANYTHING
    used = {column: values[kept[column]] if column in kept else values for column, values in mine.items()}
    if any(len(values) == 0 for values in used.values()):
        return ANYTHING
    return _scaled(list(used.values()), top.coefficient / base.coefficient)


def _scaled(parts: Sequence[Floats], coefficient: float) -> Ends:
    """The ends of a number times one value of each part."""
    low = high = coefficient
    for part in parts:
        corners = np.multiply.outer((low, high), (float(part.min()), float(part.max())))
        low, high = float(corners.min()), float(corners.max())
    return low, high
