"""What DuckDB would compute without a word and nobody means: a value that an attribute never has, arithmetic on names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from untold.ask.sql.names import Scope, bare
from untold.ask.sql.refusals import SPAN, Refusal
from untold.plan.schema import Sensitive
from untold.plan.schema.kinds.calendar import as_moment
from untold.plan.schema.words import show
from untold.tables.near_miss import did_you_mean

EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
ORDERS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
NUMBER = re.compile(r"\s*[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9_]+\.?[0-9_]*([eE][+-]?[0-9]+)?|\.[0-9]+)\s*")
PLAIN = ("integer", "number", "text", "boolean")  # types whose literals DuckDB reads as they are meant
DAYS = (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ)
MATCHES = (exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpFullMatch)
SUMS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Abs)


def check_sense(tree: exp.Expr, scope: Scope) -> None:
    """Refuse comparisons with values that an attribute never has, and arithmetic on attributes whose values are names."""
    for node in tree.walk():
        if isinstance(node, SUMS):
            _refuse_names(node, scope)
        if isinstance(node, (*MATCHES, *ORDERS)):
            _refuse_open(node, scope)
        if isinstance(node, exp.Cast) and node.args["to"].this in DAYS:
            _check_day(node)
        for column, value in compared(node):
            attribute = attribute_of(column, scope)
            if attribute is not None and _is_checked(attribute, node):
                _check_listed(attribute, value)
            elif attribute is not None and attribute.compares_numbers:
                _check_number(attribute, value)


def _is_checked(attribute: Sensitive, node: exp.Expr) -> bool:
    """Whether the other side of a comparison must be a value of the attribute's kind: of a list if it is to be equal, of dates and
    other types of their own always."""
    if attribute.listed is not None:
        return not isinstance(node, ORDERS)
    return attribute.value_type not in PLAIN


def _check_day(node: exp.Cast) -> None:
    """DATE '2026-02-30' is no day."""
    text = bare(node.this)
    if isinstance(text, exp.Literal) and text.is_string and as_moment(text.name) is None:
        what = "date" if node.args["to"].this == exp.DType.DATE else "time"
        example = "DATE '2026-01-31'" if what == "date" else "TIMESTAMP '2026-01-31 12:00:00'"
        raise Refusal(text, f"'{text.name}' is not a {what}.", f"Write it like {example}.", code="expression")


def attribute_of(tree: exp.Expr, scope: Scope) -> Sensitive | None:
    """The sensitive attribute that an expression is, and nothing else."""
    inner = bare(tree)
    return scope.sensitive(inner) if isinstance(inner, exp.Column) else None


def compared(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """What is compared, and what with."""
    if isinstance(node, (*EQUALITIES, *ORDERS)) and not isinstance(node, exp.Between):
        yield node.this, node.expression
        yield node.expression, node.this
    elif isinstance(node, exp.Between):
        yield from ((node.this, node.args[side]) for side in ("low", "high"))
    elif isinstance(node, exp.In):
        yield from ((node.this, item) for item in node.expressions)
    elif isinstance(node, exp.Case) and node.this is not None:
        yield from ((node.this, branch.this) for branch in node.args["ifs"])


def is_no_number(tree: exp.Expr) -> bool:
    """A text in quotes that DuckDB cannot read as a number.

    >>> [is_no_number(exp.Literal.string(text)) for text in ("thirty", "", "30", " 3e1", "0x1E")]
    [True, True, False, False, False]
    """
    return isinstance(tree, exp.Literal) and bool(tree.is_string) and NUMBER.fullmatch(tree.name) is None


def _check_listed(attribute: Sensitive, tree: exp.Expr) -> None:
    inner = bare(tree)
    known, literal = _literal(inner)
    place = attribute.place(literal) if known and literal is not None else None
    if place is not None and attribute.open_list and attribute.value(int(place)) != literal:
        form = show(attribute.value(int(place)))
        raise Refusal(inner, f"'{attribute.name}' tells {inner.sql()} as {form}.", f"Write {form}.", code="expression")
    if not known or literal is None or place is not None:
        return
    raise refuse_never(attribute, inner if inner.meta.get(SPAN) else tree, literal)


def _check_number(attribute: Sensitive, tree: exp.Expr) -> None:
    """age = 'thirty'; but '30' is 30."""
    text = bare(tree)
    if is_no_number(text):
        raise Refusal(
            text,
            f"'{attribute.name}' is never {text.sql()}: it is a number.",
            f"It is {attribute.describe()}. Write a number without quotes, such as "
            f"{attribute.name} = {show(attribute.value(attribute.known // 2))}.",
            code="expression",
        )


def refuse_never(attribute: Sensitive, tree: exp.Expr, literal: Any) -> Refusal:
    """The refusal of a value that an attribute never has."""
    names = [value for value in attribute.listed or () if isinstance(value, str)]
    if attribute.open_list:
        return Refusal(
            tree,
            f"{bare(tree).sql()} is not on the list of '{attribute.name}': whoever has it is counted as the rest.",
            f"{did_you_mean(str(literal), names)}Of {attribute.describe()}.",
            code="expression",
        )
    return Refusal(
        tree,
        f"'{attribute.name}' is never {bare(tree).sql()}.",
        f"{did_you_mean(str(literal), names)}It is {attribute.describe()}.",
        code="expression",
    )


def _literal(tree: exp.Expr) -> tuple[bool, Any]:
    """Whether an expression is a value that is written out, and which."""
    if isinstance(tree, exp.Null):
        return True, None
    if isinstance(tree, exp.Boolean):
        return True, bool(tree.this)
    if isinstance(tree, exp.Neg):
        known, value = _literal(bare(tree.this))
        return (True, -value) if known and isinstance(value, int | float) else (False, None)
    if not isinstance(tree, exp.Literal):
        return False, None
    if tree.is_string:
        return True, tree.name
    return True, int(tree.name) if tree.name.isdigit() else float(tree.name)


def _refuse_open(node: exp.Expr, scope: Scope) -> None:
    """Of a text only those that are listed are known: what else begins with 'ma' is in the rest."""
    for side in ("this", "expression", "low", "high"):
        operand = node.args.get(side)
        attribute = attribute_of(operand, scope) if isinstance(operand, exp.Expr) else None
        if attribute is not None and attribute.open_list:
            raise Refusal(
                node,
                f"'{attribute.name}' may be any text, and only those on its list are kept apart: how many others meet this is "
                "not known.",
                f"Compare it with = or IN, or GROUP BY {attribute.name}.",
                code="expression",
            )


def _refuse_names(node: exp.Expr, scope: Scope) -> None:
    for operand in (node.this, node.args.get("expression")):
        attribute = attribute_of(operand, scope) if isinstance(operand, exp.Expr) else None
        if attribute is not None and not attribute.numeric and attribute.listed is not None:
            raise Refusal(
                node,
                f"'{attribute.name}' is {attribute.kind}: {attribute.no_number}.",
                f"Compare it with = or IN, or GROUP BY {attribute.name}.",
                code="expression",
            )
