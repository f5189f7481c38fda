"""Checks rows of a table against the plan, a whole batch at once, and names the first bad row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.collect.columns import Bad, Column, Reader, key_reader, reader_of
from untold.collect.sources import Source
from untold.collect.stored_types import read_as_stored
from untold.collect.texts import TextCells
from untold.errors import BadRecord
from untold.plan import Plan
from untold.plan.schema import Service
from untold.tables.near_miss import did_you_mean


@dataclass(frozen=True)
class Rows:
    """Checked rows: user keys, codes or numbers of every sensitive attribute and behind them cells of texts, public values; and
    where they were."""

    keys: pa.Array
    sensitive: list[Any]
    public: list[pa.Array]
    numbers: Any  # row numbers, counted from 0 over the whole source
    dropped: int = 0

    def only(self, some: npt.NDArray[np.bool_]) -> Rows:
        """Some of them."""
        mask = pa.array(some)
        sensitive, public = [each[some] for each in self.sensitive], [each.filter(mask) for each in self.public]
        return Rows(self.keys.filter(mask), sensitive, public, self.numbers[some], self.dropped)


@dataclass(frozen=True)
class Checker:
    """Reads batches of one source for one service."""

    source: Source
    key: Reader
    sensitive: tuple[Reader, ...]
    public: tuple[Reader, ...]
    drop: bool  # leave bad rows out instead of refusing
    texts: TextCells | None = None  # where they are looked for

    @classmethod
    def of(cls, plan: Plan, service: Service, source: Source, drop: bool) -> Checker:
        """Refuses columns that do not fit, before a row is read."""
        check_columns(plan, service, source)

        def reader(attribute: Any) -> Reader:
            return reader_of(attribute, source.schema.field(attribute.name).type, source.name)

        key = key_reader(plan.user_key, source.schema.field(plan.user_key).type, source.name)
        sensitive = tuple(map(reader, service.sensitive))
        texts = TextCells.of(service, plan.design(service.name), sensitive)
        return cls(source, key, sensitive, tuple(map(reader, service.beside)), drop, texts)

    def as_stored(self, schema: pa.Schema | None) -> Checker:
        """Reads public columns as a folder has them already; None: there are none yet."""
        name = self.source.name

        def stored(reader: Reader) -> Reader:
            return read_as_stored(reader, None if schema is None else schema.field(reader.name).type, name)

        return replace(self, public=tuple(map(stored, self.public)))

    @property
    def readers(self) -> tuple[Reader, ...]:
        """All columns, the user key first."""
        return (self.key, *self.sensitive, *self.public)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The columns that are read, batch by batch."""
        return self.source.batches([reader.name for reader in self.readers])

    def check(self, batch: pa.RecordBatch, start: int) -> Rows:
        """The allowed rows of a batch that begins at row `start`."""
        columns = [reader.read(batch) for reader in self.readers]
        bad = np.logical_or.reduce([column.bad for column in columns])
        numbers = np.arange(start, start + batch.num_rows)
        cells = [] if self.texts is None else self.texts.read(batch)
        split = 1 + len(self.sensitive)
        values = [column.values for column in columns]
        values[split:split] = cells
        split += len(cells)
        dropped = int(bad.sum())
        if dropped:
            if not self.drop:
                raise self._refusal(batch, start, columns, bad)
            keep = ~bad
            numbers, mask = numbers[keep], pa.array(keep)
            values = [each[keep] if isinstance(each, np.ndarray) else each.filter(mask) for each in values]
        return Rows(values[0], values[1:split], values[split:], numbers, dropped)

    def _refusal(self, batch: pa.RecordBatch, start: int, columns: list[Column], bad: Bad) -> BadRecord:
        row = int(np.argmax(bad))
        reader = next(reader for reader, column in zip(self.readers, columns, strict=True) if column.bad[row])
        return BadRecord(
            f"{self.source.locate(start + row)}, {reader.complain(batch, row)}.\n"
            'Hint: correct the row (rows count from 0), or pass on_invalid="drop" to leave such rows out.'
        )


def check_columns(plan: Plan, service: Service, source: Source) -> None:
    """The user key and the attributes of the service; other columns are left aside."""
    wanted = [plan.user_key, *(attribute.name for attribute in service.attributes)]
    found = source.schema.names
    if plan.user_key not in found:
        hint = (
            "it is the index of the DataFrame: call .reset_index() first"
            if plan.user_key in source.index
            else f"{did_you_mean(plan.user_key, found)}Rename the column that names the person, or change the plan"
        )
        raise BadRecord(
            f"{source.name} has no column '{plan.user_key}', the user key of plan '{plan.name}'.\nHint: {hint}."
        )
    if missing := [name for name in wanted if name not in found]:
        extra = [name for name in found if name not in wanted]
        raise BadRecord(
            f"{source.name} has no column '{missing[0]}'; service '{service.name}' needs {', '.join(wanted)}.\n"
            f"Hint: {did_you_mean(missing[0], extra)}Add the column, or rename the one that holds it."
        )
