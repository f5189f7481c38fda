"""SELECTs over services, as tools write them: previews, values for a filter, queries around a query, and questions."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from sqlglot import exp

from untold.answers import Answer
from untold.connection import Connection
from untold.connection.tables import Tables
from untold.serve.statements.evaluating import evaluate
from untold.serve.statements.introspection import named
from untold.serve.statements.reading import as_duckdb, without_database
from untold.serve.statements.replies import NOT_YET, Refused, Session, of_table, reply
from untold.serve.statements.variables import CONFIDENCE, ERRORS, value_of

SHOWN = {
    "ON": ("", "_low", "_high"),
    "1": ("", "_low", "_high"),
    "ALL": ("", "_se", "_low", "_high"),
}  # else: no errors
PREVIEW = (
    "There are no rows to see: devices send perturbed reports only. Ask for aggregates, such as COUNT(*) or AVG(...)."
)
INNER = "inner_answer"


def select(con: Connection, tree: exp.Select, tables: Tables, session: Session) -> dict[str, Any]:
    """The answer to a SELECT that speaks of services."""
    without_database(tree, con.plan.name)
    source = tree.args["from_"].this
    if isinstance(source, exp.Subquery) and not tree.args.get("joins") and isinstance(source.this, exp.Select):
        return around(con, tree, source, session)
    if isinstance(source, exp.Table):
        named(tables, source.name, con.plan.name)
        if is_preview(tree):
            return preview(tree, tables, source.name)
    if tree.args.get("distinct") and not tree.args.get("group") and not tree.find(exp.AggFunc):
        return distinct(con, tree, session)
    answer = asked(con, tree, session)
    return of_table(answer.result.table, shown_columns(answer, session), answer.notes)


def asked(con: Connection, tree: exp.Select, session: Session) -> Answer:
    """A question to the reports."""
    if tree.args.get("hint"):
        tree.set("hint", None)  # an optimiser's business
    try:
        confidence = float(value_of(CONFIDENCE, session))
    except (TypeError, ValueError):
        confidence = 0.95
    return con.sql(as_duckdb(tree), confidence=confidence)


def shown_columns(answer: Answer, session: Session) -> list[str]:
    """Keys and estimates, with the columns of errors that the connection wants."""
    suffixes = SHOWN.get(str(value_of(ERRORS, session)).upper(), ("",))
    names = []
    for column in answer.result.columns:
        names += [column.name] if column.is_key else [column.name + suffix for suffix in suffixes]
    return names


def is_preview(tree: exp.Select) -> bool:
    """Whether rows themselves are asked for: nothing but columns, no group and no aggregate."""
    plain = all(isinstance(each.unalias(), exp.Column | exp.Star) for each in tree.expressions)
    return plain and not any(tree.args.get(name) for name in ("group", "distinct", "having"))


def preview(tree: exp.Select, tables: Tables, source: str) -> dict[str, Any]:
    """No rows, but the columns that were asked for: tools learn the shape of a table by it."""
    types: dict[str, tuple[str, str]] = {}
    for table in [source, *(join.this.name for join in tree.args.get("joins") or ())]:
        types |= {c.name.lower(): (c.name, c.type) for c in named(tables, table, "").columns}
    columns: list[tuple[str, str]] = []
    for each in tree.expressions:
        if each.is_star:
            columns += types.values()
        elif each.unalias().name.lower() in types:
            columns.append((each.alias_or_name, types[each.unalias().name.lower()][1]))
        else:
            raise Refused(1054, f"Unknown column '{each.unalias().name}' in '{source}'")
    return reply(columns, [], [PREVIEW])


def distinct(con: Connection, tree: exp.Select, session: Session) -> dict[str, Any]:
    """SELECT DISTINCT: the groups of GROUP BY, without their counts. A sensitive column has all values of its plan."""
    keys = [each.unalias().copy() for each in tree.expressions]
    grouped = tree.copy()
    grouped.set("distinct", None)
    grouped.set("group", exp.Group(expressions=keys))
    grouped.append("expressions", exp.alias_(exp.Count(this=exp.Star()), "untold_rows"))
    answer = asked(con, grouped, session)
    return of_table(answer.result.table, [column.name for column in answer.result.keys], answer.notes)


def around(con: Connection, tree: exp.Select, source: exp.Subquery, session: Session) -> dict[str, Any]:
    """SELECT ... FROM (SELECT ...) AS t: the inner one is asked, the outer one picks among its rows, errors included.

    An outer aggregate is let through where every group is one row of the inner answer, so that it is that row's number and
    has that row's error beside it. Adding up several estimates here would lose their error.
    """
    if source.this.find(exp.Subquery) or not source.this.args.get("from_"):
        raise Refused(NOT_YET, "Queries within queries are answered one floor deep.")
    answer = asked(con, source.this, session)
    outer = tree.copy()
    alias = source.alias or INNER
    outer.set("from_", exp.From(this=exp.to_table(INNER, alias=alias)))
    tables = {INNER: answer.result.table.select(shown_columns(answer, session))}
    if outer.find(exp.AggFunc):
        _check_single(outer, tables)
    return of_table(evaluate(outer, tables), notes=answer.notes)


def _check_single(outer: exp.Select, tables: dict[str, pa.Table]) -> None:
    counting = outer.copy()
    counting.set("expressions", [exp.alias_(exp.Count(this=exp.Star()), "n")])
    for clause in ("order", "limit", "offset", "having", "distinct"):
        counting.set(clause, None)
    if any(n > 1 for n in evaluate(counting, tables).column("n").to_pylist()):
        raise Refused(
            NOT_YET,
            "Estimates of several rows would be put together here without their error. Ask for it in one query: "
            "SELECT ... FROM a service GROUP BY fewer columns.",
        )
