"""Writes batches of reports into one Parquet file, in memory that does not grow with their number."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from untold.oracles import extra_columns
from untold.store import files

ROW_GROUP = 1 << 18  # reports; a query skips the row groups without a message of its views
STRETCH = 1 << 21  # reports that are sorted by view together
MESSAGE = "message"


class HashingFile(io.RawIOBase):
    """A file that is only appended to, and knows its checksum and size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        view = memoryview(data).cast("B")
        files.write(self._file, view)  # type: ignore[arg-type]
        self._digest.update(view)
        self.size += len(view)
        return len(view)

    def tell(self) -> int:
        return self.size

    @property
    def sha256(self) -> str:
        """Checksum of all bytes so far."""
        return self._digest.hexdigest()


class SegmentWriter:
    """Streams batches, each sorted by view, into a Parquet file that is sorted by view within stretches of reports.

    The first column of `schema` is the user key; `offsets` are the first messages of the views. The bytes of the file
    depend on the reports alone. Only its owner can read it until it counts (`FolderWriter.adopt`): one that never does
    holds a draw of people who are asked again.
    """

    def __init__(self, path: Path, schema: pa.Schema, offsets: Sequence[int]) -> None:
        self.path = path
        self.rows = 0
        self._offsets = np.asarray(offsets, dtype=np.uint32)
        self._held: list[pa.RecordBatch] = []
        self._schema = schema
        self._file = files.create(path, files.PRIVATE)
        self._sink = HashingFile(self._file)
        self._writer: pq.ParquetWriter | None = None
        varied = (MESSAGE, *extra_columns())  # like the user key: a dictionary of their values would not pay
        try:
            self._writer = pq.ParquetWriter(
                self._sink,
                schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=[name for name in schema.names[1:] if name not in varied],
                column_encoding={MESSAGE: "DELTA_BINARY_PACKED"},  # smaller, and half the time to read, than plain
            )
        except BaseException:
            self.abandon()
            raise

    def write(self, batch: pa.RecordBatch) -> None:
        """Append reports, sorted by view."""
        self._held.append(batch)
        self.rows += batch.num_rows
        if sum(each.num_rows for each in self._held) >= STRETCH:
            self._flush()

    def finish(self) -> None:
        """Have everything on the disk."""
        assert self._writer is not None
        self._flush()
        writer, self._writer = self._writer, None
        writer.close()
        files.sync(self._file)
        self._file.close()

    @property
    def sha256(self) -> str:
        """Checksum of the file, once it is finished."""
        return self._sink.sha256

    @property
    def bytes(self) -> int:
        """Size of the file, once it is finished."""
        return self._sink.size

    def abandon(self) -> None:
        """Close and remove the file, whatever its state."""
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                writer.close()
        except Exception:
            self._held = []  # the disk that failed may fail again; the file goes anyway
        finally:
            try:
                self._file.close()
            finally:
                files.remove(self.path)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, []
            assert self._writer is not None
            self._writer.write_table(merge_by_view(held, self._offsets, self._schema), row_group_size=ROW_GROUP)


def merge_by_view(batches: Sequence[pa.RecordBatch], offsets: npt.NDArray[np.uint32], schema: pa.Schema) -> pa.Table:
    """Batches that are each sorted by view, as one table that is: slices are put in order, nothing is copied."""
    if len(batches) == 1:
        return pa.Table.from_batches(batches, schema=schema)
    cuts = [[*np.searchsorted(batch.column(MESSAGE).to_numpy(), offsets), batch.num_rows] for batch in batches]
    slices = [
        batch.slice(cut[view], cut[view + 1] - cut[view])
        for view in range(len(offsets))
        for batch, cut in zip(batches, cuts, strict=True)
        if cut[view + 1] > cut[view]
    ]
    return pa.Table.from_batches(slices, schema=schema).combine_chunks()
