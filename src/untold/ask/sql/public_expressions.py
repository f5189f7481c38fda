"""Expressions over public columns: an allow-list of node types, and SQL of untold's own making.

What an analyst wrote never reaches an engine: a tree of allowed nodes with resolved columns is written out by sqlglot.
"""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from untold.ask.question.epochs import EPOCH
from untold.ask.question.model import PublicNumber
from untold.ask.sql.names import bare
from untold.ask.sql.node_names import name_of
from untold.ask.sql.one_attribute.sense import compared, is_no_number
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import Refusal

ALLOWED: frozenset[type[exp.Expr]] = frozenset(
    (
        exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren,
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg,
        exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ,
        exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Escape,
        exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least,
        exp.Abs, exp.Floor, exp.Ceil, exp.Round, exp.Sqrt, exp.Ln, exp.Exp, exp.Pow, exp.Sign,
        exp.Lower, exp.Upper, exp.Length, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.DPipe, exp.Concat,
        exp.StartsWith, exp.EndsWith, exp.Contains, exp.Replace,
        exp.Extract, exp.Var, exp.Year, exp.Month, exp.Quarter, exp.Week, exp.Day, exp.DayOfWeek, exp.DayOfMonth,
        exp.DayOfYear, exp.Hour, exp.Minute, exp.Second, exp.TimestampTrunc, exp.DateTrunc, exp.Interval,
        exp.Cast, exp.TryCast, exp.DataType, exp.DataTypeParam,
    )
)  # fmt: skip
TYPES = frozenset(
    (
        exp.DType.BOOLEAN, exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT, exp.DType.INT128,
        exp.DType.FLOAT, exp.DType.DOUBLE, exp.DType.DECIMAL, exp.DType.TEXT, exp.DType.VARCHAR,
        exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.TIME,
    )
)  # fmt: skip
WORDS = frozenset(
    (
        "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "WEEK", "DOW", "ISODOW", "DOY", "DECADE",
        "CENTURY", "EPOCH", "ISOYEAR", "DAYOFWEEK", "DAYOFYEAR",
    )
)  # fmt: skip
SAFE_ARGUMENTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Like: ("this", "expression", "negate"),
    exp.In: ("this", "expressions"),
    exp.Trim: ("this", "expression", "position"),
    exp.Concat: ("expressions", "safe", "coalesce"),
    exp.Between: ("this", "low", "high"),
    exp.Round: ("this", "decimals"),
    exp.Floor: ("this",),
    exp.Ceil: ("this",),
    exp.TimestampTrunc: ("this", "unit"),
    exp.DateTrunc: ("this", "unit"),
    exp.Substring: ("this", "start", "length"),
}


def check_public(tree: exp.Expr) -> None:
    """Refuse every node that is not on the list."""
    for node in tree.walk():
        kind = type(node)
        if kind not in ALLOWED:
            raise Refusal(
                node,
                f"{name_of(node)} is not among the functions and operators that are passed on to the engine.",
                "Use arithmetic, comparisons, CASE, COALESCE, LOWER, SUBSTR, LIKE and the like, date parts or CAST.",
                code="value",
            )
        extra = [a for a, v in node.args.items() if v and a not in SAFE_ARGUMENTS.get(kind, (a,))]
        if extra:
            raise Refusal(
                node, f"This form of {name_of(node)} is not supported.", "Write its plain form.", code="expression"
            )
        if isinstance(node, exp.DataType) and (node.this not in TYPES or node.args.get("nested")):
            raise Refusal(
                node,
                f"CAST to {node.sql(DIALECT)} is not supported.",
                "Use a number, text, boolean or date type.",
                code="expression",
            )
        if isinstance(node, exp.Var) and node.name.upper() not in WORDS:
            raise Refusal(
                node,
                f"'{node.name}' is not a part of a date that is known here.",
                "Use YEAR, MONTH, DAY, HOUR ...",
                code="value",
            )
        _check_epoch(node)


def _check_epoch(node: exp.Expr) -> None:
    """epoch = 'last'."""
    for side, other in compared(node):
        column, text = bare(side), bare(other)
        if isinstance(column, exp.Column) and column.name == EPOCH and is_no_number(text):
            raise Refusal(
                text,
                f"'{EPOCH}' is never {text.sql()}: epochs are numbered from 0.",
                f"Write {EPOCH} = 0. Which ones there are: SELECT {EPOCH}, COUNT(*) ... GROUP BY {EPOCH}.",
                code="expression",
            )


def public(tree: exp.Expr) -> PublicNumber:
    """A checked expression as it is."""
    check_public(tree)
    copy = tree.copy()
    for node in copy.walk():
        node.pop_comments()
        node.meta.clear()
    return PublicNumber(copy.sql(DIALECT, comments=False, identify=True), cast(exp.Expression, copy))


def indicator(tree: exp.Expr) -> PublicNumber:
    """1 where a condition is true, else 0."""
    return public(exp.Case(ifs=[exp.If(this=tree.copy(), true=exp.Literal.number(1))], default=exp.Literal.number(0)))


def number(tree: exp.Expr) -> PublicNumber:
    """An expression as a double, 0 where it is NULL."""
    double = exp.Cast(this=exp.Paren(this=tree.copy()), to=exp.DataType.build("DOUBLE"))
    return public(exp.Coalesce(this=double, expressions=[exp.Literal.number(0)]))


def is_known(tree: exp.Expr) -> exp.Expr:
    """The condition that an expression is not NULL."""
    return exp.Not(this=exp.Is(this=exp.Paren(this=tree.copy()), expression=exp.null()))
