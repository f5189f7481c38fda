"""The first wall: an expression over declared values has only nodes of a list, and patterns that are written out."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.limits import MAX_LIKE_PERCENTS
from untold.ask.sql.node_names import name_of
from untold.ask.sql.one_attribute.functions import CASTS, NAMES, NODES, PATTERNS, UNITS
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.public_expressions import SAFE_ARGUMENTS
from untold.ask.sql.refusals import Refusal
from untold.tables.near_miss import did_you_mean

CLOCKS = ("current_date", "current_timestamp", "current_time", "localtime", "localtimestamp", "now", "today")
KNOWN = "Use arithmetic, comparisons, CASE, LIKE, LOWER, SUBSTR and the like, date parts, or CAST."


def check_nodes(tree: exp.Expr) -> None:
    """Refuse every node that is not on the list."""
    for node in tree.walk():
        kind = type(node)
        if kind not in NODES or (isinstance(node, exp.Anonymous) and node.name.lower() not in NAMES):
            name = name_of(node)
            if name.lower() in CLOCKS:
                raise Refusal(
                    node,
                    f"{name} means another time whenever the question is asked.",
                    "Write the day itself, such as DATE '2026-01-31'.",
                    code="expression",
                )
            near = did_you_mean(name.lower(), sorted(each for each in NAMES if each.isidentifier()))
            raise Refusal(
                node, f"{name} is not among the functions that are computed here.", f"{near}{KNOWN}", code="expression"
            )
        extra = [a for a, v in node.args.items() if v and a not in SAFE_ARGUMENTS.get(kind, (a,))]
        if extra:
            raise Refusal(
                node, f"This form of {name_of(node)} is not supported.", "Write its plain form.", code="expression"
            )
        if isinstance(node, exp.DataType) and (node.this not in CASTS or node.args.get("nested")):
            raise Refusal(
                node,
                f"CAST to {node.sql(DIALECT)} is not supported.",
                "Use a number, text, boolean or date type.",
                code="expression",
            )
        if isinstance(node, exp.Var) and node.name.upper() not in UNITS and node.name.upper().rstrip("S") not in UNITS:
            raise Refusal(
                node,
                f"'{node.name}' is not a part of a date that is known here.",
                "Use YEAR, MONTH, DAY, HOUR ...",
                code="value",
            )
        if isinstance(node, exp.In) and not node.expressions:
            raise Refusal(node, "IN needs a list of values here.", "Write IN ('a', 'b').", code="expression")
        if isinstance(node, exp.Is) and not isinstance(node.expression, exp.Null | exp.Boolean):
            raise Refusal(
                node, "IS takes NULL, TRUE or FALSE.", f"Write = {node.expression.sql(DIALECT)}.", code="expression"
            )
        if kind in PATTERNS:
            _check_pattern(node, node.args[PATTERNS[kind]])


def _check_pattern(node: exp.Expr, pattern: exp.Expr) -> None:
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise Refusal(
            node, "A pattern or format must be written out.", "Write a text in single quotes.", code="expression"
        )
    if isinstance(node, exp.Like | exp.ILike) and pattern.name.count("%") > MAX_LIKE_PERCENTS:
        raise Refusal(
            node,
            f"This pattern has more than {MAX_LIKE_PERCENTS} times %.",
            "Join shorter patterns by AND, or list values.",
            code="expression",
        )
