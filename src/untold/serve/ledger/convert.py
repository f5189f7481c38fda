"""A finished log becomes segments, then runs of the index, then it goes. Any step may be the last one of a process: the
next one takes up where it stopped, because the manifest says which log a segment came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.schema import ONCE_EPOCH
from untold.serve.events import note
from untold.serve.ledger.blocks import Block, Reader
from untold.serve.ledger.index import Index
from untold.serve.ledger.segment_rows import SegmentShape, records_of, rows_of
from untold.serve.ledger.steps import reached
from untold.store import FolderWriter, Segment, files
from untold.store.logs import Contents, log_path, read_log, torn_path
from untold.wire.records import HEADER


@dataclass(frozen=True, eq=False)
class Converter:
    """Turns logs into segments. Only one thread at a time."""

    plan: Plan
    reader: Reader
    shapes: tuple[SegmentShape, ...]  # in the order of the plan's services
    writer: FolderWriter
    logs: Path
    index: Index
    afterwards: Callable[[], None] = lambda: None  # on the same thread, when a log is gone

    def convert(self, number: int, open_epochs: tuple[int, ...], last: bool = False) -> int:
        """Everything that a log holds; returns the number of reports."""
        contents = read_log(self.logs, number, self.plan.id, last)
        if contents.torn:
            self._keep_aside(contents, number)
        blocks = self._blocks(contents.payloads)
        listed = {(s.service, s.epoch): s for s in self.writer.manifest.segments if s.log == number}
        segments = {key: listed.get(key) or self._segment(block, number) for key, block in blocks.items()}
        runs: dict[int, tuple[Hashes, list[str]]] = {}
        for epoch in sorted({epoch for _, epoch in blocks} & {*open_epochs, *self.always}):
            own = [key for key in blocks if key[1] == epoch]
            prints = np.concatenate([blocks[key].prints for key in own])
            runs[epoch] = prints, [segments[key].file for key in own]
        self.index.settle(number, runs)
        files.remove(log_path(self.logs, number))
        files.sync_folder(self.logs)
        reached("log removed")
        self.afterwards()
        return sum(len(block) for block in blocks.values())

    def _keep_aside(self, contents: Contents, number: int) -> None:
        """A torn end: most likely of a crash, and then nothing that was acknowledged; but a lost one looks the same."""
        kept = torn_path(self.logs, number, contents.size)
        files.replace_durably(kept, contents.torn, files.PRIVATE)
        note("torn log", log=number, at=contents.size, bytes=len(contents.torn), kept=kept.name)

    @property
    def torn(self) -> int:
        """How many torn ends lie aside."""
        return sum(1 for _ in self.logs.glob("*.torn"))

    def _blocks(self, payloads: list[bytes]) -> dict[tuple[str, int], Block]:
        """All records of a log, by service and epoch."""
        records: dict[tuple[int, int], list[bytes]] = {}
        counts: dict[tuple[int, int], int] = {}
        for payload in payloads:
            _, _, _, number, epoch, count, _ = HEADER.unpack_from(payload)
            key = number, epoch
            records.setdefault(key, []).append(payload[HEADER.size :])
            counts[key] = counts.get(key, 0) + count
        blocks = {}
        for (number, epoch), parts in sorted(records.items()):
            layout = self.reader.layouts[number]
            block = self.reader.block(layout, epoch, b"".join(parts), counts[number, epoch])
            assert block is not None  # the log's checksums held
            blocks[layout.service, epoch] = block
        return blocks

    def _segment(self, block: Block, number: int) -> Segment:
        rows = rows_of(self.shapes[block.layout.number], block)
        staged = self.writer.stage(block.layout.service, rows.schema)
        staged.write(rows)
        staged.finish()
        reached("segment finished")
        segment = self.writer.commit(block.layout.service, block.epoch, len(block), insecure=False, log=number)
        reached("segment listed")
        return segment

    @property
    def always(self) -> tuple[int, ...]:
        """Where reports come that belong to no epoch: who has sent one is known for ever."""
        return (ONCE_EPOCH,) if any(service.repeat == "once" for service in self.plan.schema.services) else ()

    def load_index(self, open_epochs: tuple[int, ...], logs: list[int]) -> int:
        """Open the runs of the open epochs; returns how many segments had to be read because no run spoke of them. Those of
        logs that are still to be converted get theirs then."""
        known = sorted({*open_epochs, *self.always})
        self.index.keep(known)
        return sum(self.load_epoch(epoch, logs) for epoch in known)

    def load_epoch(self, epoch: int, logs: Sequence[int] = ()) -> int:
        """Open the runs of an epoch that has segments already; returns how many of these had to be read."""
        own = {segment.file: segment for segment in self.writer.manifest.segments if segment.epoch == epoch}
        logged = frozenset(name for name, segment in own.items() if segment.log in logs)
        return self.index.load(epoch, frozenset(own), logged, lambda name: self._prints(own[name]))

    def _prints(self, segment: Segment) -> Hashes:
        path = self.writer.folder.place(segment)
        shape = self.shapes[self.plan.services.index(segment.service)]
        layout, table = shape.layout, pq.ParquetFile(path).read()
        shape.check(table.schema, segment.file)
        records = list(records_of(table, layout, self.plan.user_key))
        block = self.reader.block(layout, segment.epoch, b"".join(records), len(records))
        assert block is not None
        return block.prints
