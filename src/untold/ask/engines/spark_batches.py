"""Reports on Spark whose scores no table holds: executors score Arrow batches.

What goes to them is the design and a few numbers for each view (`scores.blocks`): no score of any message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.types import DoubleType, StructField, StructType

from untold.ask.engines.batch_scores import batch_scores, rows_at_once
from untold.ask.engines.spark_frames import MESSAGE
from untold.ask.scores.scan import ScoreColumn

ROWS_BACK = 1 << 14  # in one batch that goes back to Spark


def with_batch_scores(reports: Any, columns: dict[str, ScoreColumn]) -> Any:
    """Replace message, seeds and sets of cells by one score per column."""
    wanted = list(columns.values())
    extra = wanted[0].design.extra_columns
    fields = [field for field in reports.schema.fields if field.name not in (MESSAGE, *extra)]
    names = [field.name for field in fields]

    def scored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in together(batches, rows_at_once(len(wanted))):
            scores = batch_scores(_unsigned(batch, extra), wanted)
            kept = [batch.column(name) for name in names]
            out = pa.record_batch([*kept, *map(pa.array, scores)], names=[*names, *columns])
            yield from (out.slice(start, ROWS_BACK) for start in range(0, out.num_rows, ROWS_BACK))

    schema = StructType([*fields, *(StructField(name, DoubleType()) for name in columns)])
    return reports.mapInArrow(scored, schema)


def together(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Batches put together until they have so many rows.

    >>> [batch.num_rows for batch in together(iter([pa.record_batch({"a": [1, 2]})] * 5), 3)]
    [4, 4, 2]
    """
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= rows:
            yield _joined(waiting)
            waiting = []
    if any(each.num_rows for each in waiting):
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _unsigned(batch: pa.RecordBatch, extra: Sequence[str]) -> pa.RecordBatch:
    """Messages and seeds as they were stored: Spark reads unsigned numbers as wider signed ones, 64 bits as decimals."""
    beside = {name: batch.column(name) for name in extra}
    numbers = {
        name: column if pa.types.is_binary(column.type) else column.cast(pa.uint64()) for name, column in beside.items()
    }
    return pa.record_batch({"message": batch.column(MESSAGE).cast(pa.uint32()), **numbers})
