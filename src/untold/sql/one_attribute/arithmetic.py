"""Arithmetic on one sensitive attribute, code by code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sqlglot import exp

from untold.sql.one_attribute.boundaries import jumps_at_knots
from untold.sql.one_attribute.value_tables import (
    Spread,
    ceiled,
    constant,
    floored,
    mapped,
    power,
    remainder,
    rounded,
    strict,
    truncated_quotient,
)
from untold.sql.one_attribute.values import At, is_whole, numbers, stepwise, stranger
from untold.sql.refusals import Refusal


def _sum(sign: int) -> Callable[[exp.Expr, At], Spread]:
    def rule(tree: exp.Expr, at: At) -> Spread:
        a, b = numbers(tree, at, tree.this, tree.expression)
        values = mapped(strict(lambda x, y: x + sign * y), a.values, b.values)
        return _combined(values, a, b, a.slope + sign * b.slope, a.offset + sign * b.offset)

    return rule


def _combined(values: Any, a: Spread, b: Spread, slope: float, offset: float) -> Spread:
    """The shape of a sum of two shapes."""
    shapes = {a.shape, b.shape}
    if shapes == {"constant"}:
        return constant(values)
    if shapes <= {"constant", "line"}:
        return Spread(values, "line" if values is not None and slope else "steps", slope, offset)
    return Spread(values, "steps" if shapes <= {"constant", "steps"} else "curve")


def _product(tree: exp.Expr, at: At) -> Spread:
    a, b = numbers(tree, at, tree.this, tree.expression)
    values = mapped(strict(lambda x, y: x * y), a.values, b.values)
    if "constant" in (a.shape, b.shape):
        factor, other = (a, b) if a.shape == "constant" else (b, a)
        return _combined(values, factor, other, factor.offset * other.slope, factor.offset * other.offset)
    steps = a.shape == b.shape == "steps"
    return Spread(values, "steps" if steps else "curve")


def _negative(tree: exp.Expr, at: At) -> Spread:
    (a,) = numbers(tree, at, tree.this)
    return Spread(mapped(strict(lambda x: -x), a.values), a.shape, -a.slope, -a.offset)


def _quotient(tree: exp.Expr, at: At) -> Spread:
    a, b = numbers(tree, at, tree.this, tree.expression)
    _refuse_zero(tree, b)
    values = mapped(strict(lambda x, y: float(x) / float(y)), a.values, b.values)
    if b.shape == "constant" and b.values is not None:
        return _combined(values, a, b, a.slope / b.offset, a.offset / b.offset)
    return _combined(values, a, b, 0.0, 0.0) if b.values is None else stepwise(tree, values, a, b)


def _refuse_zero(tree: exp.Expr, divisor: Spread) -> None:
    values = divisor.values if isinstance(divisor.values, np.ndarray) else [divisor.values]
    if any(v == 0 for v in values):
        raise Refusal(
            tree, "This divides by zero.", "Divide by something that is never zero, or add a condition to WHERE."
        )


def _of_integers(function: Callable[[Any, Any], Any]) -> Callable[[exp.Expr, At], Spread]:
    def rule(tree: exp.Expr, at: At) -> Spread:
        a, b = numbers(tree, at, tree.this, tree.expression)
        _refuse_zero(tree, b)
        if isinstance(tree, exp.IntDiv) and not all(is_whole(spread) for spread in (a, b)):
            raise Refusal(
                tree, "// divides integers only.", f"Write FLOOR({tree.this.sql()} / {tree.expression.sql()})."
            )
        return stepwise(tree, mapped(strict(function), a.values, b.values), a, b)

    return rule


def _steps_of(function: Callable[[Any], Any]) -> Callable[[exp.Expr, At], Spread]:
    """FLOOR and CEIL: of a line, if it reaches integers at knots only."""

    def rule(tree: exp.Expr, at: At) -> Spread:
        (a,) = numbers(tree, at, tree.this)
        if tree.args.get("decimals") is not None or tree.args.get("to") is not None:
            raise stranger(tree, at)
        if a.shape == "line":
            return Spread(jumps_at_knots(tree, a, function, at.scope), "steps")
        return stepwise(tree, mapped(strict(function), a.values), a)

    return rule


def _round(tree: exp.Expr, at: At) -> Spread:
    digits = at.value(tree.args["decimals"]) if tree.args.get("decimals") is not None else constant(0)
    (a,) = numbers(tree, at, tree.this)
    whole = is_whole(a)
    if not isinstance(digits.values, int) or digits.values > 0 or (digits.values < 0 and not whole):
        raise Refusal(tree, "ROUND to this number of digits is not supported.", "Use ROUND(x), or FLOOR(x / w) * w.")
    return stepwise(
        tree, a.values if whole and not digits.values else mapped(strict(rounded), a.values, digits.values), a
    )


def _function(function: Callable[..., Any]) -> Callable[[exp.Expr, At], Spread]:
    def rule(tree: exp.Expr, at: At) -> Spread:
        nodes = [
            node for node in (tree.this, tree.args.get("expression"), *tree.expressions) if isinstance(node, exp.Expr)
        ]
        spreads = numbers(tree, at, *nodes)
        values = mapped(function, *(s.values for s in spreads))
        if any(isinstance(v, float) and not math.isfinite(v) for v in np.atleast_1d(values)):
            raise Refusal(tree, "This has no finite value for some values of the attribute.", "Use smaller powers.")
        return stepwise(tree, values, *spreads)

    return rule


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    """GREATEST and LEAST leave NULLs out."""
    return lambda *values: choose((v for v in values if v is not None), default=None)


NUMBERS: dict[type, Callable[[Any, At], Spread]] = {
    exp.Add: _sum(1),
    exp.Sub: _sum(-1),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.IntDiv: _of_integers(truncated_quotient),
    exp.Mod: _of_integers(remainder),
    exp.Neg: _negative,
    exp.Floor: _steps_of(floored),
    exp.Ceil: _steps_of(ceiled),
    exp.Round: _round,
    exp.Abs: _function(strict(abs)),
    exp.Pow: _function(strict(power)),
    exp.Greatest: _function(_extreme(max)),
    exp.Least: _function(_extreme(min)),
}
