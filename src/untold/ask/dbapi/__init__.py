"""DB-API 2.0 (PEP 249), so that pandas.read_sql, SQLAlchemy and their like can ask.

    import untold.dbapi

    with untold.dbapi.connect("reports/") as con:
        cursor = con.cursor()
        cursor.execute("SELECT COUNT(*) AS n FROM users WHERE state = ? AND age >= ?", ["NY", 30])
        cursor.fetchall()          # (n, n_se, n_low, n_high)
        cursor.answer.show()

`untold.connect` gives the same connections. SQLAlchemy: `create_engine("untold:///reports")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from untold.ask.cursors.cursor import Cursor, DBAPIConnection
from untold.ask.cursors.errors import (
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
from untold.ask.cursors.types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)
from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.ask.connection import Connection

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
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
threadsafety = 1  # threads may share the module, not connections
paramstyle = "qmark"  # and `$name` where a mapping is given


def connect(folder: str, errors: bool = True, plausible: bool = False, **options: Any) -> Connection:
    """Open a folder of reports. Options are those of `untold.connect`; errors=False leaves out x_se, x_low and x_high;
    plausible=True adds x_best and x_typical, a best guess and its typical error."""
    from untold.ask.connection import connect as opened  # a connection hands out these cursors

    try:
        con = opened(folder, **options)
    except UntoldError as error:
        raise as_dbapi(error) from error
    con.errors, con.plausible = errors, plausible
    return con
