"""An answer's table for those who get numbers without a place for a mark, such as BI tools: every estimate that noise took beyond
what is possible is the nearest number that is.

Whoever adds numbers up needs the unbiased ones, which are in `Result.table`: many numbers cut at 0 add up to too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from untold.answers.cells import possible_number
from untold.answers.numbers import count_text
from untold.answers.result import Result

if TYPE_CHECKING:
    import pyarrow as pa

NOTE = "{}: in {} of {} noise took the estimate beyond what is possible; the nearest possible number is shown."


def possible_table(result: Result) -> tuple[pa.Table, list[str]]:
    """The table, and a note on each column that is not as it was estimated."""
    import pyarrow as pa

    table, notes = result.table, []
    for column in result.estimates:
        names = (column.names[0], *column.names[2:4])
        rows = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
        found = [possible_number(value, low, high, column) for value, low, high in rows]
        moved = sum(value == value and value != shown for (value, _, _), shown in zip(rows, found, strict=True))
        if moved:
            place = table.column_names.index(column.name)
            table = table.set_column(place, column.name, pa.array(found, pa.float64()))
            notes.append(NOTE.format(column.name, f"{moved:,}", count_text(table.num_rows, "row")))
    return table, notes
