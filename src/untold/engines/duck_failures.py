"""DuckDB's refusals of public expressions in untold's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from untold.errors import UnsupportedQuery

REFUSALS = (
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
    duckdb.ConversionException,
    duckdb.BinderException,
)
KNOWN = (  # what DuckDB calls it, what it means here, and what to do
    ("Division by zero", "a public expression divides by 0", "use NULLIF(x, 0)"),
    ("Overflow|out of range|Out of Range", "a public expression overflows its type", "CAST to DOUBLE"),
    ("Conversion Error|Could not convert", "a public value cannot be cast", "use TRY_CAST"),
    ("Binder Error", "a public expression mixes types that DuckDB keeps apart", "use CAST"),
)


@contextmanager
def told() -> Iterator[None]:
    """What DuckDB refuses in the body comes out as an UnsupportedQuery, with its own first line below."""
    try:
        yield
    except REFUSALS as error:
        first = str(error).splitlines()[0].partition(". Use TRY")[0].rstrip(".")
        for pattern, meaning, hint in KNOWN:
            if re.search(pattern, str(error)):
                raise UnsupportedQuery(f"DuckDB: {meaning}.\n  {first}\nHint: {hint}.") from error
        raise
