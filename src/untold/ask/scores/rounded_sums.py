"""Sums over an attribute for designs that report a random rounding of it.

A factor that is an indicator times a straight line in the attribute, 1[a in S] (u + v A), has the same mean as 1[a in
S] (u + v X_A), X_A the attribute rounded to its lowest or highest value. So it is a factor of two values on the
rounding and an indicator on the attribute: what the papers' mechanisms estimate. Any other function, A^2 for one, stays
what it is: a number for each value [VLDB'20, 3.2, baseline I].
"""

from __future__ import annotations

import numpy as np

from untold.ask.question.model import Column, Factor, Floats, Term
from untold.plan.designs import Design
from untold.plan.schema import Service


def rounding(column: Column) -> Column:
    """The rounding of an attribute, as a column; no attribute can have such a name."""
    return Column(column.service, f"round({column.attribute})")


def with_roundings(term: Term, service: Service, design: Design) -> Term:
    """The term with sums of attributes moved to their roundings: all of them, or one where a report tells only one."""
    known = {service.sensitive[d.attribute].name for d in design.roundings}
    factors: list[Factor] = []
    moved = 0
    for factor in term.factors:
        here = factor.column.service == service.name and factor.column.attribute in known
        line = straight(factor.values) if here and not (design.groups and moved) else None
        if line is None:
            factors.append(factor)
            continue
        moved += 1
        where, ends = line
        factors.append(Factor(rounding(factor.column), ends))
        if not where.all():
            factors.append(Factor(factor.column, where.astype(np.float64)))
    return Term(term.coefficient, tuple(factors), term.publics) if moved else term


def straight(values: Floats) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Floats] | None:
    """(S, values at both ends of the domain) if the values are a straight line on S and 0 elsewhere; None if they are not,
    or constant on S."""
    inside = np.flatnonzero(values)
    if len(inside) < 2 or (values[inside] == values[inside[0]]).all():
        return None
    codes = np.arange(len(values), dtype=np.float64)
    first, last = inside[0], inside[-1]
    slope = (values[last] - values[first]) / (last - first)
    line = values[first] + slope * (codes - first)
    close = 1e-12 * np.abs(values).max()
    if (np.abs(line[inside] - values[inside]) > close).any():
        return None
    where = values != 0
    zero = np.abs(line) <= close  # the line's own zero belongs to S if a neighbour does
    where |= zero & (np.append(where[1:], False) | np.append(False, where[:-1]))
    return where, line[[0, -1]]
