"""Reports with seeds or sets of cells on Spark: no table can hold their scores, so executors score Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.types import DoubleType, StructField, StructType

from untold.engines.seeded import seeded_scores
from untold.engines.spark_frames import MESSAGE
from untold.scores.scan import ScoreColumn


def with_seeded_scores(reports: Any, columns: dict[str, ScoreColumn]) -> Any:
    """Replace message, seeds and sets of cells by one score per column."""
    wanted = list(columns.values())
    extra = wanted[0].design.extra_columns
    fields = [field for field in reports.schema.fields if field.name not in (MESSAGE, *extra)]
    names = [field.name for field in fields]

    def scored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            scores = seeded_scores(_unsigned(batch, extra), wanted)
            kept = [batch.column(name) for name in names]
            yield pa.record_batch([*kept, *map(pa.array, scores)], names=[*names, *columns])

    schema = StructType([*fields, *(StructField(name, DoubleType()) for name in columns)])
    return reports.mapInArrow(scored, schema)


def _unsigned(batch: pa.RecordBatch, extra: Sequence[str]) -> pa.RecordBatch:
    """Messages and seeds as they were stored: Spark reads unsigned numbers as wider signed ones, 64 bits as decimals."""
    beside = {name: batch.column(name) for name in extra}
    numbers = {
        name: column if pa.types.is_binary(column.type) else column.cast(pa.uint64()) for name, column in beside.items()
    }
    return pa.record_batch({"message": batch.column(MESSAGE).cast(pa.uint32()), **numbers})
