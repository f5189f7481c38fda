"""A finished log becomes segments, then runs of the index, then it goes. Any step may be the last one of a process: the
next one takes up where it stopped, because the manifest says which log a segment came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH
from untold.serve.events import note
from untold.serve.folder.index import Index
from untold.serve.reports.blocks import Reader
from untold.serve.reports.segment_rows import SegmentShape, add_segment, prints_of
from untold.serve.reports.steps import reached
from untold.serve.settings import Settings
from untold.store import FolderWriter, Segment, files
from untold.store.logs import Contents, log_path, read_log, torn_path


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

    def convert(self, number: int, settings: Settings, last: bool = False) -> int:
        """Everything that a log holds; returns the number of reports."""
        contents = read_log(self.logs, number, self.plan.id, last)
        if contents.torn:
            self._keep_aside(contents, number)
        blocks = self.reader.by_service_and_epoch(contents.payloads)
        listed = {(s.service, s.epoch): s for s in self.writer.manifest.segments if s.log == number}
        segments = {
            key: listed.get(key) or add_segment(self.writer, self.shapes, block, number)
            for key, block in blocks.items()
        }
        runs: dict[int, tuple[Hashes, list[str]]] = {}
        for epoch in sorted({epoch for _, epoch in blocks} & {*settings.known, *self.always}):
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

    @property
    def always(self) -> tuple[int, ...]:
        """Where reports come that belong to no epoch: who has sent one is known for ever."""
        return (ONCE_EPOCH,) if any(service.repeat == "once" for service in self.plan.schema.services) else ()

    def load_index(self, settings: Settings, logs: list[int]) -> int:
        """Open the runs of the epochs that are known; returns how many segments had to be read because no run spoke of them.
        Those of logs that are still to be converted get theirs then."""
        known = sorted({*settings.known, *self.always})
        self.index.keep(known)
        return sum(self.load_epoch(epoch, logs, closed=epoch in settings.closed) for epoch in known)

    def load_epoch(self, epoch: int, logs: Sequence[int] = (), closed: bool = False) -> int:
        """Open the runs of an epoch that has segments already; returns how many of these had to be read."""
        own = {segment.file: segment for segment in self.writer.manifest.segments if segment.epoch == epoch}
        logged = frozenset(name for name, segment in own.items() if segment.log in logs)
        segments = None if closed and epoch not in self.always else frozenset(own)
        return self.index.load(epoch, segments, logged, lambda name: self._prints(own[name]))

    def _prints(self, segment: Segment) -> Hashes:
        return prints_of(self.writer, self.reader, self.shapes[self.plan.services.index(segment.service)], segment)
