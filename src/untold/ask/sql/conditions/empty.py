"""A note on conditions that no declared value meets, such as age BETWEEN 30 AND 20: their 0 says nothing about people."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from untold.ask.sql.columns_used import touched
from untold.ask.sql.conditions.logic import NEVER, both
from untold.ask.sql.conditions.where import condition
from untold.ask.sql.names import Scope, bare


def empty_note(clause: str, trees: Sequence[exp.Expr], scope: Scope) -> tuple[str, ...]:
    """The note on resolved conditions that are never true; none for a constant, which is meant so."""
    columns = [
        column
        for tree in trees
        for column in tree.find_all(exp.Column, bfs=False)
        if scope.sensitive(column) is not None
    ]
    if not columns:
        return ()
    parts = [part for tree in trees for part in _conjuncts(tree)]
    alone = (column for column in columns if _never_of(column, parts, scope))
    column = next(alone, columns[0] if len(set(columns)) == 1 else None)
    if column is None:
        names = " and ".join(dict.fromkeys(column.name for column in columns))
        of = f"{names} together"
    else:
        attribute = scope.sensitive(column)
        assert attribute is not None
        of = f"{attribute.name} ({attribute.describe()})"
    turned = any(_is_turned(node) for part in parts for node in part.find_all(exp.Between))
    hint = " BETWEEN takes the smaller end first." if turned else ""
    return (f"{clause} keeps nobody, whatever was reported: no value of {of} meets it.{hint}",)


def _conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    inner = bare(tree)
    return [each for part in inner.flatten() for each in _conjuncts(part)] if isinstance(inner, exp.And) else [inner]


def _never_of(column: exp.Column, parts: Sequence[exp.Expr], scope: Scope) -> bool:
    """Whether the conditions on one attribute alone contradict each other."""
    own = [part for part in parts if touched(part, scope).single and column in part.find_all(exp.Column)]
    return bool(own) and both(*(condition(part, scope) for part in own)) == NEVER


def _is_turned(node: exp.Between) -> bool:
    """BETWEEN 30 AND 20."""
    low, high = bare(node.args["low"]), bare(node.args["high"])
    numbers = all(isinstance(end, exp.Literal) and not end.is_string for end in (low, high))
    return numbers and float(low.name) > float(high.name)
