"""What each construct of SQL means here and what its error is, in words. The parser's own tables say which there are."""

from __future__ import annotations

from sqlglot import exp

from untold.sql.parse import CLAUSES, SETTINGS
from untold.sql.totals.aggregates import RULES
from untold.sql.totals.formulas import OPERATIONS

COUNTED = "noise of the reports alone"
RATIO = "Fieller's interval, or the delta method in larger formulas"

CLAUSE_WORDS = {  # clause: how it is written, what it means, what it does to errors
    "expressions": (
        "SELECT",
        "Aggregates, formulas of them, and group keys. Name them with AS.",
        "Every estimate `x` brings `x_se`, `x_low` and `x_high`.",
    ),
    "from_": (
        "FROM",
        "A service of the plan, a CTE, a subquery that renames and filters, or a registered table.",
        "None.",
    ),
    "joins": (
        "JOIN",
        "Services are joined on the user key: `USING (uid)` or `ON a.uid = b.uid`. Inner joins only.",
        "Noise of both sides is multiplied.",
    ),
    "where": (
        "WHERE",
        "Which rows count. AND, OR and NOT over sensitive and public columns; NULL as in SQL.",
        "More sensitive attributes, more noise. A public condition adds none.",
    ),
    "group": (
        "GROUP BY",
        "Sensitive or public columns, expressions of one, names, numbers, ALL.",
        "Each group has the noise of all.",
    ),
    "having": (
        "HAVING",
        "Which groups to show, by estimates. `LOW(x)`, `HIGH(x)` and `SE(x)` are the interval's ends and the standard error.",
        "None. Estimates decide, so a group near the limit may fall on the wrong side.",
    ),
    "order": (
        "ORDER BY",
        "By estimates, keys, numbers; also by `LOW(x)`, `HIGH(x)`, `SE(x)`.",
        "None. The order of close groups is noise.",
    ),
    "limit": ("LIMIT", "The first groups.", "None."),
    "offset": ("OFFSET", "Leave out the first groups.", "None."),
    "with_": ("WITH", "A name for a subquery that renames columns or filters rows.", "None."),
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
    exp.WithinGroup: (
        "PERCENTILE_CONT ... WITHIN GROUP",
        "The same in standard SQL.",
        "interval by inverting counts",
    ),
}
assert set(AGGREGATE_WORDS) == set(RULES)

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
}
assert set(FORMULA_WORDS) == set(OPERATIONS)
