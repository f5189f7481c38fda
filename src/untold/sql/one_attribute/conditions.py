"""Conditions on one sensitive attribute, code by code: true, false or NULL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sqlglot import exp

from untold.near_miss import did_you_mean
from untold.schema import Sensitive
from untold.sql.names import bare
from untold.sql.one_attribute.boundaries import side_of
from untold.sql.one_attribute.value_tables import Spread, compared, constant, mapped, strict
from untold.sql.one_attribute.values import At, attribute_of, flat, stepwise, stranger, type_of
from untold.sql.refusals import Refusal

COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip


def comparison(tree: exp.Expr, operator: str, left: exp.Expr, right: exp.Expr, at: At) -> Spread:
    """left operator right, code by code."""
    a, b = at.value(left), at.value(right)
    for one, own, other, literal, towards in ((left, a, right, b, 1), (right, b, left, a, -1)):
        attribute = attribute_of(one, at.scope)
        if attribute is not None and not attribute.compares_numbers:
            _check_order(tree, attribute, operator)
            if literal.shape == "constant" and literal.values is not None:
                places = towards * (np.arange(attribute.size) - _place(attribute, other, literal.values))
                return flat(
                    mapped(lambda v, side: compared(operator)(side, 0) if v is not None else None, own.values, places)
                )
    kinds = {type_of(a), type_of(b)} - {"null"}
    if len(kinds) > 1:
        number = next((s for s in (left, right) if isinstance(bare(s), exp.Literal)), tree)
        raise Refusal(
            tree,
            f"This compares {type_of(a).replace('number', 'a number')} with {type_of(b).replace('number', 'a number')}.",
            "Write numbers without quotes." if number is not tree else "Compare values of one type.",
        )
    if a.values is None or b.values is None:
        return constant(None)
    if "curve" in (a.shape, b.shape) or {a.shape, b.shape} == {"line", "steps"}:
        return stepwise(tree, None, a, b)
    if "line" in (a.shape, b.shape):
        sides = side_of(tree, a.slope - b.slope, a.offset - b.offset, at.scope)
        return Spread(
            mapped(strict(lambda v, w, side: compared(operator)(side, 0)), a.values, b.values, sides), "steps"
        )
    return stepwise(tree, mapped(strict(compared(operator)), a.values, b.values), a, b)


def _check_order(tree: exp.Expr, attribute: Sensitive, operator: str) -> None:
    """Without an order, values can only be equal."""
    if operator not in ("=", "<>") and not attribute.ordered:
        raise Refusal(
            tree,
            f"'{attribute.name}' is {attribute.kind}: its values have no order.",
            f"Use =, <>, IN or NOT IN; it is {attribute.describe()}.",
        )


def _place(attribute: Sensitive, tree: exp.Expr, literal: Any) -> float:
    """Where a literal lies among the codes."""
    place = attribute.place(literal)
    if place is None:
        names = [value for value in attribute.listed or () if isinstance(value, str)]
        raise Refusal(
            tree,
            f"'{attribute.name}' is never {tree.sql()}.",
            f"{did_you_mean(str(literal), names)}It is {attribute.describe()}.",
        )
    return place


def _compare(tree: exp.Expr, at: At) -> Spread:
    return comparison(tree, COMPARISONS[type(tree)], tree.this, tree.expression, at)


def _null_safe(tree: exp.Expr, at: At) -> Spread:
    same = isinstance(tree, exp.NullSafeEQ)
    comparison(tree, "=", tree.this, tree.expression, at)  # for its checks
    a, b = at.value(tree.this), at.value(tree.expression)
    equal = comparison(tree, "=", tree.this, tree.expression, at).values
    values = mapped(lambda e, x, y: (bool(e) or (x is None and y is None)) == same, equal, a.values, b.values)
    return Spread(values, "steps")


def kleene_and(*values: bool | None) -> bool | None:
    """AND of three values."""
    return False if False in values else None if None in values else True


def kleene_not(value: bool | None) -> bool | None:
    """NOT of three values."""
    return None if value is None else not value


def kleene_or(*values: bool | None) -> bool | None:
    """OR of three values."""
    return kleene_not(kleene_and(*(kleene_not(v) for v in values)))


def truth_of(tree: exp.Expr, at: At) -> Any:
    """Values of an operand that must be a condition."""
    spread = at.value(tree)
    if type_of(spread) not in ("a condition", "null"):
        raise Refusal(
            tree,
            f"A condition is needed here, not {type_of(spread).replace('number', 'a number')}.",
            "Compare it with something.",
        )
    return spread.values


def _logical(function: Callable[..., Any]) -> Callable[[exp.Expr, At], Spread]:
    def rule(tree: exp.Expr, at: At) -> Spread:
        nodes = [node for node in (tree.this, tree.args.get("expression")) if isinstance(node, exp.Expr)]
        return flat(mapped(function, *(truth_of(node, at) for node in nodes)))

    return rule


def _between(tree: exp.Expr, at: At) -> Spread:
    if tree.args.get("symmetric"):
        raise Refusal(tree, "BETWEEN SYMMETRIC is not supported.", "Write BETWEEN low AND high.")
    low = comparison(tree, ">=", tree.this, tree.args["low"], at)
    high = comparison(tree, "<=", tree.this, tree.args["high"], at)
    return flat(mapped(kleene_and, low.values, high.values))


def _in(tree: exp.Expr, at: At) -> Spread:
    if not tree.expressions or tree.args.get("unnest") or tree.args.get("field"):
        raise Refusal(tree, "IN needs a list of values here.", "Write IN ('a', 'b').")
    found: Any = False
    for item in tree.expressions:
        found = mapped(kleene_or, found, comparison(tree, "=", tree.this, item, at).values)
    return flat(found)


def _is(tree: exp.Expr, at: At) -> Spread:
    wanted = tree.expression
    if isinstance(wanted, exp.Null):
        return flat(mapped(lambda v: v is None, at.value(tree.this).values))
    if isinstance(wanted, exp.Boolean):
        return flat(mapped(lambda v: v is wanted.this, truth_of(tree.this, at)))
    raise stranger(tree, at)


CONDITIONS: dict[type, Callable[[Any, At], Spread]] = {
    **dict.fromkeys(COMPARISONS, _compare),
    exp.NullSafeEQ: _null_safe,
    exp.NullSafeNEQ: _null_safe,
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.And: _logical(kleene_and),
    exp.Or: _logical(kleene_or),
    exp.Not: _logical(kleene_not),
}
