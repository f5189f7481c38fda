"""SELECT DISTINCT: what values a column can have."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.refusals import Refusal


def without_distinct(select: exp.Select, distinct: exp.Expr) -> tuple[exp.Select, bool]:
    """The same rows by GROUP BY, and whether these are values alone."""
    if distinct.args.get("on") is not None:
        raise Refusal(
            distinct,
            "DISTINCT ON keeps single rows; rows were never disclosed.",
            "Leave ON (...) out.",
            code="single-rows",
        )
    select = select.copy()
    select.set("distinct", None)
    group = select.args.get("group")
    if group is not None:
        shown = [item.unalias() for item in select.expressions]
        names = {item.alias_or_name.lower() for item in select.expressions}
        for place, key in enumerate(group.expressions, 1):
            numbered = isinstance(key, exp.Literal)
            if not (numbered or key in shown or (isinstance(key, exp.Column) and key.name.lower() in names)):
                raise Refusal(
                    distinct,
                    f"Without key {place} of GROUP BY in SELECT, DISTINCT would compare estimates, which hardly ever are the same.",
                    "Leave DISTINCT out, or show all keys.",
                    code="result",
                )
        return select, False
    if any(item.find(exp.AggFunc) is not None for item in select.expressions):
        return select, False
    star = next((item for item in select.expressions if item.is_star), None)
    if star is not None:
        raise Refusal(
            star,
            "* names rows; rows were never disclosed.",
            "Name the columns whose values you want to see.",
            code="single-rows",
        )
    select.set("group", exp.Group(expressions=[item.unalias().copy() for item in select.expressions]))
    return select, True
