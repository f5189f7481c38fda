"""SHOW and DESCRIBE, from what there is to ask."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
from sqlglot import exp

from untold.ask.connection.tables import QueryableTable, Tables
from untold.serve.statements.evaluating import evaluate
from untold.serve.statements.information_schema import CHARSET, COLLATION, ENGINE, mysql_type
from untold.serve.statements.replies import NO_TABLE, NOT_YET, Refused, Session, of_table, reply
from untold.serve.statements.variables import DEFAULTS, value_of

BRIEF = ("Field", "Type", "Null", "Key", "Default", "Extra")
FULL = ("Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment")
EMPTY = {
    "STATUS": ("Variable_name", "Value"),
    "ERRORS": ("Level", "Code", "Message"),
    "INDEX": (
        "Table",
        "Non_unique",
        "Key_name",
        "Seq_in_index",
        "Column_name",
        "Collation",
        "Cardinality",
        "Index_type",
    ),
    "PROCESSLIST": ("Id", "User", "Host", "db", "Command", "Time", "State", "Info"),
    "PLUGINS": ("Name", "Status", "Type", "Library", "License"),
    "TRIGGERS": ("Trigger", "Event", "Table", "Statement"),
    "EVENTS": ("Db", "Name"),
    "FUNCTION STATUS": ("Db", "Name", "Type"),
    "PROCEDURE STATUS": ("Db", "Name", "Type"),
}


def show(tree: exp.Show, tables: Tables, database: str, session: Session) -> dict[str, Any]:
    """The rows of a SHOW statement."""
    kind, full = tree.name.upper(), bool(tree.args.get("full"))
    if kind in EMPTY or kind == "KEYS":
        notes = session.notes if kind == "ERRORS" else ()
        return reply([(name, "VARCHAR") for name in EMPTY.get(kind, EMPTY["INDEX"])], [], notes)
    if kind == "WARNINGS":  # which stay those of the statement before
        head = [("Level", "VARCHAR"), ("Code", "BIGINT"), ("Message", "VARCHAR")]
        return reply(head, [("Note", 1105, note) for note in session.notes], session.notes)
    if kind == "CREATE TABLE":
        table = named(tables, tree.text("target"), database)
        return reply([("Table", "VARCHAR"), ("Create Table", "VARCHAR")], [(table.name, create_table(table))])
    columns, rows = _listed(kind, full, tree, tables, database, session)
    like = tree.text("like")
    if like:
        rows = [row for row in rows if like_pattern(like).fullmatch(str(row[0]))]
    made = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)})
    where = tree.args.get("where")
    if where is None:
        return of_table(made)
    return of_table(evaluate(exp.select("*").from_("shown").where(where.this), {"shown": made}))


def _listed(
    kind: str, full: bool, tree: exp.Show, tables: Tables, database: str, session: Session
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    if kind in ("DATABASES", "SCHEMAS"):
        return ("Database",), [(database,), ("information_schema",)]
    if kind == "TABLES":
        head = (f"Tables_in_{database}", *(("Table_type",) if full else ()))
        ours = not tree.text("db") or tree.text("db").lower() == database.lower()
        return head, [(name, *(("BASE TABLE",) if full else ())) for name in tables] if ours else []
    if kind == "TABLE STATUS":
        return ("Name", "Engine", "Comment"), [(t.name, ENGINE, t.about) for t in tables.values()]
    if kind in ("COLUMNS", "FIELDS"):
        return described(named(tables, tree.text("target"), database), full)
    if kind == "VARIABLES":
        names = sorted({*DEFAULTS, *session.variables})
        return ("Variable_name", "Value"), [
            (n, None if value_of(n, session) is None else str(value_of(n, session))) for n in names
        ]
    if kind == "COLLATION":
        return ("Collation", "Charset", "Id", "Default", "Compiled", "Sortlen"), [
            (COLLATION, CHARSET, "45", "Yes", "Yes", "1")
        ]
    if kind in ("CHARACTER SET", "CHARSET"):
        return ("Charset", "Description", "Default collation", "Maxlen"), [(CHARSET, "UTF-8 Unicode", COLLATION, "4")]
    if kind == "ENGINES":
        return ("Engine", "Support", "Comment"), [(ENGINE, "DEFAULT", "Estimates from perturbed reports")]
    if kind in ("GRANTS", "PRIVILEGES"):
        return (f"Grants for {session.user}@%",), [(f"GRANT SELECT ON `{database}`.* TO `{session.user}`@`%`",)]
    raise Refused(NOT_YET, f"SHOW {kind} is not answered here; SHOW TABLES, COLUMNS, CREATE TABLE and VARIABLES are.")


def described(table: QueryableTable, full: bool = False) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Columns as DESCRIBE and SHOW [FULL] COLUMNS list them."""
    if full:
        return FULL, [(c.name, mysql_type(c.type), None, "YES", "", None, "", "select", c.about) for c in table.columns]
    return BRIEF, [(c.name, mysql_type(c.type), "YES", "", None, "") for c in table.columns]


def named(tables: Tables, name: str, database: str) -> QueryableTable:
    """A table by its name, in any spelling of upper and lower case."""
    found = tables.named(name)
    if found is None:
        raise Refused(NO_TABLE, f"Table '{database}.{name}' doesn't exist")
    return found


def create_table(table: QueryableTable) -> str:
    """The statement that would make a table with these columns."""
    lines = [f"  `{c.name}` {mysql_type(c.type)} DEFAULT NULL COMMENT {_text(c.about)}" for c in table.columns]
    return (
        f"CREATE TABLE `{table.name}` (\n"
        + ",\n".join(lines)
        + f"\n) ENGINE={ENGINE} DEFAULT CHARSET={CHARSET} COMMENT={_text(table.about)}"
    )


def _text(words: str) -> str:
    return "'" + words.replace("\\", "\\\\").replace("'", "''").replace("\n", " ") + "'"


def like_pattern(like: str) -> re.Pattern[str]:
    """LIKE as a pattern: % is anything, _ any one character."""
    return re.compile("".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in like), re.IGNORECASE | re.DOTALL)
