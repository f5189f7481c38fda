"""WHERE, FILTER and CASE WHEN -> two-valued conditions over masks and public expressions."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.columns_used import Touched, columns_of, touched
from untold.ask.sql.conditions.logic import ALWAYS, Open, Predicate, both, either, opposite, where_true
from untold.ask.sql.names import Scope
from untold.ask.sql.one_attribute.branches import branches
from untold.ask.sql.one_attribute.comparisons import compare_directly
from untold.ask.sql.one_attribute.evaluate import holds
from untold.ask.sql.public_expressions import check_public
from untold.ask.sql.refusals import Refusal


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
    if found.single:
        return _finite(tree, scope, wanted)
    if isinstance(tree, exp.And | exp.Or):
        parts = [condition(part, scope, wanted) for part in tree.flatten()]
        return both(*parts) if isinstance(tree, exp.And) == wanted else either(*parts)
    return _mixed(tree, scope, wanted, found)


def _finite(tree: exp.Expr, scope: Scope, wanted: bool) -> Predicate:
    """A condition on sensitive attributes alone, or a constant."""
    found = compare_directly(tree, scope, wanted)
    return where_true(columns_of(tree), holds(tree, scope, wanted) if found is None else found)


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
    if not found.public:
        return _finite(tree, scope, wanted)
    raise Refusal(
        tree,
        f"This compares a sensitive attribute with a public column ({found.words()}).",
        "Compare the attribute with values, and put conditions on the public column beside it with AND or OR.",
        code="expression",
    )
