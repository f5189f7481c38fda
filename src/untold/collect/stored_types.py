"""The types of public columns are fixed by the first table of a service in a folder; later tables are read as these.

The same value in another type is converted: 3.0 as 3 where the folder has whole numbers, as pandas makes of a column with
missing values. Other types are refused: in one segment a number and in another a text would never be equal in a query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from untold.collect.columns import Bad, Column, Reader
from untold.errors import BadRecord

EXACT = float(1 << 53)  # whole numbers below are floating-point numbers, too


def read_as_stored(reader: Reader, stored: pa.DataType | None, source: str) -> Reader:
    """Read a public column as it is stored already; None: this is the first table, which says how it will be."""
    if stored == reader.type and not pa.types.is_null(reader.given):
        return reader
    if pa.types.is_null(reader.given):
        if stored is None:
            raise BadRecord(
                f"{source}, column '{reader.name}': all values are missing, so that it has no type; the first table of a "
                "folder says which type a public column has.\nHint: cast the column to the type that it will have."
            )
        return replace(reader, type=stored)
    if stored is None:
        return reader
    is_same = SAME.get((_family(reader.type), _family(stored)))
    if is_same is None:
        raise BadRecord(
            f"{source}, column '{reader.name}': public values of type {reader.type} are not allowed: this folder has {stored}.\n"
            "Hint: cast the column, or collect into another folder."
        )
    allowed = f"a value that {stored}, the type of this column in the folder, can hold, or missing"
    return replace(reader, code=partial(_convert, stored, is_same), allowed=allowed)


def _family(kind: pa.DataType) -> str:
    """Types that can hold the same values.

    >>> _family(pa.uint64()), _family(pa.timestamp("us")), _family(pa.timestamp("ns", "UTC")), _family(pa.string())
    ('whole number', 'time', 'time with a zone', 'string')
    """
    if pa.types.is_integer(kind):
        return "whole number"
    if pa.types.is_floating(kind):
        return "number"
    if pa.types.is_timestamp(kind):
        return "time with a zone" if kind.tz else "time"
    return str(kind)


def _convert(stored: pa.DataType, is_same: Callable[[pa.Array, pa.Array], Any], column: pa.Array) -> Column:
    found = column.cast(stored, safe=False)
    bad: Bad = ~np.asarray(is_same(column, found).fill_null(True).to_numpy(zero_copy_only=False), dtype=np.bool_)
    return Column(found, bad)


def _within(column: pa.Array, found: pa.Array) -> Any:
    return pc.and_(pc.less(found, EXACT), pc.greater(found, -EXACT))


def _comes_back(column: pa.Array, found: pa.Array) -> Any:
    """Cast back, it is what it was."""
    return pc.equal(found.cast(column.type, safe=False), column)


def _whole(column: pa.Array, found: pa.Array) -> Any:
    return pc.and_(_within(found, column), _comes_back(column, found))


def _same_sign(column: pa.Array, found: pa.Array) -> Any:
    """Half of the numbers of one of int64 and uint64 are none of the other: those would change their sign."""
    signed = found if column.type == pa.uint64() else column
    return pc.greater_equal(signed, 0)


SAME: dict[tuple[str, str], Callable[[pa.Array, pa.Array], Any]] = {
    ("whole number", "whole number"): _same_sign,
    ("whole number", "number"): _within,
    ("number", "whole number"): _whole,
    ("time", "time"): _comes_back,
    ("time with a zone", "time with a zone"): _comes_back,
}  # (given, stored): which values are the same in both
