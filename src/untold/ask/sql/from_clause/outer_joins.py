"""LEFT JOIN where it has a meaning: where people without a row on the right side add nothing, or nothing is asked of it.

    nothing is asked of the right side, which has one row for each person    the left side alone
    WHERE keeps no row without a right side                                  an inner join
    every aggregate is of a column of the right side, which NULL adds        an inner join
      nothing to, and no group is

Anything else needs the number of people without a row there, of whom no report speaks.
"""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from untold.ask.sql.names import Scope, bare
from untold.plan import Plan

REJECTS_NULL = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between, exp.Like, exp.ILike)


def meaning(select: exp.Select, left: Scope, right: Scope, plan: Plan) -> Literal["left", "inner"] | None:
    """What a LEFT JOIN in the FROM of a query comes to; None: no report tells."""

    def of_right(node: exp.Expr | None) -> bool:
        """Whether an expression is a column of the right side, not of the user key that both have."""
        if not isinstance(node, exp.Column) or node.name.lower() == plan.user_key.lower():
            return isinstance(node, exp.Column) and node.table.lower() == right.relations[0].name
        return right.knows(node) and not left.knows(node)

    clauses = [*select.expressions, *map(select.args.get, ("where", "group", "having", "order", "qualify"))]
    asked = [clause for clause in clauses if clause is not None]
    used = any(of_right(column) for clause in asked for column in clause.find_all(exp.Column))
    starred = any(isinstance(bare(item), exp.Star) for item in select.expressions)
    single = all(plan.service(name).rows is None for name in right.services)
    if not used and single and not starred:
        return "left"
    where, group = select.args.get("where"), select.args.get("group")
    parts = [] if where is None else where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    if any(isinstance(part := bare(each), REJECTS_NULL) and of_right(part.this) for each in parts):
        return "inner"
    totals = [node for clause in asked for node in clause.find_all(exp.AggFunc)]
    grouped = group is not None and any(of_right(column) for column in group.find_all(exp.Column))
    conditions = where is not None and any(of_right(column) for column in where.find_all(exp.Column))
    filtered = any(clause.find(exp.Filter) for clause in asked)
    if totals and all(of_right(node.this) for node in totals) and not (grouped or conditions or filtered):
        return "inner"
    return None
