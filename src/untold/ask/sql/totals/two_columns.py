"""CORR, COVAR_POP, REGR_SLOPE ...: what two numbers of a row have to do with each other, from six sums.

Over the n rows in which both y and x are known, with S their sums, as in SQL:2003,

    A = n S_xy - S_x S_y      B = n S_xx - S_x^2      C = n S_yy - S_y^2

    COVAR_POP = A / n^2       REGR_SLOPE = A / B      REGR_INTERCEPT = (S_y S_xx - S_x S_xy) / B
    CORR = A / sqrt(B C)      REGR_R2 = A^2 / (B C)   REGR_SXX = B / n

A product of two estimates is too large by their covariance on average, which is taken off (`estimates.gradients`): A, B and C
have no bias, and a slope has Fieller's interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from untold.ask.question.model import Constant, Formula
from untold.ask.sql.conditions.logic import Predicate, both
from untold.ask.sql.names import bare
from untold.ask.sql.refusals import SPAN, Refusal
from untold.ask.sql.totals.amounts import Amount, amount, refuse_names
from untold.ask.sql.totals.asked import Asked, apply


@dataclass(frozen=True, eq=False)
class TwoColumns:
    """The sums of y and x over the rows in which both are known."""

    asked: Asked
    y: Amount
    x: Amount
    product: Amount
    when: Predicate

    @cached_property
    def count(self) -> Formula:
        """n."""
        return self.asked.totals.count(both(self.when, self.y.known, self.x.known))

    @cached_property
    def sum_y(self) -> Formula:
        """S_y."""
        return self.asked.totals.sum(self.y, both(self.when, self.x.known))

    @cached_property
    def sum_x(self) -> Formula:
        """S_x."""
        return self.asked.totals.sum(self.x, both(self.when, self.y.known))

    @cached_property
    def sum_xx(self) -> Formula:
        """S_xx."""
        return self.asked.totals.sum_of_squares(self.x, both(self.when, self.y.known))

    @cached_property
    def sum_yy(self) -> Formula:
        """S_yy."""
        return self.asked.totals.sum_of_squares(self.y, both(self.when, self.x.known))

    @cached_property
    def sum_xy(self) -> Formula:
        """S_xy."""
        return self.asked.totals.sum(self.product, self.when)

    @property
    def together(self) -> Formula:
        """A."""
        return _less(apply("mul", self.count, self.sum_xy), apply("mul", self.sum_x, self.sum_y))

    @property
    def spread_x(self) -> Formula:
        """B."""
        return _less(apply("mul", self.count, self.sum_xx), apply("mul", self.sum_x, self.sum_x))

    @property
    def spread_y(self) -> Formula:
        """C."""
        return _less(apply("mul", self.count, self.sum_yy), apply("mul", self.sum_y, self.sum_y))

    @property
    def intercept(self) -> Formula:
        """Where the line meets x = 0."""
        above = _less(apply("mul", self.sum_y, self.sum_xx), apply("mul", self.sum_x, self.sum_xy))
        return apply("div", above, self.spread_x)

    @property
    def correlation(self) -> Formula:
        """A / (sqrt B sqrt C)."""
        roots = apply("mul", apply("sqrt", self.spread_x), apply("sqrt", self.spread_y))
        return apply("div", self.together, roots)


def _less(left: Formula, right: Formula) -> Formula:
    return apply("sub", left, right)


def _over(above: Formula, *below: Formula) -> Formula:
    for each in below:
        above = apply("div", above, each)
    return above


FORMULAS: dict[type[exp.Expr], Callable[[TwoColumns], Formula]] = {
    exp.Corr: lambda t: t.correlation,
    exp.CovarPop: lambda t: _over(t.together, t.count, t.count),
    exp.CovarSamp: lambda t: _over(t.together, t.count, apply("sub", t.count, Constant(1.0))),
    exp.RegrSlope: lambda t: _over(t.together, t.spread_x),
    exp.RegrIntercept: lambda t: t.intercept,
    exp.RegrR2: lambda t: _over(apply("mul", t.together, t.together), t.spread_x, t.spread_y),
    exp.RegrCount: lambda t: t.count,
    exp.RegrAvgx: lambda t: _over(t.sum_x, t.count),
    exp.RegrAvgy: lambda t: _over(t.sum_y, t.count),
    exp.RegrSxx: lambda t: _over(t.spread_x, t.count),
    exp.RegrSyy: lambda t: _over(t.spread_y, t.count),
    exp.RegrSxy: lambda t: _over(t.together, t.count),
}


def two_columns(node: exp.Expr, asked: Asked, when: Predicate) -> Formula:
    """One of them, of y and x."""
    trees = [node.this, node.args.get("expression")]
    if not all(isinstance(tree, exp.Expr) for tree in trees):
        raise Refusal(node, "This is of two numbers.", "Write CORR(y, x).", code="aggregate")
    resolved = [bare(asked.scope.resolve(tree)) for tree in trees if tree is not None]
    for tree in resolved:
        refuse_names(tree, asked.scope, node)
    y, x = resolved
    product = exp.Mul(this=exp.Paren(this=y.copy()), expression=exp.Paren(this=x.copy()))
    product.meta[SPAN] = node.meta.get(SPAN)
    scope = asked.scope
    return FORMULAS[type(node)](TwoColumns(asked, amount(y, scope), amount(x, scope), amount(product, scope), when))
