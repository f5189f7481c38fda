"""DB-API 2.0 (PEP 249) over anything that has `.sql(text) -> Answer`, so that pandas.read_sql and its like work.

    con = untold.connect("reports/")
    pandas.read_sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state", con)

Reports are only read here: there are no transactions, and commit and rollback have nothing to do.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Protocol, Self

from untold.answers.answer import Answer, Row
from untold.answers.dbapi_errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
    as_dbapi,
)
from untold.errors import UntoldError

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Cursor",
    "DBAPIConnection",
    "DataError",
    "DatabaseError",
    "Date",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "Timestamp",
    "Warning",
    "apilevel",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
threadsafety = 1  # threads may share the module, not connections
paramstyle = "qmark"  # PEP 249 wants one named; parameters are refused

STRING, BINARY, NUMBER, DATETIME, ROWID = "STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"
Date, Time, Timestamp, Binary = datetime.date, datetime.time, datetime.datetime, bytes


class Askable(Protocol):
    """What a cursor needs."""

    def sql(self, sql: str, /) -> Answer: ...


class Closable(Askable, Protocol):
    """What a connection needs to hand out cursors."""

    closed: bool


class Cursor:
    """Runs one query at a time and hands out its rows."""

    arraysize = 1

    def __init__(self, connection: Askable) -> None:
        self.connection = connection
        self.messages: list[tuple[type[Exception], str]] = []
        self._answer: Answer | None = None
        self._rows: list[Row] = []
        self._next = 0
        self._closed = False

    def execute(self, operation: str, parameters: Sequence[Any] | dict[str, Any] | None = None) -> Self:
        """Run a query to its end."""
        self._check_open()
        if parameters:
            raise NotSupportedError(
                f"{len(parameters)} parameters were given; untold's SQL takes none.\n"
                "Hint: write the values into the SQL text; text goes in single quotes, with quotes inside it doubled."
            )
        self._answer, self._rows, self._next, self.messages = None, [], 0, []
        try:
            answer = self.connection.sql(operation)
            self._rows = answer.fetchall()
        except Error:
            raise
        except UntoldError as error:
            raise as_dbapi(error) from error
        self._answer = answer
        self.messages = [(Warning, note) for note in answer.notes]
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Any]) -> NoReturn:
        """Not supported: there are no parameters."""
        raise NotSupportedError("executemany() needs parameters, and untold's SQL takes none.\nHint: use execute().")

    @property
    def answer(self) -> Answer:
        """The whole answer, with .show(), .df(), .plot() and the notes."""
        return self._check_answered()

    @property
    def description(self) -> list[tuple[str, str, None, None, None, None, bool]] | None:
        """(name, type code, ...) of each column; None before a query."""
        if self._answer is None:
            return None
        table = self._answer.result.table
        return [(field.name, type_code(str(field.type)), None, None, None, None, True) for field in table.schema]

    @property
    def rowcount(self) -> int:
        """Rows of the answer; -1 before a query."""
        return -1 if self._answer is None else len(self._rows)

    def fetchone(self) -> Row | None:
        """The next row, or None."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next `size` rows (`arraysize` if not given)."""
        self._check_answered()
        start = self._next
        self._next = min(len(self._rows), start + max(0, self.arraysize if size is None else size))
        return self._rows[start : self._next]

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return self.fetchmany(len(self._rows))

    def __iter__(self) -> Iterator[Row]:
        while (row := self.fetchone()) is not None:
            yield row

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Nothing to do."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Give the rows back; the cursor cannot be used any more."""
        self._answer, self._rows, self._closed = None, [], True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_answered(self) -> Answer:
        self._check_open()
        if self._answer is None:
            raise ProgrammingError("There is no answer yet.\nHint: call execute(sql) first.")
        return self._answer

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("This cursor is closed.\nHint: take a new one with connection.cursor().")


class DBAPIConnection:
    """What PEP 249 asks of a connection, for a class with `.sql(text) -> Answer`. Its own `close` calls this one."""

    closed = False

    def cursor(self: Closable) -> Cursor:
        """A new cursor."""
        if self.closed:
            raise InterfaceError("This connection is closed.\nHint: open a new one with untold.connect(...).")
        return Cursor(self)

    def commit(self) -> None:
        """Nothing to do: queries change nothing."""

    def rollback(self) -> None:
        """Nothing to do: queries change nothing."""

    def close(self) -> None:
        """No more cursors after this."""
        self.closed = True


def type_code(arrow_type: str) -> str:
    """The PEP 249 type of an Arrow type.

    >>> type_code("double"), type_code("dictionary<values=string, indices=int32, ordered=0>"), type_code("date32[day]")
    ('NUMBER', 'STRING', 'DATETIME')
    """
    if arrow_type.startswith(("int", "uint", "float", "double", "halffloat", "decimal", "bool")):
        return NUMBER
    if arrow_type.startswith(("date", "time")):
        return DATETIME
    return BINARY if "binary" in arrow_type else STRING
