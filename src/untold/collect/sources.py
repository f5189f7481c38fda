"""Reads tables of any library and any size in one way: named columns, in batches of a fixed number of rows.

Batches do not depend on how a table is stored: the same rows in Arrow, pandas, polars or Parquet give the same batches.
"""

from __future__ import annotations

import glob
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from untold.collect.private import private_folder
from untold.errors import BadRecord
from untold.store.addresses import local_path
from untold.store.bucket import Bucket, is_bucket

BATCH = 1 << 18  # rows
WANTED = (
    "a pyarrow Table, a pandas or polars DataFrame, an Arrow stream, or the path of Parquet files or of a .csv file"
)

ELSEWHERE = (
    "read it with what has the keys, and hand that in: duckdb.sql(\"FROM 's3://bucket/x.parquet'\").to_arrow_reader(), a "
    "polars LazyFrame, or a Spark DataFrame"
)


@dataclass(frozen=True)
class Source:
    """A table that can be read again and again, in order. Close it: it may hold a temporary copy."""

    schema: pa.Schema
    parts: tuple[tuple[str, int], ...]  # name and number of rows of each file, or of the one table
    read: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]  # batches of any size with these columns, in order
    index: tuple[str, ...] = ()  # names that pandas keeps beside the columns
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(rows for _, rows in self.parts)

    @property
    def name(self) -> str:
        """What to call it."""
        return self.parts[0][0] if len(self.parts) == 1 else f"{self.parts[0][0]} and {len(self.parts) - 1} more"

    def batches(self, columns: Sequence[str], size: int = BATCH) -> Iterator[pa.RecordBatch]:
        """All rows, `size` at a time (fewer in the last batch)."""
        return rebatch(self.read(columns), size)

    def locate(self, row: int) -> str:
        """Which file, and which row of it, counted from 0.

        >>> Source(pa.schema([]), (("a.parquet", 10), ("b.parquet", 5)), lambda columns: iter(())).locate(12)
        'b.parquet, row 2'
        """
        starts = [0, *accumulate(rows for _, rows in self.parts)]
        part = min(bisect_right(starts, row), len(self.parts)) - 1
        return f"{self.parts[part][0]}, row {row - starts[part]}"


def rebatch(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of exactly `size`, fewer in the last."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        start = 0
        while count + batch.num_rows - start >= size:
            held.append(batch.slice(start, size - count))
            start += size - count
            yield _joined(held)
            held, count = [], 0
        if batch.num_rows > start:
            held.append(batch.slice(start))
            count += batch.num_rows - start
    if count:
        yield _joined(held)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def is_spark(table: Any) -> bool:
    """Whether it is a DataFrame of Spark, classic or Connect."""
    return type(table).__module__.startswith("pyspark.sql") and hasattr(table, "mapInArrow")


def open_source(table: Any, name: str = "table") -> Source:
    """A source over whatever holds a table."""
    library = type(table).__module__.partition(".")[0]
    if is_bucket(table):
        return _from_bucket(table)
    if isinstance(table, str | Path):
        return _from_files(local_path(table, ELSEWHERE))
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        return _from_table(table, name)
    if library == "pandas" and hasattr(table, "columns"):
        return _from_pandas(table, name)
    if library == "polars" and hasattr(table, "sink_parquet"):
        return _spooled(lambda path: table.sink_parquet(path), name)
    if library == "polars" and hasattr(table, "columns"):
        return _from_table(pa.table(table), name)
    if hasattr(table, "__arrow_c_stream__"):
        return _spooled(lambda path: _spool(pa.RecordBatchReader.from_stream(table), path), name)
    raise BadRecord(
        f"a {type(table).__name__} is not a table; allowed: {WANTED}.\nHint: wrap it with pyarrow.table(...)."
    )


def _from_bucket(url: str) -> Source:
    """A file of a bucket, as a copy for its owner alone that lasts as long as the source."""
    place, _, name = url.rpartition("/")
    with ExitStack() as stack:
        path = stack.enter_context(private_folder()) / (name or "table")
        with open(path, "wb") as file:
            found = Bucket(place).fetch(name, file)
        if not found:
            raise BadRecord(f"{url}: no such file.\nHint: one Parquet or .csv file is read from a bucket; {ELSEWHERE}.")
        source = _from_files(path)
        source._stack.push(stack.pop_all())
        return source


def _from_table(table: pa.Table, name: str, index: tuple[str, ...] = ()) -> Source:
    _check_names(table.schema.names, name)
    return Source(
        table.schema,
        ((name, table.num_rows),),
        lambda columns: iter(table.select(list(columns)).to_batches(max_chunksize=BATCH)),
        index,
    )


def _from_pandas(frame: Any, name: str) -> Source:
    _check_names([str(column) for column in frame.columns], name)
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise BadRecord(
            f"{name}: a column of this DataFrame holds values of several types ({'; '.join(map(str, error.args))}).\n"
            "Hint: give each column one type, for instance with .astype(...)."
        ) from error
    return _from_table(table, name, tuple(str(each) for each in frame.index.names if each is not None))


def _spooled(write: Callable[[Path], None], name: str) -> Source:
    """A one-pass table, kept in a temporary file until the source is closed."""
    with ExitStack() as stack:
        path = stack.enter_context(private_folder()) / "table.parquet"
        write(path)
        return _from_parquet([path], [name], stack.pop_all())


def _spool(reader: pa.RecordBatchReader, path: Path) -> None:
    _check_names(reader.schema.names, "table")
    with pq.ParquetWriter(path, reader.schema, compression="zstd", compression_level=1) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _from_files(path: Path) -> Source:
    """A Parquet file, all Parquet files below a folder, or all that match a pattern; in the order of their names."""
    if path.is_dir():
        found = sorted(p for p in path.rglob("*.parquet") if not _hidden(p.relative_to(path)))
        names = [p.relative_to(path).as_posix() for p in found]
    elif path.exists():
        found, names = [path], [path.name]
    else:
        found = [Path(p) for p in sorted(glob.glob(str(path), recursive=True)) if Path(p).is_file()]
        names = [p.name for p in found]
    if not found:
        what = "holds no .parquet file" if path.is_dir() else "does not exist, and matches no file"
        raise BadRecord(
            f"{path} {what}.\n"
            "Hint: give the path of a Parquet file, a folder of them, or a pattern such as data/*.parquet."
        )
    return _from_parquet(found, names, ExitStack())


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _from_parquet(paths: list[Path], names: list[str], stack: ExitStack) -> Source:
    schemas, counts = [], []
    for path, name in zip(paths, names, strict=True):
        try:
            with pq.ParquetFile(path) as file:
                schemas.append(file.schema_arrow)
                counts.append(file.metadata.num_rows)
        except (pa.ArrowInvalid, OSError) as error:
            raise BadRecord(
                f"{name} cannot be read as Parquet ({error}).\n"
                "Hint: convert other formats first, for instance duckdb.sql(\"COPY 'data.csv' TO 'data.parquet'\")."
            ) from error
        _check_names(schemas[-1].names, name)
        _check_equal(schemas[0], names[0], schemas[-1], name)
    return Source(
        schemas[0],
        tuple(zip(names, counts, strict=True)),
        lambda columns: chain.from_iterable(_read_parquet(path, columns) for path in paths),
        (),
        stack,
    )


def _read_parquet(path: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Page by page, so that one huge row group does not fill the memory."""
    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=BATCH, columns=list(columns)):
            yield batch.select(list(columns))


def _check_names(names: Sequence[str], source: str) -> None:
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise BadRecord(f"{source} has two columns named '{repeated[0]}'.\nHint: drop or rename one of them.")


def _check_equal(first: pa.Schema, first_name: str, other: pa.Schema, name: str) -> None:
    """All files of one table have the same columns."""
    if set(first.names) != set(other.names):
        odd = sorted(set(first.names) ^ set(other.names))[0]
        has, lacks = (name, first_name) if odd in other.names else (first_name, name)
        raise BadRecord(f"{has} has a column '{odd}', {lacks} has none.\nHint: give files with the same columns.")
    for column in first.names:
        if first.field(column).type != other.field(column).type:
            raise BadRecord(
                f"column '{column}' is {first.field(column).type} in {first_name}, but {other.field(column).type} "
                f"in {name}.\nHint: write all files with the same types."
            )
