"""Explains in plain words why DuckDB could not compute a public expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from untold.collect.spark.expression_faults import BAD_CAST, CANCELLED, DIVISION_BY_ZERO, MIXED_TYPES, OVERFLOW
from untold.errors import StoreError, UnsupportedQuery, UntoldError

KNOWN = (  # what DuckDB calls it, and what it means here
    ("Division by zero", DIVISION_BY_ZERO),
    ("Overflow|out of range|Out of Range", OVERFLOW),
    ("Conversion Error|Could not convert", BAD_CAST),
    ("Binder Error", MIXED_TYPES),
)


@contextmanager
def told() -> Iterator[None]:
    """What DuckDB refuses in the body comes out as an UnsupportedQuery, with its own first line below; want of memory as a
    MemoryError."""
    import duckdb

    refusals = (
        duckdb.InvalidInputException,
        duckdb.OutOfRangeException,
        duckdb.ConversionException,
        duckdb.BinderException,
    )
    try:
        yield
    except duckdb.InterruptException as error:
        raise UntoldError(CANCELLED) from error
    except duckdb.OutOfMemoryException as error:
        raise MemoryError(str(error)) from error
    except refusals as error:
        first = str(error).splitlines()[0].partition(". Use TRY")[0].rstrip(".")
        for pattern, fault in KNOWN:
            if re.search(pattern, str(error)):
                raise UnsupportedQuery(fault.said_by("DuckDB", first)) from error
        raise unreadable(error) from error
    except duckdb.Error as error:
        raise unreadable(error) from error


def unreadable(error: Exception) -> StoreError:
    """What is left when the question is right: the files are not."""
    first = str(error).strip().partition("\n")[0][:300]
    return StoreError(
        f"DuckDB cannot read these reports: {first}\n"
        "Hint: `untold verify FOLDER` reads every byte and names what is damaged; restore it from a copy."
    )
