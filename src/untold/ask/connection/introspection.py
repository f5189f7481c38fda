"""Questions about what is collected: SHOW TABLES, DESCRIBE, information_schema, and SELECT * that wants to see rows.

All of them read one catalogue, `con.tables`, as every door does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlglot import exp, tokenize
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from untold.ask.connection.tables import QueryableTable, Tables
from untold.ask.limits import MAX_SCHEMA_CHARACTERS
from untold.ask.sql.mistakes.tokens import odd_character
from untold.ask.sql.parameters import NO_VALUES, Values, put_in
from untold.errors import UnsupportedQuery

SHOW_TABLES = re.compile(r"SHOW\s+(ALL\s+)?TABLES", re.IGNORECASE)
SHOW_BUDGET = re.compile(r"SHOW\s+BUDGET\s*;?", re.IGNORECASE)
DESCRIBED = re.compile(r"(?:DESCRIBE|DESC|SHOW\s+COLUMNS\s+(?:FROM|IN)|SHOW|SUMMARIZE)\s+\"?(\w+)\"?", re.IGNORECASE)
EVERYTHING = re.compile(r"(?:SELECT\s+\*\s+)?FROM\s+\"?(\w+)\"?(?:\s+LIMIT\s+\d+)?", re.IGNORECASE)
SCHEMA = re.compile(r"\binformation_schema\s*\.\s*(tables|columns)\b", re.IGNORECASE)
FROM = re.compile(r"\bFROM\b|\bPIVOT\b|\bVALUES\b", re.IGNORECASE)
ABOUT = "information_schema"
NO_ROWS = (
    "There are no rows to show: values were perturbed on people's devices and never disclosed. This is what is collected; "
    "ask for aggregates, such as SELECT COUNT(*)."
)
HARMLESS = {  # parts of a SELECT that DuckDB may evaluate where no report is asked
    "Select", "From", "Join", "Table", "TableAlias", "Subquery", "Union", "Where", "Group", "Having", "Order", "Ordered", "Limit",
    "Offset", "Distinct", "Identifier", "Column", "Alias", "Star", "Literal", "Null", "Boolean", "Tuple", "Dot", "And", "Or",
    "Not", "Paren", "EQ", "NullSafeEQ", "NEQ", "GT", "GTE", "LT", "LTE", "Like", "In", "Is", "Between", "Case", "If", "Coalesce",
    "Nullif", "Cast", "DataType", "DataTypeParam", "Var", "Add", "Sub", "Mul", "Neg", "Count", "Max", "Min", "Sum", "Avg",
    "Concat", "Lower", "Upper", "Substring", "StrPosition", "Trim", "Left", "Right", "Length", "Least", "Greatest", "Abs", "Div",
    "Mod", "Round", "Floor",
}  # fmt: skip

OF_MYSQL = ("STRIP_ACCENTS", "STRLEN")  # what its comparisons and lengths are written by


class Unevaluated(UnsupportedQuery):
    """A SELECT over small tables that is not evaluated: `unknown` names a table that is not there."""

    def __init__(self, message: str, unknown: str = "", syntax: bool = False) -> None:
        super().__init__(message)
        self.unknown, self.syntax = unknown, syntax


@dataclass(frozen=True)
class Described:
    """A table about what is collected: its columns, its rows, and a note."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str


def is_show_budget(sql: str) -> bool:
    """Whether a statement is SHOW BUDGET.

    >>> is_show_budget(" show budget;"), is_show_budget("SHOW BUDGETS")
    (True, False)
    """
    return SHOW_BUDGET.fullmatch(sql.strip()) is not None


def introspected(sql: str, tables: Tables, database: str, values: Values = NO_VALUES) -> Described | None:
    """The answer to a question about the tables of a database; None if a text is none."""
    text = sql.strip().rstrip(";").strip()
    if len(text) > MAX_SCHEMA_CHARACTERS:
        return None
    if SHOW_TABLES.fullmatch(text):
        return _tables(tables)
    named = DESCRIBED.fullmatch(text) or EVERYTHING.fullmatch(text)
    table = None if named is None else tables.named(named.group(1))
    if table is not None:
        return _columns(table, NO_ROWS if EVERYTHING.fullmatch(text) else "")
    if SCHEMA.search(text):
        return _schema(sql, tables, database, values)
    return None if FROM.search(text) else _constants(text, values)


def _tables(tables: Tables) -> Described:
    rows = [(table.name, table.about, ", ".join(c.name for c in table.columns)) for table in tables.values()]
    keys = dict.fromkeys(c.name for table in tables.values() for c in table.columns if c.kind == "user key")
    return Described(("table", "rows", "columns"), tuple(rows), f"Join services on {', '.join(keys)}.")


def _columns(table: QueryableTable, note: str) -> Described:
    rows = tuple((c.name, c.type, c.kind, c.about) for c in table.columns)
    return Described(("column", "type", "kind", "values"), rows, note)


def _constants(text: str, values: Values) -> Described | None:
    """SELECT 1, and other expressions that ask nothing of any report; None if a text is none."""
    if not text.upper().startswith("SELECT"):
        return None
    from untold.ask.sql.constants import constants

    return Described(*found, "") if (found := constants(text, values)) is not None else None


def _schema(sql: str, tables: Tables, database: str, values: Values) -> Described | None:
    """SELECT ... FROM information_schema.tables or .columns."""
    try:
        tokens = put_in(tokenize(sql, read="duckdb"), values)
        tree = next(iter(Dialect.get_or_raise("duckdb").parser().parse(tokens, sql)), None)
    except SqlglotError:
        return None
    if odd_character(tokens) is not None or not isinstance(tree, exp.Select):
        return None
    if any(table.db.lower() != ABOUT for table in tree.find_all(exp.Table)):
        return None
    for node in tree.find_all(exp.Table, exp.Column):
        node.set("db", None)
        node.set("catalog", None)
    found = evaluate(tree, information_schema(tables, database))
    return Described(tuple(found.column_names), tuple(zip(*found.to_pydict().values(), strict=True)), "")


def information_schema(tables: Tables, database: str) -> dict[str, pa.Table]:
    """The two tables of it that are asked for."""
    where = {"table_catalog": database, "table_schema": "main"}
    listed = [where | {"table_name": t.name, "table_type": "BASE TABLE", "comment": t.about} for t in tables.values()]
    columns = [
        where
        | {
            "table_name": table.name,
            "column_name": column.name,
            "ordinal_position": place,
            "is_nullable": "YES",
            "data_type": column.type,
            "comment": column.about,
        }
        for table in tables.values()
        for place, column in enumerate(table.columns, 1)
    ]
    return {"tables": pa.Table.from_pylist(listed), "columns": pa.Table.from_pylist(columns)}


def evaluate(tree: exp.Expr, tables: Mapping[str, pa.Table]) -> pa.Table:
    """The rows of a SELECT over these tables and no others, by DuckDB: what is on a list of harmless parts."""
    from untold.ask.engines.small_tables import ask_small_tables

    known = {name.lower(): name for name in tables}
    for collated in tree.find_all(exp.Collate):
        collated.replace(collated.this)
    for node in tree.walk():
        if type(node).__name__ not in HARMLESS and not (isinstance(node, exp.Anonymous) and node.name in OF_MYSQL):
            name = node.name or type(node).__name__
            raise Unevaluated(f"{name.upper()} is not evaluated where no report is asked.")
        if isinstance(node, exp.Table):
            if node.name.lower() not in known or not isinstance(node.this, exp.Identifier):
                raise Unevaluated(f"There is no table '{node.name}' here.", unknown=node.sql(dialect="mysql"))
            node.set("this", exp.to_identifier(known[node.name.lower()], quoted=True))
            if not node.alias and isinstance(node.parent, exp.From | exp.Join):
                node.set("alias", exp.TableAlias(this=exp.to_identifier(known[node.name.lower()], quoted=True)))
    try:
        return ask_small_tables(tables, as_duckdb(tree, identify=True))
    except UnsupportedQuery:
        raise
    except Exception as error:  # DuckDB's own words, about a text of the analyst's; it has read no file
        raise Unevaluated(str(error).partition("\n")[0], syntax=True) from None


def as_duckdb(tree: exp.Expr, identify: bool = False) -> str:
    """A tree in DuckDB's dialect, as untold reads it, or with all names in quotes, for DuckDB itself. MySQL sorts NULL first;
    where nobody has asked, nothing is said."""
    for ordered in tree.find_all(exp.Ordered):
        ordered.set("nulls_first", False)
    return tree.sql(dialect="duckdb", identify=identify, comments=False)
