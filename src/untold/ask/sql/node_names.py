"""Names of nodes as an analyst writes them: never the name of a class."""

from __future__ import annotations

from sqlglot import exp

OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.Neg: "-", exp.DPipe: "||",
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.Pow: "POWER",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM", exp.NullSafeNEQ: "IS DISTINCT FROM", exp.Not: "NOT", exp.And: "AND",
    exp.Or: "OR", exp.Is: "IS", exp.In: "IN", exp.Between: "BETWEEN", exp.Like: "LIKE", exp.ILike: "ILIKE",
    exp.SimilarTo: "SIMILAR TO", exp.Glob: "GLOB", exp.RegexpLike: "REGEXP_MATCHES", exp.Case: "CASE", exp.If: "IF",
    exp.Cast: "CAST", exp.TryCast: "TRY_CAST", exp.Bracket: "[...]", exp.Array: "A list", exp.Struct: "A struct",
    exp.Tuple: "A list in brackets", exp.Collate: "COLLATE", exp.Lambda: "A lambda", exp.Dot: ".", exp.Star: "*",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "XOR", exp.BitwiseNot: "~", exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>", exp.Extract: "EXTRACT", exp.TimestampTrunc: "DATE_TRUNC", exp.DateTrunc: "DATE_TRUNC",
    exp.TimeToStr: "STRFTIME", exp.StrToTime: "STRPTIME", exp.Interval: "INTERVAL", exp.StrPosition: "POSITION",
    exp.Substring: "SUBSTR", exp.TimeToUnix: "EPOCH", exp.DateDiff: "DATE_DIFF", exp.Rand: "RANDOM", exp.Any: "ANY",
    exp.All: "ALL", exp.PropertyEQ: ":=", exp.Placeholder: "A parameter", exp.Kwarg: "An argument with a name",
    exp.Distinct: "DISTINCT", exp.Literal: "A literal", exp.Null: "NULL", exp.Boolean: "TRUE or FALSE",
    exp.Window: "OVER", exp.Paren: "A bracket", exp.Alias: "AS", exp.AtTimeZone: "AT TIME ZONE",
    exp.CurrentDate: "CURRENT_DATE", exp.CurrentTimestamp: "NOW", exp.Exists: "EXISTS",
}  # fmt: skip


def name_of(node: exp.Expr) -> str:
    """The word or sign that stands for a node in SQL.

    >>> name_of(exp.BitwiseAnd()), name_of(exp.Levenshtein()), name_of(exp.Anonymous(this="foo"))
    ('&', 'LEVENSHTEIN', 'FOO')
    """
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return node.name.upper()
    known = next((OPERATORS[kind] for kind in type(node).__mro__ if kind in OPERATORS), None)
    if known is not None:
        return known
    if not isinstance(node, exp.Func):
        return "This"
    return str(node.meta.get("name") or node.sql_name()).upper()  # as it was written, if the parser has kept it
