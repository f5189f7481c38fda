"""The types of DB-API 2.0 (PEP 249): a word for each type of column, and constructors for values."""

from __future__ import annotations

import datetime

STRING, BINARY, NUMBER, DATETIME, ROWID = "STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"
Date, Time, Timestamp, Binary = datetime.date, datetime.time, datetime.datetime, bytes
DateFromTicks, TimestampFromTicks = datetime.date.fromtimestamp, datetime.datetime.fromtimestamp


def TimeFromTicks(ticks: float) -> datetime.time:
    """The time of day, so many seconds after 1970 began."""
    return datetime.datetime.fromtimestamp(ticks).time()


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
