"""Expressions over group keys alone, and constants -> functions that are computed for the rows of a result."""

from __future__ import annotations

from itertools import product
from math import prod

from sqlglot import exp

from untold.ask.question.model import KeyFunction, SensitiveKey
from untold.ask.sql.names import bare
from untold.ask.sql.one_attribute.first_wall import check_nodes
from untold.ask.sql.one_attribute.of_keys import values_of_rows
from untold.ask.sql.one_attribute.sense import COMPARISONS
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import SPAN
from untold.ask.sql.totals.asked import Asked, KeyRef

MOST_TRIED = 1 << 12  # combinations of labels that are computed before anything is read
CLOSED = (exp.AggFunc, exp.Window, exp.Query, exp.Exists, exp.Star, exp.Placeholder, exp.Parameter)
PLAIN = (exp.Literal, exp.Null, exp.Boolean)


def key_function(node: exp.Expr, asked: Asked) -> KeyFunction | None:
    """A function of group keys or of nothing; None if an expression has other parts. What cannot be computed is refused."""
    if node.find(*CLOSED) is not None:
        return None
    keys: list[int] = []
    tree = _written(node, asked, keys)
    if tree is None:
        return None
    tree.meta.setdefault(SPAN, node.meta.get(SPAN))
    check_nodes(tree)
    found = KeyFunction(f"({tree.sql(DIALECT, comments=False, identify=True)})", tuple(keys), tree)
    _try(found, asked)
    return found


def key_condition(node: exp.Expr, asked: Asked, wanted: bool) -> KeyFunction | None:
    """A condition on group keys that compares more than a key with a value; None if it is another one."""
    if node.find(exp.Column) is None:
        return None
    if _is_comparison(node) and all(_is_plain(part, asked) for part in node.iter_expressions()):
        return None
    tree: exp.Expr = exp.Paren(this=node.copy())
    if not isinstance(node, exp.Predicate):  # as DuckDB takes it where a condition must stand
        tree = exp.Cast(this=tree, to=exp.DataType.build("BOOLEAN"))
    tree = tree if wanted else exp.Not(this=tree)
    for part in (tree, tree.this):
        part.meta.setdefault(SPAN, node.meta.get(SPAN))
    return key_function(tree, asked)


def _is_comparison(node: exp.Expr) -> bool:
    is_null = isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)
    plain_between = isinstance(node, exp.Between) and not node.args.get("symmetric")
    return (
        type(node) in COMPARISONS or plain_between or is_null or (isinstance(node, exp.In) and bool(node.expressions))
    )


def _is_plain(node: exp.Expr, asked: Asked) -> bool:
    inner = bare(node)
    inner = inner.this if isinstance(inner, exp.Neg) else inner
    if isinstance(inner, exp.Cast) and isinstance(inner.this, exp.Literal):
        return True
    if isinstance(inner, exp.Column) and not inner.table and isinstance(asked.aliases.get(inner.name.lower()), KeyRef):
        return True
    return isinstance(inner, PLAIN) or asked.key_of(inner) is not None


def _written(node: exp.Expr, asked: Asked, keys: list[int]) -> exp.Expr | None:
    """The expression over t0.v0, t0.v1, ... in place of keys; None if it has another column."""
    has_columns = node.find(exp.Column) is not None
    if has_columns and (key := asked.key_of(node)) is not None:
        return _key(key, keys, node)
    if isinstance(node, exp.Column):
        known = None if node.table or asked.scope.knows(node) else asked.aliases.get(node.name.lower())
        if isinstance(known, KeyRef):
            return _key(known.index, keys, node)
        if isinstance(known, KeyFunction):
            return _nested(known, keys, node)
        return None
    copy = node.copy()
    if not has_columns:
        return copy
    for name, value in node.args.items():
        if isinstance(value, exp.Expr):
            inner = _written(value, asked, keys)
            if inner is None:
                return None
            copy.set(name, inner)
        elif isinstance(value, list):
            parts = [_written(part, asked, keys) if isinstance(part, exp.Expr) else part for part in value]
            if any(part is None for part in parts):
                return None
            copy.set(name, parts)
    return copy


def _key(key: int, keys: list[int], node: exp.Expr) -> exp.Expr:
    if key not in keys:
        keys.append(key)
    column = exp.column(f"v{keys.index(key)}", table="t0")
    column.meta[SPAN] = node.meta.get(SPAN)
    return column


def _nested(function: KeyFunction, keys: list[int], node: exp.Expr) -> exp.Expr:
    """What an alias of an earlier column stands for."""

    def renumbered(part: exp.Expr) -> exp.Expr:
        return _key(function.keys[int(part.name[1:])], keys, node) if isinstance(part, exp.Column) else part

    return exp.Paren(this=function.tree.copy().transform(renumbered))


def _try(function: KeyFunction, asked: Asked) -> None:
    """Compute it for all labels, where these are declared: what fails is refused before reports are read."""
    keys = [asked.keys[key][1] for key in function.keys]
    labels = [key.labels for key in keys if isinstance(key, SensitiveKey)]
    if len(labels) < len(keys):
        return
    if prod(map(len, labels)) > MOST_TRIED:
        labels = [each[:1] for each in labels]
    rows = list(product(*labels))
    values_of_rows(function, list(zip(*rows, strict=True)), len(rows))
