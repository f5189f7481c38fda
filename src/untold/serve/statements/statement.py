"""One statement of a BI tool, and its answer."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from untold.ask.connection import Connection
from untold.ask.connection.introspection import as_duckdb, is_show_budget
from untold.serve.statements.evaluating import evaluate
from untold.serve.statements.information_schema import information_schema
from untold.serve.statements.introspection import described, named, show
from untold.serve.statements.reading import read, without_database
from untold.serve.statements.replies import BAD_DATABASE, NOT_YET, Refused, Session, nothing, of_table, reply
from untold.serve.statements.selects import select
from untold.serve.statements.variables import filled_in, settings

ABOUT = "information_schema"
DONE = (exp.Transaction, exp.Commit, exp.Rollback)  # reports are only read: nothing to begin or to end


def statement(con: Connection, sql: str, session: Session) -> dict[str, Any]:
    """Rows, or what changes in the session; `Refused` or an error of untold's where there is no answer."""
    if is_show_budget(sql):
        return of_table(con.sql(sql).result.table)
    tree = read(sql)
    if tree is None or isinstance(tree, DONE):
        return nothing()
    if isinstance(tree, exp.Set):
        return nothing(set=settings(tree))
    if isinstance(tree, exp.Use):
        return nothing(use=known_database(tree.this.name, con.plan.name))
    tables = con.tables
    if isinstance(tree, exp.Show):
        return show(tree, tables, con.plan.name, session)
    if isinstance(tree, exp.Describe):
        if isinstance(tree.this, exp.Query):
            return reply([("explained", "VARCHAR")], [[line] for line in explained(con, tree.this)])
        columns, rows = described(named(tables, tree.this.name, con.plan.name))
        return reply([(name, "VARCHAR") for name in columns], rows)
    while isinstance(tree, exp.Subquery) and not tree.alias:
        tree = tree.this
    if not isinstance(tree, exp.Select | exp.Union):
        word = sql.split(maxsplit=1)[0].upper()[:20]
        raise Refused(NOT_YET, f"{word} is not answered: reports can only be asked, by SELECT.")
    tree = filled_in(tree, session)
    assert isinstance(tree, exp.Query)
    sources = list(tree.find_all(exp.Table))
    if not sources:
        return of_table(evaluate(tree, {}))
    if all(table.text("db").lower() == ABOUT for table in sources) or (
        session.database.lower() == ABOUT and not any(table.text("db") for table in sources)
    ):
        return of_table(evaluate(without_database(tree, ABOUT), information_schema(tables, con.plan.name)))
    return select(con, tree, tables, session)


def known_database(name: str, database: str) -> str:
    """There are two: the plan's and information_schema."""
    found = next((each for each in (database, ABOUT) if each.lower() == name.lower()), None)
    if found is None:
        raise Refused(BAD_DATABASE, f"Unknown database '{name}'; there is '{database}'.")
    return found


def explained(con: Connection, tree: exp.Query) -> list[str]:
    """EXPLAIN SELECT ..., line by line."""
    return con.explain(as_duckdb(without_database(tree, con.plan.name))).splitlines()
