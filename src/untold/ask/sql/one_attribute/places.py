"""Comparisons of an attribute whose values are names with an order: by their places, not by the alphabet."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.names import Scope, bare
from untold.ask.sql.one_attribute.sense import COMPARISONS, attribute_of, refuse_never
from untold.ask.sql.refusals import SPAN
from untold.plan.schema import Sensitive

ORDERED = tuple(COMPARISONS)


def by_place(tree: exp.Expr, scope: Scope) -> exp.Expr:
    """The tree with such comparisons rewritten: month < 'March' becomes CASE month WHEN 'January' THEN 0 ... END < 2."""
    if not any(_named(column, scope) for column in tree.find_all(exp.Column)):
        return tree
    copy = tree.copy()
    for node in list(copy.walk()):
        if isinstance(node, ORDERED):
            _rewrite(node, "this", ("expression",), scope)
            _rewrite(node, "expression", ("this",), scope)
        elif isinstance(node, exp.Between):
            _rewrite(node, "this", ("low", "high"), scope)
    return copy


def _named(tree: exp.Expr, scope: Scope) -> Sensitive | None:
    attribute = attribute_of(tree, scope)
    return attribute if attribute is not None and attribute.ordered and attribute.value_type == "text" else None


def _rewrite(node: exp.Expr, side: str, others: tuple[str, ...], scope: Scope) -> None:
    """Both sides of a comparison as places, if one is such an attribute and the others are literals."""
    attribute = _named(node.args[side], scope)
    literals = [bare(node.args[other]) for other in others]
    if attribute is None or not all(isinstance(each, exp.Literal) for each in literals):
        return
    for other, literal in zip(others, literals, strict=True):
        place = attribute.place(literal.name if literal.is_string else float(literal.name))
        if place is None:
            raise refuse_never(attribute, literal, literal.name)
        node.set(other, exp.Literal.number(place))
    column = node.args[side]
    whens = [
        exp.If(this=exp.Literal.string(str(attribute.value(code))), true=exp.Literal.number(code))
        for code in range(attribute.known)
    ]
    ranks = exp.Case(this=column.copy(), ifs=whens)
    ranks.meta[SPAN] = column.meta.get(SPAN)
    node.set(side, ranks)
