"""The tables of information_schema, from what there is to ask."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from untold.ask.connection.tables import Tables

TYPES = {"BIGINT": "bigint", "DOUBLE": "double", "BOOLEAN": "tinyint(1)", "DATE": "date", "TIMESTAMP": "datetime"}
NUMBERS = ("CHARACTER_MAXIMUM_LENGTH", "CHARACTER_OCTET_LENGTH", "NUMERIC_PRECISION", "NUMERIC_SCALE", "DATETIME_PRECISION",
           "TABLE_ROWS", "DATA_LENGTH")  # fmt: skip
ENGINE, CHARSET, COLLATION = "untold", "utf8mb4", "utf8mb4_general_ci"


def mysql_type(column_type: str) -> str:
    """A type as MySQL names it."""
    return TYPES.get(column_type, "varchar(255)")


def information_schema(tables: Tables, database: str) -> dict[str, pa.Table]:
    """The tables of information_schema, as far as tools ask for them; others of them have no rows."""
    columns = [
        {
            "TABLE_CATALOG": "def", "TABLE_SCHEMA": database, "TABLE_NAME": table.name, "COLUMN_NAME": c.name,
            "ORDINAL_POSITION": i, "COLUMN_DEFAULT": None, "IS_NULLABLE": "YES",
            "DATA_TYPE": mysql_type(c.type).partition("(")[0], "CHARACTER_MAXIMUM_LENGTH": 255 if c.type == "VARCHAR" else None,
            "CHARACTER_OCTET_LENGTH": 1020 if c.type == "VARCHAR" else None,
            "NUMERIC_PRECISION": None, "NUMERIC_SCALE": None, "DATETIME_PRECISION": None, "CHARACTER_SET_NAME": None,
            "COLLATION_NAME": None, "COLUMN_TYPE": mysql_type(c.type), "COLUMN_KEY": "", "EXTRA": "",
            "PRIVILEGES": "select", "COLUMN_COMMENT": c.about, "GENERATION_EXPRESSION": "",
        }
        for table in tables.values() for i, c in enumerate(table.columns, start=1)
    ]  # fmt: skip
    listed = [
        {
            "TABLE_CATALOG": "def", "TABLE_SCHEMA": database, "TABLE_NAME": t.name, "TABLE_TYPE": "BASE TABLE",
            "ENGINE": ENGINE, "VERSION": 10, "TABLE_ROWS": None, "DATA_LENGTH": None, "CREATE_TIME": None,
            "UPDATE_TIME": None, "TABLE_COLLATION": COLLATION, "TABLE_COMMENT": t.about,
        }
        for t in tables.values()
    ]  # fmt: skip
    schemata = [
        {"CATALOG_NAME": "def", "SCHEMA_NAME": name, "DEFAULT_CHARACTER_SET_NAME": CHARSET, "DEFAULT_COLLATION_NAME": COLLATION}
        for name in (database, "information_schema")
    ]  # fmt: skip
    none = {
        name: pa.table({c: pa.array([], pa.string()) for c in words.split()}) for name, words in WITHOUT_ROWS.items()
    }
    return {"columns": _table(columns), "tables": _table(listed), "schemata": _table(schemata), **none}


KEYS = "CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME TABLE_CATALOG TABLE_SCHEMA TABLE_NAME"
WITHOUT_ROWS = {
    "key_column_usage": f"{KEYS} COLUMN_NAME ORDINAL_POSITION POSITION_IN_UNIQUE_CONSTRAINT REFERENCED_TABLE_SCHEMA "
    "REFERENCED_TABLE_NAME REFERENCED_COLUMN_NAME",
    "table_constraints": f"{KEYS} CONSTRAINT_TYPE",
    "referential_constraints": f"{KEYS} UNIQUE_CONSTRAINT_SCHEMA UNIQUE_CONSTRAINT_NAME MATCH_OPTION UPDATE_RULE DELETE_RULE "
    "REFERENCED_TABLE_NAME",
    "statistics": "TABLE_CATALOG TABLE_SCHEMA TABLE_NAME NON_UNIQUE INDEX_SCHEMA INDEX_NAME SEQ_IN_INDEX COLUMN_NAME COLLATION "
    "CARDINALITY INDEX_TYPE",
    "views": "TABLE_CATALOG TABLE_SCHEMA TABLE_NAME VIEW_DEFINITION",
    "routines": "ROUTINE_CATALOG ROUTINE_SCHEMA ROUTINE_NAME ROUTINE_TYPE SPECIFIC_NAME ROUTINE_COMMENT",
    "parameters": "SPECIFIC_CATALOG SPECIFIC_SCHEMA SPECIFIC_NAME ORDINAL_POSITION PARAMETER_NAME DATA_TYPE",
    "triggers": "TRIGGER_CATALOG TRIGGER_SCHEMA TRIGGER_NAME EVENT_OBJECT_TABLE",
    "events": "EVENT_CATALOG EVENT_SCHEMA EVENT_NAME",
    "partitions": "TABLE_SCHEMA TABLE_NAME PARTITION_NAME",
    "check_constraints": "CONSTRAINT_SCHEMA CONSTRAINT_NAME CHECK_CLAUSE",
}


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    numbers = {name: pa.array([row[name] for row in rows], pa.int64()) for name in NUMBERS if name in rows[0]}
    table = pa.Table.from_pylist(rows)
    for name, values in numbers.items():
        table = table.set_column(table.schema.names.index(name), name, values)
    empty = [i for i, f in enumerate(table.schema) if pa.types.is_null(f.type)]  # DuckDB would take them for integers
    for i in empty:
        table = table.set_column(i, table.schema.names[i], pa.array([None] * table.num_rows, pa.string()))
    return table
