"""Which functions of declared values are computed: two lists, of sqlglot's nodes and of DuckDB's own names.

A name is on the list if its result depends on its arguments alone and is hardly longer than they are. DuckDB's `stability`
is no sign of that: `repeat`, `range` and `version` are CONSISTENT. There are no clocks, nothing that makes texts of any length
(repeat, lpad, printf, format), no lists, structs or lambdas.
"""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.public_expressions import ALLOWED, TYPES

NODES: frozenset[type[exp.Expr]] = ALLOWED | {
    exp.Cbrt, exp.Log, exp.Sin, exp.Cos, exp.Tan, exp.Cot, exp.Asin, exp.Acos, exp.Atan, exp.Atan2, exp.Degrees,
    exp.Radians, exp.Pi, exp.Trunc, exp.IsNan, exp.IsInf,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift,
    exp.Reverse, exp.ConcatWs, exp.StrPosition, exp.Translate, exp.Ascii, exp.Unicode, exp.SplitPart,
    exp.RegexpLike, exp.RegexpFullMatch, exp.RegexpExtract, exp.SimilarTo, exp.Anonymous,
    exp.WeekOfYear, exp.DayOfWeekIso, exp.Dayname, exp.Monthname, exp.LastDay, exp.TimeToStr, exp.StrToTime,
    exp.DateDiff, exp.DateAdd, exp.DateSub, exp.DateFromParts, exp.TimeToUnix, exp.Paren,
}  # fmt: skip
PATTERNS = {  # arguments that must be literals: patterns and formats
    exp.Like: "expression", exp.ILike: "expression", exp.SimilarTo: "expression", exp.RegexpLike: "expression",
    exp.RegexpFullMatch: "expression", exp.RegexpExtract: "expression", exp.TimeToStr: "format", exp.StrToTime: "format",
}  # fmt: skip
WORDS = (
    "+ - * / // % ** ^ || & | << >> ~ ~~ !~~ ~~* !~~* like_escape not_like_escape ilike_escape not_ilike_escape abs "
    "ceil ceiling floor round trunc sign sqrt cbrt exp ln log log10 log2 pow power sin cos tan cot asin acos atan "
    "atan2 degrees radians pi even gcd lcm greatest least nullif if isnan isinf isfinite xor fmod mod add subtract "
    "multiply divide lower upper lcase ucase length len strlen char_length character_length trim ltrim rtrim "
    "substring substr left right reverse concat concat_ws contains starts_with ends_with prefix suffix position instr "
    "strpos replace translate ascii ord unicode split_part regexp_matches regexp_full_match regexp_extract "
    "strip_accents date_trunc date_part datepart year month day quarter week weekofyear yearweek isoyear dayofweek "
    "weekday isodow dayofmonth dayofyear hour minute second decade century epoch dayname monthname last_day strftime "
    "strptime date_diff datediff date_sub datesub make_date datetrunc to_years to_quarters to_months to_weeks to_days "
    "to_hours to_minutes to_seconds to_decades to_centuries "
)
NAMES = frozenset(WORDS.split())
CLASSES = frozenset(
    ("COLUMN_REF", "CONSTANT", "FUNCTION", "COMPARISON", "CONJUNCTION", "OPERATOR", "CASE", "CAST", "BETWEEN", "TYPE")
)
OPERATORS = frozenset(
    (
        "OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "OPERATOR_NULLIF",
        "COMPARE_IN", "COMPARE_NOT_IN",
    )
)  # fmt: skip
TYPE_NAMES = frozenset(
    (
        "BOOLEAN", "BOOL", "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "HUGEINT", "INT128", "FLOAT", "REAL",
        "DOUBLE", "DECIMAL", "NUMERIC", "TEXT", "VARCHAR", "DATE", "TIMESTAMP", "TIME", "INTERVAL",
    )
)  # fmt: skip
CASTS = TYPES | {exp.DType.INTERVAL}
UNITS = frozenset(
    (
        "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "WEEK", "DECADE", "CENTURY", "DOW", "ISODOW", "DOY",
        "EPOCH", "ISOYEAR", "DAYOFWEEK", "DAYOFYEAR", "DAYOFMONTH", "YEARWEEK", "WEEKDAY",
    )
)  # fmt: skip
