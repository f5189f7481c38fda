"""Helpers for the rules of single functions: the values of an argument, their types, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from untold.schema import Sensitive
from untold.sql.names import Scope, bare
from untold.sql.one_attribute.value_tables import Spread, constant
from untold.sql.refusals import Refusal

TYPE_WORDS: dict[type, str] = {
    bool: "a condition", str: "a text", int: "number", float: "number", Fraction: "number",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class At:
    """Where an expression is evaluated: the services of FROM, and a rule for each type of node."""

    scope: Scope
    rules: Mapping[type, Callable[[Any, At], Spread]]

    def value(self, tree: exp.Expr) -> Spread:
        """The value for every code of the one sensitive attribute in the tree; a constant if there is none."""
        for kind in type(tree).__mro__:
            if kind in self.rules:
                return self.rules[kind](tree, self)
        raise stranger(tree, self)


def stranger(tree: exp.Expr, at: At) -> Refusal:
    """The refusal of a function that has no rule."""
    column = next(tree.find_all(exp.Column), None)
    name = tree.sql_name() if isinstance(tree, exp.Func) and not isinstance(tree, exp.Anonymous) else ""
    what = name or (tree.name.upper() if isinstance(tree, exp.Anonymous) else tree.key.upper())
    if column is None:
        return Refusal(tree, f"{what} is not supported here.", "Write a number, a text, TRUE or FALSE.")
    attribute = at.scope.attribute(column)
    return Refusal(
        tree,
        f"{what} of the sensitive attribute '{column.name}' is not supported: its values stay on the devices.",
        f"Compare '{column.name}' itself with =, <>, IN{_order_words(attribute)}; "
        f"it has {attribute.describe() if attribute else 'no domain'}.",
    )


def _order_words(attribute: object) -> str:
    return ", <, <=, >, >=, BETWEEN" if isinstance(attribute, Sensitive) and attribute.ordered else ""


def attribute_of(tree: exp.Expr, scope: Scope) -> Sensitive | None:
    """The sensitive attribute that an expression is, and nothing else."""
    inner = bare(tree)
    return scope.sensitive(inner) if isinstance(inner, exp.Column) else None


def column_of(attribute: Sensitive, numbers: bool = False) -> Spread:
    """An attribute itself: its values, or the numbers that stand for them."""
    value = attribute.number if numbers and not attribute.compares_numbers else attribute.value
    values = np.full(attribute.size, None, dtype=object)
    values[: attribute.known] = [value(code) for code in range(attribute.known)]
    return Spread(values, "line", 1.0, 0.0) if attribute.rounds else Spread(values, "steps")


def _column(tree: exp.Expr, at: At) -> Spread:
    assert isinstance(tree, exp.Column)
    attribute = at.scope.sensitive(tree)
    if attribute is None:
        raise Refusal(tree, f"'{tree.name}' cannot stand here.", "Use one sensitive attribute and numbers.")
    return column_of(attribute)


def _literal(tree: exp.Expr, at: At) -> Spread:
    if tree.args.get("is_string"):
        return constant(tree.name)
    text = tree.name.lower().replace("_", "")
    if "e" in text:
        return constant(float(text))
    return constant(int(text)) if text.isdigit() else constant(Fraction(text))


def numbers(tree: exp.Expr, at: At, *nodes: exp.Expr) -> list[Spread]:
    """Operands that must be numbers."""
    found = []
    for node in nodes:
        attribute = attribute_of(node, at.scope)
        if attribute is not None and not attribute.numeric:
            raise Refusal(
                tree,
                f"'{attribute.name}' is {attribute.kind}: {attribute.no_number}.",
                f"Compare it with = or IN, or GROUP BY {attribute.name}.",
            )
        spread = at.value(node) if attribute is None else column_of(attribute, numbers=True)
        if type_of(spread) not in ("number", "null"):
            raise Refusal(
                node, f"A number is needed here, not {type_of(spread)}.", "Write a number or an ordinal attribute."
            )
        found.append(spread)
    return found


def type_of(spread: Spread) -> str:
    """The type of the values, in words."""
    values = spread.values if isinstance(spread.values, np.ndarray) else [spread.values]
    kinds = {TYPE_WORDS.get(type(v), f"a {type(v).__name__}") for v in values if v is not None}
    return "null" if not kinds else kinds.pop() if len(kinds) == 1 else "a mixture of types"


def is_whole(spread: Spread) -> bool:
    """Whether all values are integers."""
    values = spread.values if isinstance(spread.values, np.ndarray) else [spread.values]
    return all(v is None or isinstance(v, int) for v in values)


def flat(values: Any) -> Spread:
    """Steps, or a constant."""
    return Spread(values, "steps") if isinstance(values, np.ndarray) else constant(values)


def stepwise(tree: exp.Expr, values: Any, *spreads: Spread) -> Spread:
    """The result of a function that is not a straight line: exact where its arguments are steps."""
    shapes = {spread.shape for spread in spreads}
    if shapes == {"constant"}:
        return constant(values)
    if shapes <= {"constant", "steps"}:
        return Spread(values, "steps")
    column = next(tree.find_all(exp.Column))
    raise Refusal(
        tree,
        f"'{column.name}' is kept on knots; this function may jump between two of them.",
        f"Use '{column.name}' in sums and products, compare it with numbers at knots, or use FLOOR.",
    )


VALUES: dict[type, Callable[[Any, At], Spread]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda tree, at: constant(bool(tree.this)),
    exp.Null: lambda tree, at: constant(None),
    exp.Paren: lambda tree, at: at.value(tree.this),
}
