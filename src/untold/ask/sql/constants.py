"""SELECT without FROM: SELECT 1, a CAST, arithmetic, CURRENT_DATE. Tools ask so whether anybody is there."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from untold.ask.question.model import KeyFunction
from untold.ask.sql.one_attribute.first_wall import check_nodes
from untold.ask.sql.one_attribute.of_keys import values_of_rows
from untold.ask.sql.parameters import Values
from untold.ask.sql.parse import DIALECT, parse
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.results.output_names import OutputNames

ASKS = (exp.AggFunc, exp.Window, exp.Query, exp.Column, exp.Star)


def constants(text: str, values: Values) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]] | None:
    """Names and the one row; None if a text asks for something else. What cannot be computed is refused."""
    try:
        select = parse(text, values)
        clauses = {name for name, value in select.args.items() if value and name not in ("expressions", "kind")}
        if clauses or any(item.find(*ASKS) is not None for item in select.expressions):
            return None
        names, taken = [], OutputNames()
        row = []
        for item in select.expressions:
            tree = item.unalias()
            check_nodes(tree)
            names.append(taken.name(item))
            function = KeyFunction(f"({tree.sql(DIALECT, comments=False, identify=True)})", (), tree)
            row.append(values_of_rows(function, (), 1)[0].as_py())
    except Refusal as refusal:
        raise refusal.said_of(text) from None
    return tuple(names), (tuple(row),)
