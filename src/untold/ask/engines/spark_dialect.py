"""Public expressions in Spark's SQL, with the meaning that they have in DuckDB.

A checked tree is written out by sqlglot's Spark generator. Where the two engines read the same words differently, the
table below writes what gives DuckDB's result; where no such form is known, the query is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.generators.spark import SparkGenerator

from untold.collect.spark.failures import NOT_WHOLE
from untold.errors import UnsupportedQuery

Writer = Any  # a sqlglot generator
WHOLE = (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT)
INTEGERS = "'tinyint', 'smallint', 'int', 'bigint', 'void'"  # as Spark names them; void is NULL
OFTEN_ESCAPES = "#~^|"


def spark_sql(tree: exp.Expr, name_of: Callable[[str, str], str]) -> str:
    """A public expression for Spark; `name_of(service, column)` is what the column is called in the DataFrame."""

    def renamed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return exp.column(exp.to_identifier(name_of(node.table, node.name), quoted=True))
        return node

    return _Dialect(dialect="spark").generate(tree.transform(renamed), copy=False)


def _refuse(node: exp.Expr, why: str) -> UnsupportedQuery:
    return UnsupportedQuery(
        f"{node.sql('duckdb')}: {why}, and Spark has no form of it with the same result.\n"
        'Hint: ask with engine="duckdb", or write it in another way.'
    )


def _is_float(x: str) -> str:
    """Folded away by Spark before anything runs: only one branch of a CASE over it is left."""
    return f"TYPEOF({x}) IN ('double', 'float')"


def _division(w: Writer, node: exp.Div) -> str:
    """Always of doubles. By 0 it is infinite or NaN, as IEEE 754 says; Spark would raise."""
    a, b = (f"CAST({w.sql(side)} AS DOUBLE)" for side in (node.this, node.expression))
    return f"CASE WHEN {b} = 0 THEN {a} * DOUBLE('Infinity') ELSE {a} / {b} END"


def _whole_quotient(w: Writer, node: exp.IntDiv) -> str:
    """Of whole numbers, towards 0. DuckDB divides doubles and decimals as `/` does.

    A result has one type in Spark, whatever its operands turn out to be, so these are refused once Spark knows their
    types. Decimals without decimal places are, too: they may be DuckDB's large integers.
    """
    a, b = w.sql(node.this), w.sql(node.expression)
    whole = f"TYPEOF({a}) IN ({INTEGERS}) AND TYPEOF({b}) IN ({INTEGERS})"
    return f"CASE WHEN {whole} THEN CAST({a} AS BIGINT) DIV CAST({b} AS BIGINT) ELSE RAISE_ERROR('{NOT_WHOLE}') END"


def _logarithm(w: Writer, node: exp.Ln) -> str:
    """Of 0 it is -infinity and of less NaN, where Spark says NULL."""
    x = f"CAST({w.sql(node.this)} AS DOUBLE)"
    return f"CASE WHEN {x} = 0 THEN DOUBLE('-Infinity') WHEN {x} < 0 THEN DOUBLE('NaN') ELSE LN({x}) END"


def _rounded(w: Writer, node: exp.Round) -> str:
    """A double is scaled, rounded and scaled back; Spark would round its decimal digits, which differs next to ties."""
    decimals = node.args.get("decimals")
    if decimals is not None and not decimals.is_int:
        raise _refuse(node, "ROUND to a number of digits that is not written out")
    digits, x = int(decimals.to_py()) if decimals is not None else 0, w.sql(node.this)
    scale, (up, down) = 10 ** abs(digits), "*/" if digits >= 0 else "/*"
    scaled = f"ROUND(CAST({x} AS DOUBLE) {up} {scale}D) {down} {scale}D"
    return f"CASE WHEN {_is_float(x)} THEN {scaled} ELSE CAST(ROUND({x}, {digits}) AS DOUBLE) END"


def _cast(w: Writer, node: exp.Cast) -> str:
    """To a whole number: doubles to the nearest, ties to even; decimals to the nearest, ties away from 0. Spark truncates."""
    word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    x, kind = w.sql(node.this), node.to.this
    if kind == exp.DType.TIME:
        raise _refuse(node, "a time of day")
    if kind in (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ):
        return f"{word}({x} AS TIMESTAMP_NTZ)"
    if kind == exp.DType.INT128:
        return f"{word}({x} AS DECIMAL(38, 0))"
    if kind not in WHOLE:
        return f"{word}({x} AS {w.sql(node.to)})"
    to = w.sql(node.to)
    return (
        f"CASE WHEN {_is_float(x)} THEN {word}(RINT(CAST({x} AS DOUBLE)) AS {to}) "
        f"WHEN TYPEOF({x}) LIKE 'decimal%' THEN {word}(ROUND(TRY_CAST({x} AS DECIMAL(38, 12))) AS {to}) "
        f"ELSE {word}({x} AS {to}) END"
    )


def _whole(function: str) -> Callable[[Writer, Any], str]:
    return lambda w, node: f"CAST({function}({w.sql(node.this)}) AS DOUBLE)"


def _concat(w: Writer, node: exp.Concat) -> str:
    """NULLs are passed over."""
    return "CONCAT(" + ", ".join(f"COALESCE(CAST({w.sql(e)} AS STRING), '')" for e in node.expressions) + ")"


def _like(word: str) -> Callable[[Writer, Any], str]:
    """A backslash is a letter unless ESCAPE says otherwise; in Spark it escapes by itself."""

    def write(w: Writer, node: Any) -> str:
        pattern = node.expression
        if not pattern.is_string:
            raise _refuse(node, "a pattern that is not written out")
        negated = "NOT " if node.args.get("negate") else ""
        written = f"{w.sql(node.this)} {negated}{word} {w.sql(pattern)}"
        if "\\" not in pattern.name or isinstance(node.parent, exp.Escape):
            return written
        free = next((letter for letter in OFTEN_ESCAPES if letter not in pattern.name), None)
        if free is None:
            raise _refuse(node, "a pattern with a backslash")
        return f"{written} ESCAPE '{free}'"

    return write


def _substring(w: Writer, node: exp.Substring) -> str:
    """Spark reads place 0 as 1; DuckDB counts it."""
    start = node.args["start"]
    if not (start.is_int and start.to_py()):
        raise _refuse(node, "SUBSTRING from place 0 or from a place that is not written out")
    return "SUBSTRING(" + ", ".join(w.sql(each) for each in _arguments(node, "this", "start", "length")) + ")"


def _end(word: str) -> Callable[[Writer, Any], str]:
    def write(w: Writer, node: Any) -> str:
        if not (node.expression.is_int and node.expression.to_py() >= 0):
            raise _refuse(node, f"{word} with a length that is negative or not written out")
        return f"{word}({w.sql(node.this)}, {w.sql(node.expression)})"

    return write


def _sum_of_times(sign: str) -> Callable[[Writer, Any], str]:
    """A date plus an interval is a timestamp."""

    def write(w: Writer, node: Any) -> str:
        a, b = w.sql(node.this), w.sql(node.expression)
        if isinstance(node.expression, exp.Interval):
            a = f"CAST({a} AS TIMESTAMP_NTZ)"
        elif isinstance(node.this, exp.Interval):
            b = f"CAST({b} AS TIMESTAMP_NTZ)"
        return f"{a} {sign} {b}"

    return write


def _truncated(w: Writer, node: Any) -> str:
    return f"CAST(DATE_TRUNC('{node.unit.name}', {w.sql(node.this)}) AS TIMESTAMP_NTZ)"


PARTS: Mapping[str, str] = {  # of a date or timestamp {x}
    "DOW": "DAYOFWEEK({x}) - 1",  # Sunday is 0
    "DAYOFWEEK": "DAYOFWEEK({x}) - 1",
    "ISODOW": "EXTRACT(DAYOFWEEK_ISO FROM {x})",
    "ISOYEAR": "EXTRACT(YEAROFWEEK FROM {x})",
    "DAYOFYEAR": "DAYOFYEAR({x})",
    "SECOND": "SECOND({x})",
    "DECADE": "CAST(FLOOR(YEAR({x}) / 10) AS BIGINT)",
    "CENTURY": "CAST(CEIL(YEAR({x}) / 100) AS BIGINT)",
    "EPOCH": "UNIX_MICROS(CAST({x} AS TIMESTAMP)) / 1000000D",
}


def _part(w: Writer, node: exp.Extract) -> str:
    name, x = node.this.name.upper(), w.sql(node.expression)
    return "(" + PARTS.get(name, f"EXTRACT({name} FROM {{x}})").format(x=x) + ")"


def _arguments(node: exp.Expr, *names: str) -> list[exp.Expr]:
    return [node.args[name] for name in names if node.args.get(name) is not None]


class _Dialect(SparkGenerator):
    TRANSFORMS: ClassVar[dict[type[exp.Expr], Callable[..., str]]] = {
        **SparkGenerator.TRANSFORMS,
        exp.Div: _division,
        exp.IntDiv: _whole_quotient,
        exp.Ln: _logarithm,
        exp.Round: _rounded,
        exp.Floor: _whole("FLOOR"),
        exp.Ceil: _whole("CEIL"),
        exp.Cast: _cast,
        exp.TryCast: _cast,
        exp.Concat: _concat,
        exp.Like: _like("LIKE"),
        exp.ILike: _like("ILIKE"),
        exp.Substring: _substring,
        exp.Left: _end("LEFT"),
        exp.Right: _end("RIGHT"),
        exp.Add: _sum_of_times("+"),
        exp.Sub: _sum_of_times("-"),
        exp.TimestampTrunc: _truncated,
        exp.DateTrunc: _truncated,
        exp.Extract: _part,
        exp.DayOfWeek: lambda w, node: f"(DAYOFWEEK({w.sql(node.this)}) - 1)",
        exp.Week: lambda w, node: f"WEEKOFYEAR({w.sql(node.this)})",
    }
