"""Segments that many processes write at once and one process then adds to a folder."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from untold.plan import Plan
from untold.store.manifest import Done, Segment
from untold.store.segment import SegmentWriter


def finished(staged: SegmentWriter, service: str, epoch: int, users: int, insecure: bool) -> Segment:
    """A written segment, still under its unfinished name."""
    return Segment(service, staged.path.name, epoch, staged.rows, users, staged.sha256, staged.bytes, insecure)


class PartWriter:
    """One segment of several, written by one process of many into a folder of drafts (`FolderWriter.drafts`).

    Only the holder of the lock can make it count. It never makes the folder: where that is gone, so is the reason to write.
    """

    def __init__(self, path: str | Path, plan: Plan, name: str) -> None:
        self.path = Path(path)
        self.plan = plan
        self._file = self.path / f"{name}.parquet"
        self._staged: SegmentWriter | None = None
        self.segment: Segment | None = None  # once it is finished

    def stage(self, service: str, schema: pa.Schema) -> SegmentWriter:
        """Begin the segment."""
        self._staged = SegmentWriter(self._file, schema, self.plan.design(service).offsets)
        return self._staged

    def where(self, segment: Segment) -> Path | str:
        """Where a segment is, for people."""
        return self.path / segment.file

    def known(self, service: str, epoch: int) -> tuple[Path, ...]:
        """Who has reported already is for the holder of the lock to look at, once for all parts."""
        return ()

    def commit(
        self, service: str, epoch: int, users: int, insecure: bool, log: None = None, done: Done | None = None
    ) -> Segment:
        """The finished segment, for `FolderWriter.adopt`, which is told of the run once all parts are there."""
        assert self._staged is not None
        self.segment = finished(self._staged, service, epoch, users, insecure)
        return self.segment
