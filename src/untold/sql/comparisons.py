"""Comparisons in a resolved expression: what is compared, and what with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
ORDERS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
NUMBER = re.compile(r"\s*[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9_]+\.?[0-9_]*([eE][+-]?[0-9]+)?|\.[0-9]+)\s*")


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
