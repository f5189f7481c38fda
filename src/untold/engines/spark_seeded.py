"""Reports with seeded hashes on Spark: no table can hold their scores, so executors run the compiled kernel on Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.types import DoubleType, StructField, StructType

from untold.engines.seeded import seeded_scores
from untold.engines.spark_frames import MESSAGE
from untold.oracles import OLH
from untold.scores.scan import ScoreColumn

SEEDS = OLH.extra_columns


def with_seeded_scores(reports: Any, columns: dict[str, ScoreColumn]) -> Any:
    """Replace message and seeds by one score per column."""
    fields = [field for field in reports.schema.fields if field.name not in (MESSAGE, *SEEDS)]
    names = [field.name for field in fields]
    wanted = list(columns.values())

    def scored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            scores = seeded_scores(_unsigned(batch), wanted)
            kept = [batch.column(name) for name in names]
            yield pa.record_batch([*kept, *map(pa.array, scores)], names=[*names, *columns])

    schema = StructType([*fields, *(StructField(name, DoubleType()) for name in columns)])
    return reports.mapInArrow(scored, schema)


def _unsigned(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Messages and seeds as they were stored: Spark reads unsigned numbers as wider signed ones, 64 bits as decimals."""
    seeds = {name: batch.column(name).cast(pa.uint64()) for name in SEEDS}
    return pa.record_batch({"message": batch.column(MESSAGE).cast(pa.uint32()), **seeds})
