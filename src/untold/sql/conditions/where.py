"""WHERE, FILTER and CASE WHEN -> two-valued conditions over masks and public expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sqlglot import exp

from untold.sql.columns_used import Touched, touched
from untold.sql.conditions.logic import ALWAYS, NEVER, Open, Predicate, both, coded, either, opposite
from untold.sql.names import Scope, as_column
from untold.sql.one_attribute.choices import branches
from untold.sql.one_attribute.evaluate import evaluate
from untold.sql.public_expressions import check_public
from untold.sql.refusals import Refusal


def condition(tree: exp.Expr, scope: Scope, wanted: bool = True) -> Predicate:
    """Where a resolved condition is true, or false, if that is `wanted`. NULL is neither.

    NOT goes down to the parts by De Morgan's rules, which hold for three values. What is left has only AND and OR above
    its parts, and an AND or OR is true exactly if its parts being true makes it so.
    """
    if isinstance(tree, exp.Paren):
        return condition(tree.this, scope, wanted)
    if isinstance(tree, exp.Not):
        return condition(tree.this, scope, not wanted)
    found = touched(tree, scope)
    if found.open and found.public:
        check_public(tree)
        return Open(tree if wanted else exp.Not(this=exp.Paren(this=tree.copy())))
    if isinstance(tree, exp.And | exp.Or):
        parts = [condition(part, scope, wanted) for part in tree.flatten()]
        return both(*parts) if isinstance(tree, exp.And) == wanted else either(*parts)
    if found.single:
        return _single(tree, scope, wanted)
    return _mixed(tree, scope, wanted, found)


def _single(tree: exp.Expr, scope: Scope, wanted: bool) -> Predicate:
    """A condition on one sensitive attribute, or a constant."""
    values: Any = evaluate(tree, scope).values
    columns = list(tree.find_all(exp.Column))
    sample = values if isinstance(values, np.ndarray) else [values]
    if not all(value is None or isinstance(value, bool) for value in sample):
        raise Refusal(
            tree,
            "This is not a condition: it is neither true nor false.",
            "Compare it with something, such as = or <." if columns else "Write TRUE, FALSE or a comparison.",
        )
    if not isinstance(values, np.ndarray):
        return ALWAYS if values is wanted else NEVER
    return coded(as_column(columns[0]), np.array([value is wanted for value in values], dtype=bool))


def _mixed(tree: exp.Expr, scope: Scope, wanted: bool, found: Touched) -> Predicate:
    """A condition that touches several columns and is not AND, OR or NOT."""
    if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Boolean):
        holds = condition(tree.this, scope, bool(tree.expression.this))
        return holds if wanted else opposite(holds)
    if isinstance(tree, exp.Case | exp.If):
        pairs, default = branches(tree)
        parts: list[Predicate] = []
        before: Predicate = ALWAYS
        for test, result in pairs:
            now = condition(test, scope)
            parts.append(both(before, now, condition(result, scope, wanted)))
            before = both(before, opposite(now))
        return either(*parts, both(before, condition(default, scope, wanted)))
    if len(found.sensitive) > 1:
        reason = f"This compares {found.words()}, which are both sensitive: no report holds their relation."
        hint = "Compare each of them with values, and join the comparisons by AND or OR."
    else:
        reason = f"This compares a sensitive attribute with a public column ({found.words()})."
        hint = "Compare the attribute with values, and put conditions on the public column beside it with AND or OR."
    raise Refusal(tree, reason, hint)
