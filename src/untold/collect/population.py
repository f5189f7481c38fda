"""The list of all people who should report. Services with many rows per user need it, as some people have no row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.collect.columns import Reader, key_reader
from untold.collect.keys import repeated_key
from untold.collect.sources import Source, open_source
from untold.errors import BadRecord
from untold.plan.schema import Service

PRESENT = "present"


def open_population(population: Any, service: Service, key: str) -> Source | None:
    """The population as a source with the user key; None stands for the people with at least one row."""
    if service.rows is None:
        if population is None:
            return None
        raise BadRecord(
            f"service '{service.name}' has exactly one row per person: the table itself is the population.\n"
            "Hint: leave population out, or declare rows_per_user = { max = 1 } in the plan if some people have no row."
        )
    if population is None:
        raise BadRecord(
            f"service '{service.name}' has zero to {service.rows.max} rows per person: population is needed, because "
            "people without a row must report too, else their silence tells that they have none.\n"
            "Hint: pass population= with the user keys of everybody who is asked (a list, a column, a table or a "
            'Parquet path); population="present" makes it public who has a row.'
        )
    if isinstance(population, str) and population == PRESENT:
        return None
    if _is_column(population):
        try:
            column = population if isinstance(population, pa.ChunkedArray) else pa.array(population)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise BadRecord(f"population: {error}.\nHint: give user keys of one type.") from error
        population = pa.table({key: column})
    return _refuse_nobody(open_source(population, "population"))


def _refuse_nobody(population: Source) -> Source:
    if not population.rows:
        with population:
            raise BadRecord(
                "population: nobody is in it.\nHint: list every person who is asked to report, with or without rows."
            )
    return population


def _is_column(population: Any) -> bool:
    """Lists, arrays and Series; a table has columns of its own."""
    if isinstance(population, list | tuple | np.ndarray | pa.Array | pa.ChunkedArray):
        return True
    library = type(population).__module__.partition(".")[0]
    tables = (
        "sink_parquet",
        "columns",
    )  # what a LazyFrame and a DataFrame have; asking a LazyFrame for the second is slow
    return library in ("pandas", "polars") and not any(hasattr(population, name) for name in tables)


def write_people(path: Path, population: Source, rows_key: Reader) -> None:
    """Number the people in the order given, into a file with columns person and key."""
    name = rows_key.name
    if name not in population.schema.names:
        raise BadRecord(
            f"population: {population.name} has no column '{name}', the user key.\nHint: rename the column."
        )
    reader = key_reader(name, population.schema.field(name).type, "population")
    if pa.types.is_integer(reader.type) != pa.types.is_integer(rows_key.type):
        raise BadRecord(
            f"population: user keys are {reader.type}, but {rows_key.type} in the table: no row finds its person.\n"
            "Hint: cast one of them."
        )
    schema = pa.schema({"person": pa.int64(), "key": reader.type})
    start = 0
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        for batch in population.batches([name]):
            column = reader.read(batch)
            if column.bad.any():
                place = population.locate(start + int(np.argmax(column.bad)))
                raise BadRecord(f"population: {place} has no user key.\nHint: leave it out (rows count from 0).")
            numbers = pa.array(np.arange(start, start + batch.num_rows))
            writer.write_batch(pa.RecordBatch.from_arrays([numbers, column.values], schema=schema))
            start += batch.num_rows


def refuse_repeated(people: Path, population: Source) -> None:
    """Nobody may be in it twice; `people` is what `write_people` has written."""
    if (key := repeated_key(people, "key", 1)) is not None:
        first, second = _places(people, key)
        raise BadRecord(
            f"population: {population.locate(second)}: user {key!r} was already in row {first}.\n"
            "Hint: everybody reports once: list each person once (rows count from 0)."
        )


def _places(people: Path, key: Any) -> list[int]:
    """The first two places of a key, by a second reading: only to tell."""
    found: list[int] = []
    with pq.ParquetFile(people) as file:
        for batch in file.iter_batches(columns=["person", "key"]):
            same = pc.equal(batch.column("key"), pa.scalar(key, batch.column("key").type))
            found += batch.column("person").filter(same).to_pylist()
            if len(found) >= 2:
                break
    return found[:2]
