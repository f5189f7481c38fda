"""An expression over one sensitive attribute -> its value for every code. What cannot be right is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sqlglot import exp

from untold.sql.names import Scope
from untold.sql.one_attribute.arithmetic import NUMBERS
from untold.sql.one_attribute.choices import CHOICES
from untold.sql.one_attribute.conditions import CONDITIONS
from untold.sql.one_attribute.value_tables import Spread
from untold.sql.one_attribute.values import VALUES, At

RULES = VALUES | NUMBERS | CONDITIONS | CHOICES


def evaluate(tree: exp.Expr, scope: Scope) -> Spread:
    """The value for every code of the one sensitive attribute in a resolved tree; a constant if there is none.

    Where the attribute may be missing, the expression is taken twice: where it has a value, and with NULL in its place.
    """
    column = next(tree.find_all(exp.Column), None)
    attribute = None if column is None else scope.sensitive(column)
    if attribute is None or not attribute.may_be_missing:
        return At(scope, RULES).value(tree)
    there = At(replace(scope, known=True), RULES).value(tree)
    absent = At(scope, RULES).value(tree.transform(lambda node: exp.null() if isinstance(node, exp.Column) else node))
    values = np.empty(attribute.size, dtype=object)
    values[: attribute.known], values[attribute.known] = there.values, absent.values
    return replace(there, values=values, shape="steps" if there.shape == "constant" else there.shape)
