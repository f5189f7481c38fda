"""Services with many rows per user: exactly tau rows for every person of the population, whatever they hold.

A person's rows are grouped out of core. For each slot one of them is drawn uniformly, and with it the hidden weight: 1
with probability (number of rows) / t_max, else 0. People without a row send a dummy of weight 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from untold.collect.draws import below_many
from untold.collect.pool import in_order
from untold.collect.population import refuse_repeated, write_people
from untold.collect.scratch import first_row
from untold.collect.sources import Source
from untold.collect.validate import Checker, Rows
from untold.errors import BadRecord
from untold.plan.schema import Rows as Limits
from untold.plan.schema import Service
from untold.randomness import BulkRandomness
from untold.tables.quoting import parquet

ROWS_AT_ONCE = 1 << 19  # that the people of one batch may have together


@dataclass(frozen=True)
class Grouped:
    """Checked rows and the population, in temporary files, ready to be read person by person."""

    connection: Any
    service: Service
    people: int
    dropped: int

    @property
    def limits(self) -> Limits:
        """t_max and tau."""
        assert self.service.rows is not None
        return self.service.rows

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows of so many people at a time, once: columns person, key, row (null: no row), and one for each attribute."""
        codes = "".join(f", r.c{i}" for i in range(len(self.service.sensitive)))
        parts, person = self.service.parts, "p.person"
        people, on, part = "people p", "key", ""
        if parts > 1:  # a person is then numbered once for each value
            people, on, part = f"people p CROSS JOIN range({parts}) v(part)", "key, part", ", v.part"
            person = f"p.person * {parts} + v.part"
        reader = self.connection.sql(
            f"SELECT {person} AS person, p.key, r.row{part}{codes} FROM {people} LEFT JOIN rows r USING ({on}) ORDER BY 1, r.row"
        ).to_arrow_reader(1 << 17)
        yield from by_people(reader, max(1, ROWS_AT_ONCE // (self.limits.max * parts)) * parts)
        # What it keeps in memory is for the next sheet of scratch paper.
        self.connection.close()


def group(connection: Any, folder: Path, checker: Checker, service: Service, population: Source | None) -> Grouped:
    """Check the rows in file order, then who they belong to. No population: the people with at least one row."""
    dropped = _write_rows(folder / "rows.parquet", checker, service)
    connection.execute(f"CREATE VIEW rows AS FROM {parquet([str(folder / 'rows.parquet')])}")
    if population is None:
        select = "SELECT key, row_number() OVER (ORDER BY min(row)) - 1 AS person FROM rows GROUP BY key"
        connection.execute(f"CREATE TABLE people AS {select}")
    else:
        write_people(folder / "people.parquet", population, checker.key)
        connection.execute(f"CREATE VIEW people AS FROM {parquet([str(folder / 'people.parquet')])}")
        refuse_repeated(folder / "people.parquet", population)
        dropped += _outside(connection, checker)
    assert service.rows is not None
    dropped += 0 if service.total else _surplus(connection, checker, service)
    return Grouped(connection, service, first_row(connection, "SELECT count(*) FROM people")[0], dropped)


def sample(batch: pa.RecordBatch, service: Service, rng: BulkRandomness) -> tuple[Rows, npt.NDArray[np.int16]]:
    """tau rows for each person of a batch (and each value of an `each` attribute), the hidden weight as their last code;
    and the slots.

    row = below(max(1, number of rows))        weight = 1[below(t_max) < number of rows]
    """
    limits = service.rows
    assert limits is not None
    person = batch.column("person").to_numpy()
    starts = np.flatnonzero(np.diff(person, prepend=-1))
    there = batch.column("row").is_valid().to_numpy(zero_copy_only=False)[starts]
    held = np.where(there, np.diff(starts, append=len(person)), 0)
    counts = np.repeat(np.minimum(held, limits.max), limits.report).astype(np.uint64)
    # where no row is refused, one of all of them is drawn, as on a device
    drawn_of = np.repeat(held, limits.report).astype(np.uint64) if service.total else counts
    pick = below_many(np.maximum(drawn_of, np.uint64(1)), rng).astype(np.int64)
    weight = below_many(np.full(len(counts), limits.max, dtype=np.uint64), rng) < counts
    taken = np.repeat(starts, limits.report) + pick
    columns = [_filled(batch.column(f"c{i}"))[taken] for i in range(len(service.sensitive))]
    keys = batch.column("key").take(pa.array(taken))
    slots = np.tile(np.arange(limits.report, dtype=np.int16), len(starts))
    public = []
    if service.each is not None:
        part = batch.column("part").to_numpy()[taken].astype(np.int16)
        slots += part * np.int16(limits.report)
        public = [pa.array(service.each.values).take(pa.array(part))]
    return Rows(keys, [*columns, weight.astype(np.uint32)], public, person[taken]), slots


def by_people(batches: Iterator[pa.RecordBatch], people: int) -> Iterator[pa.RecordBatch]:
    """Cut a stream that is sorted by `person` (0, 1, 2, ...) so that each batch holds all rows of `people` persons."""
    held: list[pa.RecordBatch] = []
    block = 0
    for batch in batches:
        blocks = batch.column("person").to_numpy() // people
        cuts = [0, *np.flatnonzero(np.diff(blocks)) + 1, len(blocks)]
        for start, end in pairwise(cuts):
            if start == end:
                continue
            if held and blocks[start] != block:
                yield pa.concat_batches(held)
                held = []
            block = blocks[start]
            held.append(batch.slice(start, end - start))
    if held:
        yield pa.concat_batches(held)


def _filled(column: pa.Array) -> npt.NDArray[Any]:
    """A person without a row has code 0 everywhere: a dummy, which its weight takes out of every sum."""
    return np.asarray(column.fill_null(0).to_numpy(zero_copy_only=False))


def _write_rows(path: Path, checker: Checker, service: Service) -> int:
    """Checked and coded rows with their numbers; returns how many were dropped."""
    types = [pa.float64() if attribute.rounds else pa.uint32() for attribute in service.sensitive]
    columns = {f"c{i}": kind for i, kind in enumerate(types)} | ({"part": pa.uint32()} if service.each else {})
    schema = pa.schema({"row": pa.int64(), "key": checker.key.type, **columns})
    dropped = 0

    def jobs() -> Iterator[Any]:
        start = 0
        for batch in checker.batches():
            yield partial(checker.check, batch, start)
            start += batch.num_rows

    writing = pq.ParquetWriter(path, schema, compression="zstd", compression_level=1)
    with writing as writer, closing(in_order(jobs())) as checked:
        for rows in checked:
            dropped += rows.dropped
            told = map(pa.array, [*rows.sensitive, *rows.public])  # nothing but the `each` attribute is public here
            writer.write_batch(pa.RecordBatch.from_arrays([pa.array(rows.numbers), rows.keys, *told], schema=schema))
    return dropped


def _outside(connection: Any, checker: Checker) -> int:
    """Rows of people who are not in the population: dropped and counted, or refused."""
    if checker.drop:
        return int(first_row(connection, "SELECT count(*) FROM rows ANTI JOIN people USING (key)")[0])
    found = first_row(connection, "SELECT row, key FROM rows ANTI JOIN people USING (key) ORDER BY row LIMIT 1")
    if found:
        raise BadRecord(
            f"{checker.source.locate(found[0])}, column '{checker.key.name}': user {found[1]!r} is not in the "
            'population.\nHint: add the person (rows count from 0), or pass on_invalid="drop" to leave such rows out.'
        )
    return 0


def _surplus(connection: Any, checker: Checker, service: Service) -> int:
    """Rows beyond t_max of a person (and value of the `each` attribute): the last ones are left out and counted, or all refused."""
    assert service.rows is not None
    most, by = service.rows.max, "key, part" if service.each else "key"
    over = f"FROM rows SEMI JOIN people USING (key) GROUP BY {by} HAVING count(*) > {most}"
    if checker.drop:
        return int(first_row(connection, f"SELECT coalesce(sum(n - {most}), 0) FROM (SELECT count(*) AS n {over})")[0])
    found = first_row(connection, f"SELECT count(*), {by} {over} ORDER BY min(row) LIMIT 1")
    if found:
        count, key, *part = found
        # Only now, and of one person: a list for each would be held in memory.
        same = " AND ".join(f"{name} = ?" for name in by.split(", "))
        (row,) = first_row(
            connection, f"SELECT row FROM rows WHERE {same} ORDER BY row LIMIT 1 OFFSET {most}", key, *part
        )
        of = f" with {service.each.name} = {service.each.values[part[0]]!r}" if service.each else ""
        raise BadRecord(
            f"{checker.source.locate(row)}: user {key!r} has {count} rows{of}, at most {most} are allowed (rows_per_user).\n"
            'Hint: raise max in the plan (rows count from 0), or pass on_invalid="drop" to leave the surplus out.'
        )
    return 0
