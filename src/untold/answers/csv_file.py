"""An answer's table as CSV: either exact, or with cells that a spreadsheet cannot run as formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"  # what a formula can begin with, for one spreadsheet or another
BLANKS = "\t\r\n"  # what some skip before it
SPLITS = ';,\t\r\n"'  # where a cell can begin inside a text, for one that separates cells by another sign than ours
GUARD = "'"  # before it, a cell is text
GUARDS = (  # the inner places first: a blank can both end a cell and begin the text
    (f"([{re.escape(SPLITS)}])([{re.escape(SIGNS)}])", rf"\1{GUARD}\2"),
    (f"^([{re.escape(SIGNS + BLANKS)}])", rf"{GUARD}\1"),
)


def write_csv(table: pa.Table, to: Any, spreadsheet: bool) -> None:
    """Write a table with a heading to a path or an open file.

    With `spreadsheet`, texts (and names of columns) that a spreadsheet would take for a formula begin with an apostrophe:
    public values come from devices, and whoever opens the file must not run what somebody sent. Where cells are separated by
    semicolons, as in much of Europe, or by tabs, quotes do not hold a text together: in `"NY","x;=1+1"` a cell begins with
    `=1+1`. So a sign that begins a formula also gets its apostrophe behind anything that could end a cell. Numbers stay as
    they are.
    """
    import pyarrow as pa
    from pyarrow import csv

    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns]
    names = list(table.column_names)
    if spreadsheet:
        columns = [_guarded(column) for column in columns]
        names = _guarded(pa.chunked_array([names], pa.string())).to_pylist()
    csv.write_csv(pa.table(columns, names=names), to)


def _guarded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    from pyarrow import compute as pc

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    for place, guarded in GUARDS:
        column = pc.replace_substring_regex(column, place, guarded)
    return column
