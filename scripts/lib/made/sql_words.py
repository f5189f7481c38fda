"""What each construct of SQL means here and what its error is, in words. The parser's own tables say which there are."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.parse import CLAUSES, SETTINGS
from untold.ask.sql.totals.aggregates import RULES
from untold.ask.sql.totals.bent_formulas import CHOICES, ONE, SEVERAL
from untold.ask.sql.totals.formulas import OPERATIONS

COUNTED = "noise of the reports alone"
MAPPED = "the interval of `a`, mapped"
PARTS = "intervals of all parts together, each wider"
RATIO = "Fieller's interval, or the delta method in larger formulas"

CLAUSE_WORDS = {  # clause: how it is written, what it means, what it does to errors
    "expressions": (
        "SELECT",
        "Aggregates, formulas of them, group keys, functions of keys such as `upper(state)`, and constants. Name them with AS.",
        "Every estimate `x` brings `x_se`, `x_low` and `x_high`; the others are exact.",
    ),
    "from_": (
        "FROM",
        "A service of the plan, a CTE, a subquery, or a registered table. Groups of a subquery may be filtered, added up, or joined on their keys.",
        "None.",
    ),
    "distinct": (
        "DISTINCT",
        "The values of columns: those that are declared, and those that public columns have.",
        "None.",
    ),
    "joins": (
        "JOIN",
        "Services are joined on the user key: `USING (uid)` or `ON a.uid = b.uid`. LEFT JOIN only where people without a row there add nothing.",
        "Noise of both sides is multiplied.",
    ),
    "where": (
        "WHERE",
        "Which rows count. AND, OR and NOT over sensitive and public columns; NULL as in SQL.",
        "More sensitive attributes, more noise. A public condition adds none.",
    ),
    "group": (
        "GROUP BY",
        "Sensitive or public columns, expressions of one, names, numbers, ALL; ROLLUP, CUBE and GROUPING SETS for several at once.",
        "Each group has the noise of all.",
    ),
    "having": (
        "HAVING",
        "Which groups to show, by estimates, keys and functions of keys. `LOW(x)`, `HIGH(x)` and `SE(x)` are the interval's ends and the standard error.",
        "Estimates decide: a group near the limit may fall on the wrong side. Intervals of those shown hold together.",
    ),
    "qualify": (
        "QUALIFY",
        "The same, after windows are worked out: `QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= 3`.",
        "Estimates decide. Intervals of those shown hold together.",
    ),
    "order": (
        "ORDER BY",
        "By estimates, keys, functions of keys, numbers; also by `LOW(x)`, `HIGH(x)`, `SE(x)`.",
        "None. The order of close groups is noise.",
    ),
    "limit": ("LIMIT", "The first groups.", "None."),
    "offset": ("OFFSET", "Leave out the first groups.", "None."),
    "with_": ("WITH", "A name for a subquery, with aggregates or without.", "None."),
}
assert set(CLAUSE_WORDS) == CLAUSES - set(SETTINGS), CLAUSES - set(SETTINGS) ^ set(CLAUSE_WORDS)

AGGREGATE_WORDS: dict[type, tuple[str, str, str]] = {
    exp.Count: (
        "COUNT",
        "Rows; with a column, rows where it is not NULL. `COUNT(DISTINCT uid)` counts people.",
        COUNTED,
    ),
    exp.Sum: ("SUM", "Of an ordinal attribute, a public number, or arithmetic of them. Nothing adds up to 0.", COUNTED),
    exp.Avg: ("AVG", "A sum divided by a count.", "Fieller's interval: right also where the count is uncertain"),
    exp.CountIf: ("COUNT_IF", "Rows for which a condition holds.", COUNTED),
    exp.Variance: (
        "VARIANCE, VAR_SAMP",
        "How far values lie apart, squared.",
        "delta method; a bias of the order of 1/n",
    ),
    exp.VariancePop: ("VAR_POP", "The same, divided by n.", "delta method; a bias of the order of 1/n"),
    exp.Stddev: ("STDDEV", "The root of VARIANCE.", "delta method; a bias of the order of 1/n"),
    exp.StddevSamp: ("STDDEV_SAMP", "Another name of STDDEV.", "as STDDEV"),
    exp.StddevPop: ("STDDEV_POP", "The root of VAR_POP.", "delta method; a bias of the order of 1/n"),
    exp.Median: (
        "MEDIAN",
        "The value that half of the rows are below. Ordinal attributes only.",
        "interval by inverting counts",
    ),
    exp.PercentileCont: (
        "QUANTILE_CONT",
        "The value that a share of the rows is below.",
        "interval by inverting counts",
    ),
    exp.PercentileDisc: ("QUANTILE_DISC", "One of the values, and none between two.", "interval by inverting counts"),
    exp.Quantile: ("QUANTILE", "Another name of QUANTILE_DISC.", "interval by inverting counts"),
    exp.ApproxQuantile: ("APPROX_QUANTILE", "Another name of QUANTILE_CONT.", "interval by inverting counts"),
    exp.Corr: ("CORR(y, x)", "How far two numbers go together, from -1 to 1.", "delta method; a bias of the order of 1/n"),
    exp.CovarPop: ("COVAR_POP(y, x)", "The mean of their product, less the product of their means.", "delta method"),
    exp.CovarSamp: ("COVAR_SAMP(y, x)", "The same, divided by n - 1.", "delta method"),
    exp.RegrSlope: ("REGR_SLOPE(y, x)", "By how much y grows with x, by the line of least squares.", "Fieller's interval"),
    exp.RegrIntercept: ("REGR_INTERCEPT(y, x)", "Where that line meets x = 0.", "Fieller's interval"),
    exp.RegrR2: ("REGR_R2(y, x)", "CORR, squared.", "delta method"),
    exp.RegrCount: ("REGR_COUNT(y, x)", "Rows in which both are known.", COUNTED),
    exp.RegrAvgx: ("REGR_AVGX(y, x)", "The mean of x over these rows.", "Fieller's interval"),
    exp.RegrAvgy: ("REGR_AVGY(y, x)", "The mean of y over these rows.", "Fieller's interval"),
    exp.RegrSxx: ("REGR_SXX(y, x)", "Squared distances of x from its mean, added up.", "delta method"),
    exp.RegrSyy: ("REGR_SYY(y, x)", "Those of y.", "delta method"),
    exp.RegrSxy: ("REGR_SXY(y, x)", "Products of both distances, added up.", "delta method"),
    exp.WithinGroup: (
        "PERCENTILE_CONT, PERCENTILE_DISC ... WITHIN GROUP",
        "The same in standard SQL.",
        "interval by inverting counts",
    ),
}
assert set(AGGREGATE_WORDS) == set(RULES)

WINDOW_WORDS: dict[type, tuple[str, str, str]] = {
    exp.Sum: (
        "SUM(a) OVER (...)",
        "Of counts and sums: shares of a whole without ORDER BY, running totals with a key in it.",
        "of one total over all of these groups",
    ),
    exp.Avg: ("AVG(a) OVER (...)", "A moving mean, along a key.", "of one total over all of these groups"),
    exp.Lag: ("LAG(a, 1)", "That of an earlier group, to subtract or divide by.", "with what both groups share"),
    exp.Lead: ("LEAD(a, 1)", "That of a later group.", "with what both groups share"),
    exp.FirstValue: ("FIRST_VALUE(a)", "That of the first group, as for an index.", "with what both groups share"),
    exp.LastValue: ("LAST_VALUE(a)", "That of the last group of the frame.", "with what both groups share"),
    exp.Rank: (
        "RANK(), DENSE_RANK()",
        "The place among all groups, by estimates, keys or both.",
        "all ranks that intervals of all groups together allow",
    ),
    exp.RowNumber: ("ROW_NUMBER()", "The same; of two that are alike, the first one is first.", "as RANK"),
    exp.PercentRank: ("PERCENT_RANK(), CUME_DIST()", "The same as a share.", "as RANK"),
    exp.Ntile: ("NTILE(4)", "In which quarter of the groups.", "as RANK"),
}

FORMULA_WORDS: dict[type, tuple[str, str, str]] = {
    exp.Add: ("a + b", "Sums of estimates and numbers.", "errors of both, with what they share"),
    exp.Sub: (
        "a - b",
        "Differences, also between epochs and groups of people.",
        "errors of both, with what they share",
    ),
    exp.Mul: ("a * b", "Products.", "delta method"),
    exp.Div: ("a / b", "Ratios and shares.", RATIO),
    exp.Neg: ("-a", "The negative.", "the same"),
    exp.Sqrt: ("SQRT(a)", "The root.", "delta method"),
    exp.Abs: ("ABS(a)", "Without its sign.", "delta method"),
    exp.Greatest: ("GREATEST(a, b)", "The larger one; not unbiased.", PARTS),
    exp.Least: ("LEAST(a, b)", "The smaller one; not unbiased.", PARTS),
    exp.Coalesce: ("COALESCE(a, 0)", "A number where a denominator is 0.", "without end there"),
    exp.Nullif: ("NULLIF(a, 0)", "NULL where the estimate is this number.", PARTS),
    exp.Case: (
        "CASE WHEN a > b THEN a END",
        "Chosen by estimates; not unbiased. Conditions on columns belong inside of aggregates.",
        "all branches that the intervals of the conditions allow",
    ),
    exp.If: ("IF(a > b, a, b)", "The same with one condition.", "as CASE"),
    exp.Ln: ("LN(a)", "The logarithm; not unbiased.", MAPPED),
    exp.Log: ("LOG10(a), LOG2(a)", "To base 10, also LOG, and 2; not unbiased.", MAPPED),
    exp.Exp: ("EXP(a)", "The exponential; not unbiased.", MAPPED),
    exp.Pow: ("POWER(a, 3)", "To a number from -8 to 8; not unbiased but for 2.", MAPPED),
    exp.Floor: ("FLOOR(a)", "The next lower integer; not unbiased.", MAPPED),
    exp.Ceil: ("CEIL(a)", "The next higher integer; not unbiased.", MAPPED),
}
assert set(FORMULA_WORDS) == {*OPERATIONS, *ONE, *SEVERAL, *CHOICES}
