"""A DuckDB that holds declared values and nothing else: no file, no network, no extension, little memory, a deadline.

There is one for each process, so that a served question is computed inside the limited process that answers it.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from untold.ask.sql.one_attribute.knots import values_of
from untold.ask.sql.one_attribute.second_wall import strangers
from untold.plan.schema import Sensitive
from untold.tables.duckdb_settings import LOCKED, WALLED, apply_settings

if TYPE_CHECKING:
    import pyarrow as pa

SECONDS = 10.0  # that one statement may take
MEGABYTES = 256
MOST_VALUES = 1 << 22  # kept in tables
SETTINGS = (
    "threads = 1",
    f"memory_limit = '{MEGABYTES}MB'",
    "python_enable_replacements = false",
    *WALLED,
    LOCKED,
)


class Stranger(Exception):
    """DuckDB reads something in a statement that is not on the list."""


class WalledDatabase:
    """Tables of declared values, each with columns code, v and, where values have other numbers, n."""

    def __init__(self) -> None:
        import duckdb

        self.lock = threading.RLock()
        self._db = duckdb.connect(":memory:")
        apply_settings(self._db, SETTINGS)
        self._tables: OrderedDict[Sensitive, str] = OrderedDict()
        self._made = 0

    def table(self, attribute: Sensitive, used: Sequence[Sensitive] = ()) -> str:
        """The table of an attribute's values, made once; `used` are kept beside it."""
        if attribute not in self._tables:
            while sum(each.size for each in self._tables) + attribute.size > MOST_VALUES:
                oldest = next((each for each in self._tables if each not in used), None)
                if oldest is None:
                    break
                self._db.execute(f"DROP TABLE {self._tables.pop(oldest)}")
            self._made += 1
            self._tables[attribute] = name = f"values_{self._made}"
            self._db.register("fresh", _values(attribute))
            self._db.execute(f"CREATE TABLE {name} AS FROM fresh ORDER BY code")
            self._db.unregister("fresh")
        self._tables.move_to_end(attribute)
        return self._tables[attribute]

    def part(self, table: str, first: int, last: int) -> None:
        """The table `part`: some of the values of another one."""
        self._db.execute(
            f"CREATE OR REPLACE TABLE part AS FROM {table} WHERE code BETWEEN {int(first)} AND {int(last)} ORDER BY code"
        )

    def keys(self, rows: pa.Table) -> str:
        """The table `keys`: group keys of the rows of a result."""
        self._db.register("fresh", rows)
        self._db.execute("CREATE OR REPLACE TABLE keys AS FROM fresh ORDER BY code")
        self._db.unregister("fresh")
        return "keys"

    def check(self, statement: str) -> None:
        """Raise Stranger if DuckDB reads more than the lists allow."""
        ((parsed,),) = self._db.execute("SELECT json_serialize_sql(?)", [statement]).fetchall()
        found = strangers(str(parsed))
        if found:
            raise Stranger(found[0])

    def run(self, statement: str) -> pa.Table:
        """The result of a statement, checked before; duckdb.Error if it fails."""
        self.check(statement)
        with self._deadline():
            return self._db.sql(statement).to_arrow_table()

    def type_of(self, statement: str) -> str:
        """The type of the last column of a statement, by DuckDB's name."""
        self.check(statement)
        return str(self._db.sql(f"{statement} LIMIT 0").types[-1])

    @contextmanager
    def _deadline(self) -> Iterator[None]:
        timer = threading.Timer(SECONDS, self._db.interrupt)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:  # no room for another thread
            raise MemoryError from error
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # a thread that outlives the interpreter would hold the connection


@cache
def _opened(process: int) -> WalledDatabase:
    return WalledDatabase()


@contextmanager
def database() -> Iterator[WalledDatabase]:
    """The one of this process, for one thread at a time."""
    opened = _opened(os.getpid())
    with opened.lock:
        yield opened


def failures() -> tuple[type[Exception], ...]:
    """What computing may raise: DuckDB's own errors, and Stranger."""
    import duckdb

    return (duckdb.Error, Stranger)


def _values(attribute: Sensitive) -> pa.Table:
    """One row for each code."""
    import pyarrow as pa

    values = values_of(attribute)
    types = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string(), "boolean": pa.bool_()}
    columns = {
        "code": pa.array(np.arange(attribute.size, dtype=np.int64)),
        "v": pa.array(values, types.get(attribute.value_type)),
    }
    if attribute.numeric and not attribute.compares_numbers:
        numbers: list[float | None] = [None] * attribute.size
        numbers[: attribute.known] = attribute.numbers.tolist()
        columns["n"] = pa.array(numbers, pa.float64())
    return pa.table(columns)
