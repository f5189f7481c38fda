"""Aggregates -> formulas over totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from untold.ask.question.model import Constant, Formula, Quantile
from untold.ask.sql.columns_used import columns_of, touched
from untold.ask.sql.conditions.logic import ALWAYS, Open, Predicate, both, where_true
from untold.ask.sql.conditions.where import condition
from untold.ask.sql.from_clause.bind import refuse_aggregates
from untold.ask.sql.names import Scope, as_column, bare, is_key
from untold.ask.sql.one_attribute.evaluate import known as known_values
from untold.ask.sql.public_expressions import check_public, is_known
from untold.ask.sql.refusals import SPAN, Refusal
from untold.ask.sql.totals.amounts import RULES as RULES_OF_AMOUNTS
from untold.ask.sql.totals.amounts import Amount, amount, numeric_attributes, refuse_names
from untold.ask.sql.totals.asked import Asked, apply
from untold.ask.sql.totals.two_columns import FORMULAS, two_columns

HINTS: dict[type[exp.Expr], str] = {
    exp.Min: "Use QUANTILE_CONT(x, 0.01) for a low value that is not one person's.",
    exp.Max: "Use QUANTILE_CONT(x, 0.99) for a high value that is not one person's.",
    exp.Mode: "Write SELECT x, COUNT(*) AS n ... GROUP BY x ORDER BY n DESC LIMIT 1.",
    exp.ApproxDistinct: "Write GROUP BY x with COUNT(*), or COUNT(DISTINCT the user key).",
    exp.LogicalAnd: "Use COUNT(*) FILTER (WHERE NOT ...) and look whether it is near zero.",
    exp.LogicalOr: "Use COUNT(*) FILTER (WHERE ...) and look whether it is near zero.",
}
RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile)
PERCENTILES = (exp.PercentileCont, exp.PercentileDisc)
GENERAL = "Use COUNT, SUM, AVG, VAR_SAMP, VAR_POP, STDDEV, MEDIAN or QUANTILE_CONT."


def aggregate(node: exp.Expr, asked: Asked, when: Predicate = ALWAYS) -> Formula:
    """One aggregate; `when` is its FILTER."""
    if isinstance(node, exp.Filter):
        tree = node.expression.this
        refuse_aggregates(tree)
        resolved = asked.scope.resolve(tree)
        kept = condition(resolved, asked.scope)
        asked.note_empty("FILTER", kept, (resolved,))
        return aggregate(node.this, asked, kept)
    for kind, rule in RULES.items():
        if type(node) is kind and not (kind is exp.WithinGroup and not isinstance(node.this, PERCENTILES)):
            _check_argument(node)
            return rule(node, asked, when)
    inner = node.this if isinstance(node, exp.IgnoreNulls | exp.WithinGroup) else node
    name = inner.sql_name() if isinstance(inner, exp.Func) else inner.key.upper()
    hint = HINTS.get(type(inner), GENERAL)
    column = inner.this if isinstance(inner, exp.Min | exp.Max) else None
    if isinstance(column, exp.Column) and _is_day(column, asked):
        hint = f"SELECT {column.name}, COUNT(*) ... GROUP BY {column.name}: see where it is clearly above zero."
    if isinstance(inner, (*RANKS, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)):
        raise Refusal(
            node,
            f"{name} needs an order of groups.",
            f"Write {name}(...) OVER (ORDER BY a key of GROUP BY).",
            code="aggregate",
        )
    raise Refusal(node, f"{name} depends on single rows; rows were never disclosed.", hint, code="single-rows")


def _is_day(column: exp.Column, asked: Asked) -> bool:
    found = asked.scope.resolve(column)
    attribute = asked.scope.sensitive(found) if isinstance(found, exp.Column) else None
    return attribute is not None and attribute.ordered and not attribute.numeric


def _check_argument(node: exp.Expr) -> None:
    for child in node.iter_expressions():
        refuse_aggregates_inside(child)
        if isinstance(child, exp.Order) and not isinstance(node, exp.WithinGroup):
            raise Refusal(child, "ORDER BY inside an aggregate needs single rows.", "Leave it out.", code="single-rows")
        if isinstance(child, exp.Distinct) and not isinstance(node, exp.Count):
            raise Refusal(
                node,
                "Whether two rows have the same value is not in any report.",
                "Leave DISTINCT out, or GROUP BY the column.",
                code="single-rows",
            )


def refuse_aggregates_inside(child: exp.Expr) -> None:
    """An aggregate of aggregates would need two passes over rows."""
    found = child.find(exp.AggFunc)
    if found is not None and not isinstance(child, PERCENTILES):
        raise Refusal(
            found,
            "An aggregate inside an aggregate is not supported.",
            "Ask for the inner one with GROUP BY.",
            code="aggregate",
        )


def known(tree: exp.Expr, scope: Scope) -> Predicate:
    """Where a resolved expression is not NULL."""
    inner = bare(tree)
    if is_key(inner, scope.plan):
        return ALWAYS
    found = touched(inner, scope)
    if found.open and found.public:
        check_public(inner)
        return Open(is_known(inner))
    if not found.public and (found.single or type(inner) not in RULES_OF_AMOUNTS):
        return where_true(columns_of(inner), known_values(inner, scope))
    return amount(inner, scope).known


def _count(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    argument = node.this
    if node.expressions:
        raise Refusal(node, "COUNT takes one argument here.", "Write COUNT(*) or COUNT(column).", code="aggregate")
    if argument is None or isinstance(argument, exp.Star):
        return asked.totals.count(when)
    if isinstance(argument, exp.Distinct):
        return _count_people(node, argument, asked, when)
    return asked.totals.count(both(when, known(asked.scope.resolve(argument), asked.scope)))


def _count_people(node: exp.Expr, distinct: exp.Distinct, asked: Asked, when: Predicate) -> Formula:
    """COUNT(DISTINCT user key): the number of rows, where a person has one row."""
    scope = asked.scope
    key = scope.plan.user_key
    trees = [bare(scope.resolve(e)) for e in distinct.expressions]
    if len(trees) != 1 or not is_key(trees[0], scope.plan):
        raise Refusal(
            node,
            "How many different values there are depends on single rows: one that a single person has cannot be told from "
            "noise.",
            f"GROUP BY the column with COUNT(*), or COUNT(DISTINCT {key}) for people.",
            code="single-rows",
        )
    many = [name for name in scope.services if scope.plan.service(name).rows is not None]
    if many:
        raise Refusal(
            node,
            f"A person may have several rows in '{many[0]}'; whether one of them matches is not in any report.",
            "Use COUNT(*) for the number of rows, or count people in a service with one row each.",
            code="single-rows",
        )
    asked.counts_people = True
    return asked.totals.count(when)


def _amount(node: exp.Expr, asked: Asked) -> Amount:
    if not isinstance(node.this, exp.Expr) or node.args.get("expression") is not None:
        raise Refusal(node, "This aggregate takes one argument.", GENERAL, code="aggregate")
    if isinstance(node.this, exp.Star):
        raise Refusal(node, "Only COUNT takes *.", "Name what is summed.", code="aggregate")
    tree = bare(asked.scope.resolve(node.this))
    attribute = asked.scope.sensitive(tree) if isinstance(tree, exp.Column) else None
    if attribute is not None and attribute.value_type == "boolean":  # the share of true ones
        tree = exp.Cast(this=tree, to=exp.DataType.build("INT"))
        tree.meta[SPAN] = node.this.meta.get(SPAN)
    refuse_names(tree, asked.scope, node)
    return amount(tree, asked.scope)


def _sum(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    return asked.totals.sum(_amount(node, asked), when)


def _mean(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    """sum / count of what is not NULL."""
    value = _amount(node, asked)
    return apply("div", asked.totals.sum(value, when), asked.totals.count(both(when, value.known)))


def _count_if(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    return asked.totals.count(both(when, condition(asked.scope.resolve(node.this), asked.scope)))


def _variance(sample: bool, root: bool) -> Callable[[Any, Asked, Predicate], Formula]:
    """S2 / n - (S1 / n)^2, times n / (n - 1) for a sample; S1, S2 the sums of the value and of its square."""

    def rule(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
        value = _amount(node, asked)
        count = asked.totals.count(both(when, value.known))
        first, second = asked.totals.sum(value, when), asked.totals.sum_of_squares(value, when)
        mean = apply("div", first, count)
        variance = apply("sub", apply("div", second, count), apply("mul", mean, mean))
        if sample:
            variance = apply("mul", variance, apply("div", count, apply("sub", count, Constant(1.0))))
        return apply("sqrt", variance) if root else variance

    return rule


def _quantile(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    if isinstance(node, exp.Median):
        return _quantile_of(node, node.this, 0.5, asked, when)
    if isinstance(node, exp.WithinGroup):
        if len(node.expression.expressions) != 1:
            raise Refusal(node, "A quantile is of one attribute.", "Write WITHIN GROUP (ORDER BY x).", code="aggregate")
        ordered, discrete = node.expression.expressions[0], isinstance(node.this, exp.PercentileDisc)
        share = _share(node.this.this, node)
        if discrete and ordered.args.get("desc"):
            raise Refusal(
                ordered,
                "A quantile from above is one from below.",
                "Leave DESC out, and write 1 - p.",
                code="aggregate",
            )
        return _quantile_of(node, ordered.this, 1 - share if ordered.args.get("desc") else share, asked, when, discrete)
    share = _share(node.args.get("quantile") or node.expression, node)
    discrete = isinstance(node, exp.Quantile | exp.PercentileDisc)
    return _quantile_of(node, node.this, share, asked, when, discrete)


def _share(tree: exp.Expr | None, node: exp.Expr) -> float:
    if not isinstance(tree, exp.Literal) or tree.is_string or not 0 <= float(tree.name) <= 1:
        raise Refusal(
            tree or node,
            "A quantile needs one number between 0 and 1.",
            "Write QUANTILE_CONT(x, 0.9).",
            code="aggregate",
        )
    return float(tree.name)


def _quantile_of(
    node: exp.Expr, argument: exp.Expr, share: float, asked: Asked, when: Predicate, discrete: bool = False
) -> Formula:
    column = bare(asked.scope.resolve(argument))
    attribute = asked.scope.sensitive(column) if isinstance(column, exp.Column) else None
    if not isinstance(column, exp.Column) or attribute is None or not (attribute.ordered and attribute.numeric):
        if attribute is not None and attribute.ordered and isinstance(column, exp.Column):
            name, what = column.name, f"'{column.name}' is a {attribute.kind}; a quantile is estimated for numbers."
            raise Refusal(
                node,
                what,
                f"SELECT {name}, COUNT(*) ... GROUP BY {name}: see where half of all is reached.",
                code="aggregate",
            )
        ordinals = numeric_attributes(asked.scope)
        here = f"Ordinal attributes here: {', '.join(ordinals)}." if ordinals else "There is none here."
        raise Refusal(node, "A quantile is estimated for a sensitive ordinal attribute itself.", here, code="aggregate")
    counted = asked.totals.count(both(when, known(column, asked.scope)))
    return Quantile(as_column(column), share, counted.index, discrete)


RULES: dict[type, Callable[[Any, Asked, Predicate], Formula]] = {
    exp.Count: _count,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.CountIf: _count_if,
    exp.Variance: _variance(sample=True, root=False),
    exp.VariancePop: _variance(sample=False, root=False),
    exp.Stddev: _variance(sample=True, root=True),
    exp.StddevSamp: _variance(sample=True, root=True),
    exp.StddevPop: _variance(sample=False, root=True),
    exp.Median: _quantile,
    exp.PercentileCont: _quantile,
    exp.PercentileDisc: _quantile,
    exp.Quantile: _quantile,
    exp.ApproxQuantile: _quantile,
    exp.WithinGroup: _quantile,
    **dict.fromkeys(FORMULAS, two_columns),
}
