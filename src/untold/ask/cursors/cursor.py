"""Cursors and connections of DB-API 2.0 (PEP 249) over anything that has `.sql(text) -> Answer`.

Reports are only read here: there are no transactions, and commit and rollback have nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

from untold.answers.answer import Answer, Row
from untold.answers.possible_table import possible_table
from untold.ask.cursors import errors as pep249
from untold.ask.cursors.errors import Error, InterfaceError, NotSupportedError, ProgrammingError, Warning, as_dbapi
from untold.ask.cursors.types import type_code
from untold.errors import UntoldError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Given = Sequence[Any] | Mapping[str, Any] | None  # values for the places of a query

CLOSED = "This connection is closed.\nHint: open a new one with untold.connect(...)."


class Askable(Protocol):
    """What a cursor needs."""

    errors: bool
    plausible: bool

    def sql(self, sql: str, /, *, parameters: Given = None, **how: bool) -> Answer: ...


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
        self._names: list[str] = []
        self._rows: list[Row] = []
        self._next = 0
        self._closed = False

    def execute(self, operation: str, parameters: Given = None) -> Self:
        """Run a query to its end. Parameters stand as `?` or `$1` (a sequence) or `$name` (a mapping) in its text."""
        self._check_open()
        self._answer, self._rows, self._next, self.messages = None, [], 0, []
        try:
            how = {"plausible": True} if self.connection.plausible else {}
            answer = self.connection.sql(operation, parameters=parameters, **how)
            errors = self.connection.errors
            self._names = shown_columns(answer, errors)
            table, notes = (answer.result.table, []) if errors else possible_table(answer.result)
            self._rows = list(zip(*(table.column(name).to_pylist() for name in self._names), strict=True))
        except Error:
            raise
        except UntoldError as error:
            raise as_dbapi(error) from error
        self._answer = answer
        self.messages = [(Warning, note) for note in (*answer.notes, *notes)]
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Any]) -> NoReturn:
        """Not supported: it is for statements that change a table."""
        raise NotSupportedError(
            "executemany() is for INSERT and its like; reports are only read.\nHint: use execute()."
        )

    @property
    def answer(self) -> Answer:
        """The whole answer, with .show(), .df(), .plot() and the notes."""
        return self._check_answered()

    @property
    def description(self) -> list[tuple[str, str, None, None, None, None, bool]] | None:
        """(name, type code, ...) of each column; None before a query."""
        if self._answer is None:
            return None
        schema = self._answer.result.table.schema
        return [(name, type_code(str(schema.field(name).type)), None, None, None, None, True) for name in self._names]

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

    def df(self) -> pd.DataFrame:
        """The whole answer as a pandas data frame, as DuckDB's `con.execute(sql).df()` has it."""
        return self.answer.df()

    def pl(self) -> pl.DataFrame:
        """As a polars data frame."""
        return self.answer.pl()

    def arrow(self) -> pa.Table:
        """As an Arrow table."""
        return self.answer.arrow()

    fetchdf = fetch_df = df
    fetch_arrow_table = to_arrow_table = arrow

    def show(self) -> None:
        """Print the answer with its notes."""
        self.answer.show()

    def __repr__(self) -> str:
        return repr(self._answer) if self._answer is not None else f"<{type(self).__name__} without an answer>"

    def _repr_html_(self) -> str | None:
        return None if self._answer is None else self._answer._repr_html_()

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
    """What PEP 249 asks of a connection, for a class with `.sql(text) -> Answer`. Its own `close` calls this one.

    errors      whether rows of cursors have x_se, x_low and x_high beside every estimated x; where they have not, x is the
                possible number that is nearest to the estimate
    plausible   whether they have x_best and x_typical, a best guess and its typical error
    """

    Warning, Error, InterfaceError, DatabaseError = (
        pep249.Warning,
        pep249.Error,
        pep249.InterfaceError,
        pep249.DatabaseError,
    )
    DataError, OperationalError, IntegrityError = pep249.DataError, pep249.OperationalError, pep249.IntegrityError
    InternalError, ProgrammingError = pep249.InternalError, pep249.ProgrammingError
    NotSupportedError = pep249.NotSupportedError

    closed = False
    errors = True
    plausible = False

    def cursor(self: Closable) -> Cursor:
        """A new cursor."""
        if self.closed:
            raise InterfaceError(CLOSED)
        return Cursor(self)

    def execute(self: Closable, operation: str, parameters: Given = None) -> Cursor:
        """A new cursor that has run a query, as SQLite and DuckDB have it."""
        return DBAPIConnection.cursor(self).execute(operation, parameters)

    def commit(self) -> None:
        """Nothing to do: queries change nothing."""
        self._check_usable()

    def rollback(self) -> None:
        """Nothing to do: queries change nothing."""
        self._check_usable()

    def _check_usable(self) -> None:
        if self.closed:
            raise InterfaceError(CLOSED)

    def close(self) -> None:
        """No more cursors after this."""
        self.closed = True


def shown_columns(answer: Answer, errors: bool) -> list[str]:
    """Names of an answer's columns, with or without those of the errors."""
    return answer.columns if errors else [column.name for column in answer.result.columns]
