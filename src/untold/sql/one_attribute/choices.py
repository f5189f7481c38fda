"""CASE, COALESCE, NULLIF and CAST of one sensitive attribute, code by code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sqlglot import exp

from untold.sql.one_attribute.conditions import comparison, truth_of
from untold.sql.one_attribute.value_tables import Spread, constant, mapped, rounded, strict
from untold.sql.one_attribute.values import At, attribute_of, flat, is_whole, stepwise, stranger, type_of
from untold.sql.refusals import SPAN

WHOLE = (exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT, exp.DType.INT128)


def branches(tree: exp.Expr) -> tuple[list[tuple[exp.Expr, exp.Expr]], exp.Expr]:
    """CASE or IF as (condition, result) pairs and the result otherwise; CASE x WHEN v is CASE WHEN x = v."""
    if isinstance(tree, exp.If):
        return [(tree.this, tree.args["true"])], tree.args.get("false") or exp.null()
    pairs = []
    for branch in tree.args["ifs"]:
        condition = branch.this
        if tree.this is not None:
            condition = exp.EQ(this=tree.this.copy(), expression=branch.this.copy())
            condition.meta[SPAN] = branch.meta.get(SPAN)
        pairs.append((condition, branch.args["true"]))
    return pairs, tree.args.get("default") or exp.null()


def _case(tree: exp.Expr, at: At) -> Spread:
    pairs, default = branches(tree)
    result = at.value(default)
    values, shapes = result.values, {result.shape}
    for condition, node in reversed(pairs):
        truth, chosen = truth_of(condition, at), at.value(node)
        values = mapped(lambda t, x, y: x if t else y, truth, chosen.values, values)
        shapes.add(chosen.shape)
    if not isinstance(values, np.ndarray):
        return constant(values)
    return Spread(values, "steps" if shapes <= {"constant", "steps"} else "curve")


def _coalesce(tree: exp.Expr, at: At) -> Spread:
    spreads: list[Spread] = []
    for node in (tree.this, *tree.expressions):
        spread = at.value(node)
        if spread.values is not None:
            spreads.append(spread)
        if spread.values is not None and not any(value is None for value in np.atleast_1d(spread.values)):
            break  # never NULL: what comes after it does not matter
    if len(spreads) == 1:
        return spreads[0]
    if not spreads:
        return constant(None)
    values = mapped(lambda *vs: next((v for v in vs if v is not None), None), *(s.values for s in spreads))
    return stepwise(tree, values, *spreads)


def _nullif(tree: exp.Expr, at: At) -> Spread:
    equal = comparison(tree, "=", tree.this, tree.expression, at)
    a = at.value(tree.this)
    return Spread(
        mapped(lambda e, x: None if e else x, equal.values, a.values), "steps" if a.shape != "line" else "curve"
    )


def _cast(tree: exp.Expr, at: At) -> Spread:
    a = at.value(tree.this)
    to, kind = tree.args["to"].this, type_of(a)
    attribute = attribute_of(tree.this, at.scope)
    if attribute is not None and not attribute.compares_numbers and kind != "a condition":
        raise stranger(tree, at)
    if kind == "null":
        return a
    if to == exp.DType.DOUBLE and kind == "number":
        values = mapped(strict(float), a.values)
        return Spread(values, a.shape, a.slope, a.offset)
    if to in WHOLE and kind == "a condition":
        return flat(mapped(strict(int), a.values))
    if to in WHOLE and kind == "number":
        if is_whole(a):
            return a
        return stepwise(tree, mapped(strict(lambda x: round(x) if isinstance(x, float) else rounded(x)), a.values), a)
    if to == exp.DType.BOOLEAN and kind == "a condition":
        return a
    raise stranger(tree, at)


CHOICES: dict[type, Callable[[Any, At], Spread]] = {
    exp.Case: _case,
    exp.If: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Cast: _cast,
}
