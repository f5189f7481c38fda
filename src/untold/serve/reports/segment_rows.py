"""Turns records into rows of a segment, and rows of a segment back into records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.errors import StoreError
from untold.kernels.records import gather
from untold.kernels.siphash import Hashes, Places
from untold.oracles import Message
from untold.plan import Plan
from untold.serve.reports.blocks import Block, Reader
from untold.serve.reports.steps import reached
from untold.store import FolderWriter, Segment
from untold.store.columns import report_schema
from untold.wire.layout import Layout
from untold.wire.records import encode_record

ARROW = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
NUMPY = {"integer": "<i8", "number": "<f8", "boolean": "?"}


@dataclass(frozen=True, eq=False)
class SegmentShape:
    """What rows of one service's segments look like: asked of the plan once, when a collector opens."""

    layout: Layout
    schema: pa.Schema
    message: np.dtype[Any]
    per_record: int  # messages of one person
    slots: npt.NDArray[np.int16]  # of the messages of one person, in order
    offsets: npt.NDArray[np.int64]  # first messages of the views
    spoken_of: pa.Array | None  # the value of the service's `each` attribute for each of these messages

    @classmethod
    def of(cls, plan: Plan, layout: Layout) -> SegmentShape:
        """The columns that a collector writes for a service."""
        service, per_record = plan.service(layout.service), int(layout.shape[0])
        seed = {0: None, 4: pa.uint32(), 8: pa.uint64()}[layout.seed_bytes]
        extra = {} if seed is None else {"seed_a": seed, "seed_b": seed}
        public = {name: ARROW[kind] for name, kind in layout.public}
        slots = np.repeat(np.arange(layout.slots, dtype=np.int16), layout.per_slot)
        spoken_of = None
        if service.each is not None and service.rows is not None:
            spoken_of = pa.array(service.each.values).take(pa.array(slots // service.rows.report))
            public[service.each.name] = spoken_of.type
        schema = report_schema(plan, layout.service, ARROW[layout.key], extra, public, insecure=False)
        offsets = np.asarray(layout.design.offsets)
        return cls(layout, schema, layout.message_type, per_record, slots, offsets, spoken_of)

    def check(self, schema: pa.Schema, source: str) -> None:
        """Refuse a segment whose columns are of other types than this collector would write."""
        for each in self.schema:
            if each.name not in schema.names or schema.field(each.name).type != each.type:
                there = schema.field(each.name).type if each.name in schema.names else "missing"
                raise StoreError(
                    f"{source}: column '{each.name}' is {there}, this collector writes {each.type}.\n"
                    "Hint: collect into another folder, or give the matching --user-key and --public."
                )


def parquet(path: Path, source: str) -> pq.ParquetFile:
    """A segment to read, or a sentence that says which one cannot be."""
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{source} cannot be read as Parquet ({type(error).__name__}).\nHint: untold verify names all that is damaged; "
            "restore it from a copy."
        ) from error


def rows_of(shape: SegmentShape, block: Block) -> pa.RecordBatch:
    """A block as rows, one for each message: sorted by view, and within a view by fingerprint, which says nothing of the
    order in which reports came."""
    found, data = block.found, block.data
    messages = _stretches(data, found.starts, shape.per_record * shape.message.itemsize).view(shape.message).ravel()
    record, place = np.divmod(np.arange(len(block) * shape.per_record), shape.per_record)
    slot = shape.slots[place]
    view = np.searchsorted(shape.offsets, messages["message"], side="right")
    order = np.lexsort((slot, block.prints[record, 1], block.prints[record, 0], view))
    taken = pa.array(record[order])
    keys = _column(shape.layout.key, data, found.keys, found.key_sizes, None)
    public = [
        _column(kind, data, found.values(c), found.value_sizes(c), found.values(c) < 0)
        for c, (_, kind) in enumerate(shape.layout.public)
    ]
    columns = [
        keys.take(taken),
        pa.array(np.full(len(order), block.epoch, dtype=np.int32)),
        pa.array(slot[order]),
        *(pa.array(np.ascontiguousarray(messages[name][order])) for name in shape.message.names or ()),
        *(column.take(taken) for column in public),
        *([] if shape.spoken_of is None else [shape.spoken_of.take(pa.array(place[order]))]),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=shape.schema)


def _column(kind: str, data: npt.NDArray[np.uint8], places: Places, sizes: Places, missing: Any) -> pa.Array:
    if kind == "text":
        offsets, joined = gather(data, np.maximum(places, 0), sizes)
        column = pa.StringArray.from_buffers(len(places), pa.py_buffer(offsets), pa.py_buffer(joined))
        if missing is None or not missing.any():
            return column
        return pc.if_else(pa.array(missing), pa.scalar(None, pa.string()), column)
    width = np.dtype(NUMPY[kind]).itemsize
    values = _stretches(data, np.maximum(places, 0), width).view(NUMPY[kind]).ravel()
    return pa.array(values, type=ARROW[kind], mask=missing)


def _stretches(data: npt.NDArray[np.uint8], places: Places, width: int) -> npt.NDArray[np.uint8]:
    """`width` bytes from each place on, in rows; a place too near to the end is one without a value."""
    rows: npt.NDArray[np.uint8] = data[np.minimum(places, len(data) - width)[:, None] + np.arange(width)]
    return np.ascontiguousarray(rows)


def records_of(table: pa.Table, layout: Layout, user_key: str) -> Iterator[bytes]:
    """The records that the rows of a segment came from, one for each user. Slow: for an index that was lost."""
    names = [name for name, _ in layout.public]
    sorted_rows = table.sort_by([(user_key, "ascending"), ("slot", "ascending"), ("message", "ascending")])
    columns = {name: sorted_rows[name].to_pylist() for name in table.column_names}
    per_record, step = int(layout.shape[0]), layout.per_slot
    for first in range(0, table.num_rows, per_record):
        messages = []
        for row in range(first, first + per_record):
            index = columns["message"][row]
            seeded = layout.views[layout.design.view_of(index), 2] > 0
            seeds = (columns["seed_a"][row], columns["seed_b"][row]) if seeded else ()
            messages.append(Message(index, seeds))
        slots = [messages[i : i + step] for i in range(0, per_record, step)]
        public = {name: columns[name][first] for name in names}
        yield encode_record(layout, str(columns[user_key][first]), slots, public)


def add_segment(writer: FolderWriter, shapes: Sequence[SegmentShape], block: Block, log: int) -> Segment:
    """Write a block as a segment and make it count, as what a log holds."""
    rows = rows_of(shapes[block.layout.number], block)
    staged = writer.stage(block.layout.service, rows.schema)
    staged.write(rows)
    staged.finish()
    reached("segment finished")
    segment = writer.commit(block.layout.service, block.epoch, len(block), insecure=False, log=log)
    reached("segment listed")
    return segment


def prints_of(writer: FolderWriter, reader: Reader, shape: SegmentShape, segment: Segment) -> Hashes:
    """The fingerprints of the reports of a segment. Slow: for an index that was lost, or tables made in bulk."""
    opened = parquet(writer.folder.place(segment), segment.file)
    shape.check(opened.schema_arrow, segment.file)
    try:
        table = opened.read()
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{segment.file} is damaged ({type(error).__name__}).\nHint: restore it from a copy."
        ) from error
    records = list(records_of(table, shape.layout, writer.plan.user_key))
    block = reader.block(shape.layout, segment.epoch, b"".join(records), len(records))
    assert block is not None
    return block.prints
