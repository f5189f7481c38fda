"""An expression over one sensitive attribute -> its value for every code. What cannot be right is refused."""

from __future__ import annotations

from sqlglot import exp

from tacit.ask.code_choices import CHOICES
from tacit.ask.code_conditions import CONDITIONS
from tacit.ask.code_numbers import NUMBERS
from tacit.ask.code_values import VALUES, At
from tacit.ask.names import Scope
from tacit.ask.spreads import Spread

RULES = VALUES | NUMBERS | CONDITIONS | CHOICES


def evaluate(tree: exp.Expr, scope: Scope) -> Spread:
    """The value for every code of the one sensitive attribute in a resolved tree; a constant if there is none."""
    return At(scope, RULES).value(tree)
