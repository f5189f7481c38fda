"""UNION ALL of finished queries: their rows below each other, errors included, under the names of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from untold.answers.result import OutputColumn, Result
from untold.errors import UnsupportedQuery

if TYPE_CHECKING:
    import pyarrow as pa

SAME = "\nHint: give both the same columns, in the same order; CAST one of them, or write NULL."


@dataclass(frozen=True)
class Sorting:
    """Sort by a column of the table; missing values come last."""

    column: str
    descending: bool = False


def stacked(
    results: Sequence[Result], order: Sequence[Sorting] = (), limit: int | None = None, offset: int = 0
) -> Result:
    """One result. UnsupportedQuery if a column holds different kinds of values."""
    import pyarrow as pa

    columns, parts = [], []
    for place in range(len(results[0].columns)):
        column = _column([result.columns[place] for result in results])
        columns.append(column)
        cells = [_cells(result, result.columns[place], column) for result in results]
        parts.append([_joined([each[i] for each in cells], column.name) for i in range(len(cells[0]))])
    names = [name for column in columns for name in column.names]
    table = pa.table([array for each in parts for array in each], names=names)
    best = {column.name: f"{column.name}_best" for column in columns if column.has_best}
    by = {key.column: table.column(best.get(key.column, key.column)).to_pylist() for key in order}
    rows = sorted_rows(by, order, table.num_rows)
    table = table.take(pa.array(rows[offset : None if limit is None else offset + limit], pa.int64()))
    return Result(
        tuple(columns),
        table,
        results[0].confidence,
        _notes(results),
        max(result.reports for result in results),
        max(result.users for result in results),
        sum(result.seconds for result in results),
        " and ".join(dict.fromkeys(result.source for result in results)),
    )


def sorted_rows(values: dict[str, list[Any]], order: Sequence[Sorting], rows: int) -> list[int]:
    """The numbers of rows in order: by the last key first, as sorting keeps the order of equals."""
    found = list(range(rows))
    for key in reversed(order):
        column = values[key.column]
        there = [row for row in found if not _missing(column[row])]
        there.sort(key=column.__getitem__, reverse=key.descending)
        found = there + [row for row in found if _missing(column[row])]
    return found


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def _column(columns: Sequence[OutputColumn]) -> OutputColumn:
    first = columns[0]
    if all(column.is_key for column in columns):
        return OutputColumn(first.name, "key", first.unit, all(column.is_time for column in columns))
    ends = [column.possible for column in columns]
    possible = min(e[0] for e in ends), max(e[1] for e in ends)
    has_best = any(column.has_best for column in columns)
    return OutputColumn(first.name, "estimate", first.unit, possible=possible, has_best=has_best)


def _cells(result: Result, own: OutputColumn, wanted: OutputColumn) -> list[pa.Array]:
    """The columns of one item; what is exactly known among estimates has the error 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = [result.table.column(name).combine_chunks() for name in own.names]
    if wanted.is_key or not own.is_key:
        return found
    (value,) = found
    if not _is_number(value.type):
        raise _unlike(wanted.name, value.type, pa.float64())
    value = pc.fill_null(value.cast(pa.float64()), float("nan"))
    zero = pc.multiply(value, 0.0)
    return [value, zero, value, value, value, zero][: len(wanted.names)]


def _joined(arrays: Sequence[pa.Array], name: str) -> pa.Array:
    import pyarrow as pa

    known = [array.type for array in arrays if array.null_count < len(array)]
    kind = known[0] if known else arrays[0].type
    for other in known[1:]:
        kind = _together(kind, other, name)
    empty = (pa.nulls(len(array), kind) if array.null_count == len(array) else array.cast(kind) for array in arrays)
    return pa.concat_arrays(list(empty))


def _together(one: pa.DataType, other: pa.DataType, name: str) -> pa.DataType:
    """The type that holds values of both."""
    import pyarrow as pa

    if one == other:
        return one
    if _is_number(one) and _is_number(other):
        return pa.float64()
    if pa.types.is_temporal(one) and pa.types.is_temporal(other) and not pa.types.is_time(one):
        return pa.timestamp("us")
    raise _unlike(name, one, other)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _unlike(name: str, one: pa.DataType, other: pa.DataType) -> UnsupportedQuery:
    return UnsupportedQuery(
        f"UNION ALL: column '{name}' is {_words(one)} in one SELECT, and {_words(other)} in another.{SAME}"
    )


def _words(kind: pa.DataType) -> str:
    import pyarrow as pa

    if _is_number(kind):
        return "a number"
    if pa.types.is_boolean(kind):
        return "a condition"
    return "a date or time" if pa.types.is_temporal(kind) else "a text"


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """Notes of all parts; those that not all have say which part they are of."""
    found: dict[str, None] = {}
    for number, result in enumerate(results, 1):
        for note in result.notes:
            shared = all(note in other.notes for other in results)
            found[note if shared else f"SELECT number {number}: {note}"] = None
    return tuple(found)
