"""Totals over more than the row's own group: (SELECT COUNT(*) FROM the same services). Windows are in windows.py."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from untold.ask.question.model import Formula, PublicKey
from untold.ask.sql.columns_used import touched
from untold.ask.sql.conditions.logic import both
from untold.ask.sql.conditions.where import condition
from untold.ask.sql.from_clause.bind import refuse_aggregates
from untold.ask.sql.from_clause.catalogue import catalogue_of
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.totals.asked import Asked
from untold.ask.sql.totals.collect import QueryTotals
from untold.ask.sql.totals.formulas import formula

PLAIN = frozenset(("expressions", "from_", "joins", "where", "kind", "with_"))


def subquery(node: exp.Subquery, asked: Asked) -> Formula:
    """A total of its own, over the same services and without groups."""
    select = node.this
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        raise Refusal(
            node,
            "A subquery in a formula is one SELECT of one aggregate.",
            "Write (SELECT COUNT(*) FROM ...).",
            code="aggregate",
        )
    extra = [name for name, value in select.args.items() if value and name not in PLAIN]
    if extra:
        raise Refusal(
            node, "A subquery in a formula has only FROM and WHERE.", "Leave the other clauses out.", code="aggregate"
        )
    scope = asked.bind(select)
    if set(scope.services) != set(asked.scope.services):
        raise Refusal(
            node,
            f"This subquery asks {', '.join(scope.services)}; the query around it asks {', '.join(asked.scope.services)}.",
            "Ask the two questions one after the other: their errors are not known together.",
            code="aggregate",
        )
    check_public(node, asked, [])
    _check_filter(node, asked, node.find_ancestor(exp.Select))
    trees = list(scope.conditions)
    if select.args.get("where") is not None:
        refuse_aggregates(select.args["where"].this)
        trees.append(scope.resolve(select.args["where"].this))
    own = QueryTotals(both(*(condition(tree, scope) for tree in trees)), asked.totals.found, asked.totals.places, ())
    item = select.expressions[0]
    return formula(
        item.this if isinstance(item, exp.Alias) else item,
        replace(asked, scope=scope, totals=own, keys=[], aliases={}),
    )


def check_public(node: exp.Expr, asked: Asked, kept: list[int]) -> None:
    """Groups of public columns are counted apart, and added up: that needs people who are in one of them."""
    if catalogue_of(asked.scope) is not None:
        raise Refusal(
            node,
            "This is not supported in a join with a sensitive table of things.",
            "Ask it by itself.",
            code="aggregate",
        )
    public = [key.name for n, (_, key) in enumerate(asked.keys) if isinstance(key, PublicKey) and n not in kept]
    many = [name for name in asked.scope.services if asked.scope.plan.service(name).rows is not None]
    if public and many:
        raise Refusal(
            node,
            f"A person may have rows of '{many[0]}' in several groups of the public column {public[0]}, so that their total has "
            "no error bar here.",
            f"Leave {public[0]} out of GROUP BY, or add it to PARTITION BY.",
            code="aggregate",
        )


def _check_filter(node: exp.Expr, asked: Asked, select: exp.Select | None) -> None:
    """A subquery is about all rows: groups of a public column that WHERE leaves out would be shown, with nothing in them."""
    where = None if select is None else select.args.get("where")
    public = [key.name for _, key in asked.keys if isinstance(key, PublicKey)]
    if where is not None and public and touched(asked.scope.resolve(where.this), asked.scope).public:
        raise Refusal(
            node,
            f"Beside GROUP BY {public[0]}, WHERE with a public column leaves out groups that this subquery needs.",
            "Leave the condition out of WHERE, and choose groups by HAVING.",
            code="aggregate",
        )
