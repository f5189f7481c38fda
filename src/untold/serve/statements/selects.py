"""SELECTs over services, as tools write them: previews, values for a filter, queries around a query, and questions."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from sqlglot import exp

from untold.answers.answer import Answer
from untold.answers.possible_table import possible_table
from untold.answers.result import BEST
from untold.ask.connection import Connection
from untold.ask.connection.introspection import as_duckdb
from untold.ask.connection.tables import Tables
from untold.errors import UnsupportedQuery
from untold.serve.statements.evaluating import evaluate
from untold.serve.statements.introspection import named
from untold.serve.statements.meaning import as_meant
from untold.serve.statements.reading import without_database
from untold.serve.statements.replies import Refused, Session, of_table, reply
from untold.serve.statements.variables import BEST_GUESS, CONFIDENCE, ERRORS, SIMULTANEOUS, value_of

SHOWN = {
    "ON": ("", "_low", "_high"),
    "1": ("", "_low", "_high"),
    "ALL": ("", "_se", "_low", "_high"),
}  # else: no errors
TOGETHER = {"ON": True, "1": True, "OFF": False, "0": False}  # else: where estimates choose rows
PREVIEW = (
    "There are no rows to see: devices send perturbed reports only. Ask for aggregates, such as COUNT(*) or AVG(...)."
)
DECLARED = "These are the ends of what is declared, whether anybody has such a value or not."
INNER = "inner_answer"


def select(con: Connection, tree: exp.Query, tables: Tables, session: Session) -> dict[str, Any]:
    """The answer to a query that speaks of services: what `con.sql` says of it, but for what only tools ask."""
    without_database(tree, con.plan.name)
    tree = meant(con, tree)
    if isinstance(tree, exp.Select) and (told := told_to_tools(con, tree, tables, session)) is not None:
        return told
    try:
        answer = asked(con, tree, session)
    except UnsupportedQuery as refusal:
        if (picked := around(con, tree, session)) is None:
            raise refusal from None
        return picked
    table, notes = possible_table(answer.result)
    return of_table(table, shown_columns(answer, session), [*answer.notes, *notes])


def meant(con: Connection, tree: exp.Query) -> exp.Query:
    """A query by MySQL's rules; names of columns are those of all tables, as tools write them without ambiguity."""
    types = {name.lower(): kind for columns in con.schema.values() for name, kind in columns.items()}
    found = as_meant(tree, types)
    assert isinstance(found, exp.Query)
    return found


def told_to_tools(con: Connection, tree: exp.Select, tables: Tables, session: Session) -> dict[str, Any] | None:
    """A preview of rows, or SELECT DISTINCT; None for a question."""
    source = tree.args["from_"].this if tree.args.get("from_") else None
    defined = {cte.alias.lower() for cte in tree.ctes}
    if isinstance(source, exp.Table) and source.name.lower() not in defined:
        named(tables, source.name, con.plan.name)
        if is_preview(tree):
            return preview(tree, tables, source.name)
    if (ends := declared_ends(con, tree)) is not None:
        return ends
    if tree.args.get("distinct") and not tree.args.get("group") and not tree.find(exp.AggFunc):
        return distinct(con, tree, session)
    return None


def declared_ends(con: Connection, tree: exp.Select) -> dict[str, Any] | None:
    """MIN and MAX of columns, by which tools set up a filter: the first and the last value that is declared. None where other
    things are asked, or of a public column."""
    items = [item.unalias() for item in tree.expressions]
    plain = all(isinstance(item, exp.Min | exp.Max) and isinstance(item.this, exp.Column) for item in items)
    others = [
        name for name, value in tree.args.items() if value and name not in ("expressions", "from_", "limit", "kind")
    ]
    source = tree.args["from_"].this if tree.args.get("from_") else None
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Select) and is_preview(source.this):
        inner = source.this
        bare = not any(value for name, value in inner.args.items() if name not in ("expressions", "from_", "kind"))
        source = inner.args["from_"].this if bare and inner.args.get("from_") else None
    if not items or not plain or others or not isinstance(source, exp.Table):
        return None
    service = next((name for name in con.plan.services if name.lower() == source.name.lower()), None)
    attributes = {} if service is None else {a.name.lower(): a for a in con.plan.service(service).sensitive}
    row = []
    for item in items:
        attribute = attributes.get(item.this.name.lower())
        if attribute is None:
            return None
        values = sorted(v for code in range(attribute.known) if (v := attribute.value(code)) is not None)
        row.append(values[0] if isinstance(item, exp.Min) else values[-1])
    names = [item.alias or item.sql(dialect="mysql") for item in tree.expressions]
    table = pa.table({name: [value] for name, value in zip(names, row, strict=True)})
    return of_table(table, notes=[DECLARED])


def asked(con: Connection, tree: exp.Query, session: Session, chosen: bool = False) -> Answer:
    """A question to the reports; `chosen` says that some of its rows will be picked."""
    if tree.args.get("hint"):
        tree.set("hint", None)  # an optimiser's business
    try:
        confidence = float(value_of(CONFIDENCE, session))
    except (TypeError, ValueError):
        confidence = 0.95
    plausible = str(value_of(BEST_GUESS, session)).upper() in ("ON", "1")
    together = TOGETHER.get(str(value_of(SIMULTANEOUS, session)).upper(), True if chosen else None)
    return con.sql(as_duckdb(tree), confidence=confidence, plausible=plausible, simultaneous=together)


def shown_columns(answer: Answer, session: Session) -> list[str]:
    """Keys and estimates, with the columns of errors that the connection wants."""
    suffixes = SHOWN.get(str(value_of(ERRORS, session)).upper(), ("",))
    names = []
    for column in answer.result.columns:
        shown = (*suffixes, *BEST) if column.has_best else suffixes
        names += [column.name] if column.is_key else [column.name + suffix for suffix in shown]
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


def around(con: Connection, tree: exp.Query, session: Session) -> dict[str, Any] | None:
    """SELECT ... FROM (SELECT ...) AS t, where the outer one only picks among rows of the inner answer, errors included, which
    `con.sql` does not know by name. None where it does more.

    An outer aggregate is let through where every group is one row of the inner answer, so that it is that row's number and
    has that row's error beside it. Adding up several estimates here would lose their error.
    """
    source = tree.args["from_"].this if isinstance(tree, exp.Select) and tree.args.get("from_") else None
    if not isinstance(source, exp.Subquery) or not isinstance(source.this, exp.Query) or tree.args.get("joins"):
        return None
    try:
        answer = asked(con, source.this, session)
        if picks(tree, answer):
            answer = asked(con, source.this, session, chosen=True)
        outer = tree.copy()
        outer.set("from_", exp.From(this=exp.to_table(INNER, alias=source.alias or INNER)))
        table, notes = possible_table(answer.result)
        tables = {INNER: table.select(shown_columns(answer, session))}
        if outer.find(exp.AggFunc) and not _picks_single_rows(outer, tables):
            return None
        return of_table(evaluate(outer, tables), notes=[*answer.notes, *notes])
    except (UnsupportedQuery, Refused):
        return None


def picks(outer: exp.Query, answer: Answer) -> bool:
    """Whether an outer query lets estimates decide which rows of an answer are shown."""
    keys = {column.name.lower() for column in answer.result.keys}
    noisy = {name.lower() for name in answer.columns} - keys
    noisy |= {item.alias.lower() for item in outer.expressions if _names(item) & noisy and item.alias}
    if any(_names(outer.args.get(clause)) & noisy for clause in ("where", "having", "qualify")):
        return True
    limit, order = outer.args.get("limit"), outer.args.get("order")
    whole = limit is None or (limit.expression.is_int and int(limit.expression.name) >= len(answer))
    numbered = order is not None and any(item.this.is_int for item in order.expressions)
    return (not whole or outer.args.get("offset") is not None) and (numbered or bool(_names(order) & noisy))


def _names(tree: exp.Expr | None) -> set[str]:
    """Of the columns in a clause."""
    return set() if tree is None else {column.name.lower() for column in tree.find_all(exp.Column)}


def _picks_single_rows(outer: exp.Expr, tables: dict[str, pa.Table]) -> bool:
    counting = outer.copy()
    counting.set("expressions", [exp.alias_(exp.Count(this=exp.Star()), "n")])
    for clause in ("order", "limit", "offset", "having", "distinct"):
        counting.set(clause, None)
    return all(n <= 1 for n in evaluate(counting, tables).column("n").to_pylist())
