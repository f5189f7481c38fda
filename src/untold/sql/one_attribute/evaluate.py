"""An expression over one sensitive attribute -> its value for every code. What cannot be right is refused."""

from __future__ import annotations

from sqlglot import exp

from untold.sql.names import Scope
from untold.sql.one_attribute.arithmetic import NUMBERS
from untold.sql.one_attribute.choices import CHOICES
from untold.sql.one_attribute.conditions import CONDITIONS
from untold.sql.one_attribute.value_tables import Spread
from untold.sql.one_attribute.values import VALUES, At

RULES = VALUES | NUMBERS | CONDITIONS | CHOICES


def evaluate(tree: exp.Expr, scope: Scope) -> Spread:
    """The value for every code of the one sensitive attribute in a resolved tree; a constant if there is none."""
    return At(scope, RULES).value(tree)
