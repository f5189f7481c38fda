"""PIVOT: a column for each value of another one. Each is an aggregate with a FILTER, so that it is one question.

PIVOT users ON state USING COUNT(*) GROUP BY os
SELECT * FROM users PIVOT (COUNT(*) FOR state IN ('NY', 'WA') GROUP BY os)

SELECT os, COUNT(*) FILTER (WHERE state = 'NY') AS NY, COUNT(*) FILTER (WHERE state = 'WA') AS WA FROM users GROUP BY os
"""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.refusals import SPAN, Refusal
from untold.ask.sql.results.output_names import unaliased
from untold.plan import Plan
from untold.plan.schema import Sensitive

AGGREGATED = (exp.AggFunc, exp.WithinGroup)


def without_pivot(tree: exp.Expr, plan: Plan) -> exp.Expr:
    """A query with PIVOT as one without; any other as it is."""
    if isinstance(tree, exp.Pivot):
        return _written(tree, tree.this, tree.expressions, tree.args.get("using") or [], plan)
    source = tree.args.get("from_") if isinstance(tree, exp.Select) else None
    table = None if source is None else source.this
    if not isinstance(table, exp.Table):
        return tree
    pivots = table.args.get("pivots")
    if not pivots or pivots[0].args.get("unpivot"):
        return tree
    if len(pivots) > 1:
        raise Refusal(pivots[1], "Only one PIVOT is supported.", "Ask for one at a time.", code="subquery")
    bare = table.copy()
    bare.set("pivots", None)
    found = _written(pivots[0], bare, pivots[0].args.get("fields") or [], pivots[0].expressions, plan)
    others = [
        name for name, value in tree.args.items() if value and name not in ("expressions", "from_", "order", "limit")
    ]
    if others or not (len(tree.expressions) == 1 and tree.expressions[0].is_star):
        raise Refusal(
            pivots[0],
            "Around PIVOT stands SELECT *.",
            "Write SELECT * FROM ... PIVOT (...), or use FILTER.",
            code="subquery",
        )
    for clause in ("order", "limit"):
        found.set(clause, tree.args.get(clause))
    return found


def _written(place: exp.Pivot, table: exp.Expr, on: list[exp.Expr], using: list[exp.Expr], plan: Plan) -> exp.Select:
    group = place.args.get("group")
    if group is None:
        raise Refusal(
            place, "Without GROUP BY, PIVOT has a row for each person.", "Add GROUP BY to PIVOT.", code="subquery"
        )
    if len(on) != 1:
        raise Refusal(
            place, "PIVOT is supported for the values of one column.", "Leave the others to GROUP BY.", code="subquery"
        )
    column = on[0].this if isinstance(on[0], exp.In) else on[0]
    values = list(on[0].expressions) if isinstance(on[0], exp.In) else _declared(column, table, plan)
    items: list[exp.Expr] = [key.copy() for key in group.expressions]
    count = exp.Count(this=exp.Star(), big_int=True)
    for value in values:
        for each in using or [count]:
            kept = exp.EQ(this=column.copy(), expression=value.unalias().copy())
            tree = each.unalias().copy()
            if not isinstance(tree, AGGREGATED):
                raise Refusal(
                    each, "PIVOT takes aggregates.", "Write USING COUNT(*), SUM(x) or AVG(x).", code="subquery"
                )
            filtered = exp.Filter(this=tree, expression=exp.Where(this=kept))
            item = exp.alias_(filtered, _name(value, each, len(using)), quoted=True)
            for node in item.walk():
                node.meta.setdefault(SPAN, place.meta.get(SPAN))
            items.append(item)
    return exp.Select(expressions=items, from_=exp.From(this=table.copy()), group=group.copy())


def _name(value: exp.Expr, aggregate: exp.Expr, number: int) -> str:
    """As DuckDB calls it."""
    name = value.alias or value.name
    if isinstance(aggregate, exp.Alias):
        return f"{name}_{aggregate.alias}"
    return f"{name}_{unaliased(aggregate)}" if number > 1 else name


def _declared(column: exp.Expr, table: exp.Expr, plan: Plan) -> list[exp.Expr]:
    """The values of a column that its plan lists, in order."""
    service = {name.lower(): name for name in plan.services}.get(table.name.lower())
    attributes = [] if service is None else plan.service(service).attributes
    own = next((each for each in attributes if each.name.lower() == column.name.lower()), None)
    if not isinstance(own, Sensitive) or own.listed is None:
        raise Refusal(
            column, "Which values this has is not known before.", "Write ON column IN ('a', 'b').", code="subquery"
        )
    labels = sorted((value for value in own.listed if value is not None), key=str)
    return [exp.convert(value) for value in labels]
