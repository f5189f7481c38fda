"""Comparisons of one attribute with values that are written out, answered without a database.

    a = 3      a <> 'NY'      a < 50      a BETWEEN 10 AND 60      a IN (1, 2, 3)

Whole numbers are compared with numbers and texts of a list with texts of that list: there DuckDB and Python mean the same. Anything
else (dates, knots, texts for numbers, NULL) is left to the database.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.sql.names import Scope, bare
from untold.ask.sql.one_attribute.knots import values_of
from untold.plan.schema import Sensitive

Mask = npt.NDArray[np.bool_]
Compare = Callable[[Any, Any], Any]
MOST_DIGITS = 15  # of a number: beyond, types differ in how they round
KNOWN = (("integer", False), ("text", True))  # types of values, and whether the plan lists them
COMPARE: dict[type[exp.Expr], tuple[Compare, Compare]] = {  # as it stands, and with its sides exchanged
    exp.EQ: (operator.eq, operator.eq),
    exp.NEQ: (operator.ne, operator.ne),
    exp.LT: (operator.lt, operator.gt),
    exp.LTE: (operator.le, operator.ge),
    exp.GT: (operator.gt, operator.lt),
    exp.GTE: (operator.ge, operator.le),
}


def compare_directly(tree: exp.Expr, scope: Scope, wanted: bool = True) -> Mask | None:
    """Where a comparison is true, or false, for every code; None where a database has to say it. NULL is neither."""
    kind = type(tree)
    left = bare(tree.this) if kind in COMPARE or kind in (exp.Between, exp.In) else None
    if kind in COMPARE and not isinstance(left, exp.Column):
        left, right, compare = bare(tree.args["expression"]), left, COMPARE[kind][1]
    elif kind in COMPARE:
        right, compare = bare(tree.args["expression"]), COMPARE[kind][0]
    attribute = scope.sensitive(left) if isinstance(left, exp.Column) else None
    if attribute is None or attribute.rounds or (attribute.value_type, attribute.listed is not None) not in KNOWN:
        return None
    codes, there = _codes(attribute)
    if kind in COMPARE:
        value = _literal(right, attribute)
        if value is None or (attribute.value_type == "text" and kind not in (exp.EQ, exp.NEQ)):
            return None
        found = compare(codes, value)
    elif kind is exp.Between and attribute.value_type == "integer" and not tree.args.get("symmetric"):
        low, high = (_literal(bare(tree.args[side]), attribute) for side in ("low", "high"))
        if low is None or high is None:
            return None
        found = (codes >= low) & (codes <= high)
    elif kind is exp.In and tree.expressions and not any(tree.args.get(each) for each in ("query", "unnest", "field")):
        values = [v for each in tree.expressions if (v := _literal(bare(each), attribute)) is not None]
        if len(values) < len(tree.expressions):
            return None
        found = np.isin(codes, values)
    else:
        return None
    return np.asarray((found if wanted else ~found) & there, dtype=np.bool_)


@lru_cache(maxsize=256)
def _codes(attribute: Sensitive) -> tuple[npt.NDArray[Any], Mask]:
    """What each code is compared by: a whole number, or the place of a text in its list; and where there is a value at all."""
    values = values_of(attribute)
    there = np.array([value is not None for value in values], dtype=np.bool_)
    if attribute.value_type == "text":
        first = {value: place for place, value in reversed([*enumerate(values)])}  # a group may repeat its last value
        return np.array([first[value] for value in values]), there
    return np.array([0 if value is None else value for value in values]), there


def _literal(tree: exp.Expr, attribute: Sensitive) -> float | None:
    """The number that a literal stands for, a text's being its place; None if it is no plain literal of the attribute's type."""
    sign = 1
    while isinstance(tree, exp.Neg):
        tree, sign = bare(tree.this), -sign
    if not isinstance(tree, exp.Literal) or bool(tree.is_string) != (attribute.value_type == "text"):
        return None
    if tree.is_string:
        return attribute.place(tree.name) if sign == 1 else None
    digits = tree.name.replace(".", "", 1)
    return sign * float(tree.name) if digits.isdecimal() and len(digits) <= MOST_DIGITS else None
