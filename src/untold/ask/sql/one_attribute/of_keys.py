"""Functions of group keys, computed by the same DuckDB for the rows of a result; so their meaning is the same on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from untold.ask.question.model import KeyFunction
from untold.ask.sql.one_attribute.text_bounds import NUMBER, check_texts
from untold.ask.sql.one_attribute.writing import Written
from untold.ask.sql.refusals import Refusal

if TYPE_CHECKING:
    import pyarrow as pa


def values_of_rows(function: KeyFunction, keys: Sequence[Sequence[Any]], rows: int) -> pa.Array:
    """The value in every row, given the columns of the function's keys. Refusal if DuckDB cannot compute it."""
    import pyarrow as pa

    from untold.ask.sql.one_attribute.database import database, failures
    from untold.ask.sql.one_attribute.failures import explained

    texts = (len(value.encode()) for column in keys for value in column if isinstance(value, str))
    check_texts(function.tree, max([NUMBER, *texts]), max(rows, 1))
    asked = Written(function.tree, (), ())
    columns = {"code": pa.array(range(rows), pa.int64())}
    columns |= {f"v{place}": pa.array(column) for place, column in enumerate(keys)}
    with database() as db:
        tables = [db.keys(pa.table(columns))]
        try:
            found = db.run(f"SELECT t0.code AS code, {asked.text} AS x FROM {asked.source(tables)}")
        except failures() as error:
            raise explained(error, asked, db, tables) from None
    column = found.sort_by("code").column("x").combine_chunks()
    return _plain(column, function)


def _plain(column: pa.Array, function: KeyFunction) -> pa.Array:
    """In one of few types: whole numbers, doubles, texts, conditions, days and times."""
    import pyarrow as pa

    kinds = pa.types
    if kinds.is_integer(column.type) or kinds.is_null(column.type):
        return column.cast(pa.int64())
    if kinds.is_floating(column.type) or kinds.is_decimal(column.type):
        return column.cast(pa.float64())
    known = (kinds.is_string, kinds.is_boolean, kinds.is_date, kinds.is_timestamp, kinds.is_time)
    if not any(is_kind(column.type) for is_kind in known):
        raise Refusal(
            function.tree,
            "A value of this type is not shown.",
            "CAST it to a number, a text or a date.",
            code="expression",
        )
    return column
