"""An answer's table as CSV: exactly, or so that no spreadsheet runs what is in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # what a formula can begin with, for one spreadsheet or another
GUARD = "'"  # before it, a cell is text


def write_csv(table: pa.Table, to: Any, spreadsheet: bool) -> None:
    """Write a table with a heading to a path or an open file.

    With `spreadsheet`, texts (and names of columns) that a spreadsheet would take for a formula begin with an apostrophe:
    public values come from devices, and whoever opens the file must not run what somebody sent. Numbers stay as they are.
    """
    import pyarrow as pa
    from pyarrow import csv

    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns]
    names = list(table.column_names)
    if spreadsheet:
        columns = [_guarded(column) for column in columns]
        names = [GUARD + name if name.startswith(tuple(FORMULA)) else name for name in names]
    csv.write_csv(pa.table(columns, names=names), to)


def _guarded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    from pyarrow import compute as pc

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.replace_substring_regex(column, f"^([{re.escape(FORMULA)}])", rf"{GUARD}\1")
