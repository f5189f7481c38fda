"""What a statement is answered by: rows with typed columns, settings that change, or an error that MySQL has a number for."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import Any

import pyarrow as pa

MOST_ROWS = 100_000
TYPES = (("int", "BIGINT"), ("uint", "BIGINT"), ("float", "DOUBLE"), ("double", "DOUBLE"), ("decimal", "DOUBLE"),
         ("bool", "BOOLEAN"), ("date", "DATE"), ("timestamp", "TIMESTAMP"))  # fmt: skip
BAD_DATABASE, NO_TABLE, SYNTAX, NOT_YET, TOO_LARGE = 1049, 1146, 1064, 1235, 1104


class Refused(Exception):
    """A statement that is not answered, with MySQL's number for the reason."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Session:
    """What a connection has set: the database, variables, and the notes of the answer before."""

    database: str = ""
    user: str = ""
    number: int = 0
    variables: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


def reply(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Names and SQL types of columns, and rows."""
    return {
        "columns": [list(c) for c in columns],
        "rows": [[plain(v) for v in row] for row in rows],
        "notes": list(notes),
    }


def nothing(**changes: Any) -> dict[str, Any]:
    """A statement that is done and has no rows: `use` names a database, `set` has variables."""
    return {"columns": [], "rows": [], "notes": [], **changes}


def of_table(table: pa.Table, names: Sequence[str] | None = None, notes: Sequence[str] = ()) -> dict[str, Any]:
    """An Arrow table, or some of its columns."""
    names = table.column_names if names is None else names
    if table.num_rows > MOST_ROWS:
        raise Refused(TOO_LARGE, f"The answer has {table.num_rows:,} rows; at most {MOST_ROWS:,} are sent. Use LIMIT.")
    columns = [(name, sql_type(str(table.schema.field(name).type))) for name in names]
    return reply(columns, zip(*(table.column(name).to_pylist() for name in names), strict=True), notes)


def sql_type(arrow_type: str) -> str:
    """The SQL type of an Arrow type."""
    return next((sql for start, sql in TYPES if arrow_type.startswith(start)), "VARCHAR")


def plain(value: Any) -> Any:
    """A value as JSON holds it; what has no finite number is NULL."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | bool) else str(value)
