"""Small segments of a closed epoch become larger ones: a file costs a query about as much as a thousand reports in it.

Segments of open epochs are left alone: the index of who has reported speaks of them by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit.engines.summaries import FOLDER as SUMMARIES
from tacit.plan import Plan
from tacit.randomness import Secure
from tacit.serve.events import note
from tacit.serve.steps import reached
from tacit.store import FolderWriter, Segment, files
from tacit.store.segment import MESSAGE
from tacit.store.writer import HEX

SMALL, LARGE = 1 << 17, 1 << 19  # rows: smaller segments are merged, into ones of at most so many
KEPT = 3600.0  # seconds that files stay after their reports are in another one: for who has opened the folder before


@dataclass(frozen=True, eq=False)
class Merger:
    """Merges the segments of one folder. On the converting thread, which alone changes the manifest."""

    plan: Plan
    writer: FolderWriter

    def merge(self, closed: Sequence[int]) -> int:
        """Merge what is small in closed epochs, and remove what was merged long ago; returns how many segments are gone.

        A disk that is full leaves everything as it is. Any other failure is the caller's, as that of a conversion.
        """
        self._forget()
        gone = 0
        for group in list(self._groups(closed)):
            began = time()
            try:
                rows = shuffled(
                    [pq.read_table(self.writer.path / each.file) for each in group], self._offsets(group[0])
                )
                staged = self.writer.stage(group[0].service, rows.schema, instead_of=group)
                staged.write(rows)
                staged.finish()
            except OSError as error:
                self.writer.unstage()
                note("merge put off", error=type(error).__name__, errno=error.errno)
                return gone
            reached("merge finished")
            users, last = sum(each.users for each in group), max(each.log or 0 for each in group)
            self.writer.commit(group[0].service, group[0].epoch, users, insecure=False, log=last)
            reached("merge listed")
            gone += len(group) - 1
            seconds = round(time() - began, 3)
            note("merged", epoch=group[0].epoch, segments=len(group), rows=rows.num_rows, seconds=seconds)
        return gone

    def _groups(self, closed: Sequence[int]) -> Iterator[list[Segment]]:
        """Small segments of one service and closed epoch that came through a log, together no larger than LARGE."""
        found: dict[tuple[str, int], list[Segment]] = {}
        for segment in self.writer.manifest.segments:
            if segment.epoch in closed and segment.log is not None and segment.rows < SMALL and not segment.insecure:
                found.setdefault((segment.service, segment.epoch), []).append(segment)
        for small in found.values():
            group: list[Segment] = []
            for segment in small:
                if sum(each.rows for each in group) + segment.rows > LARGE:
                    yield group
                    group = []
                group.append(segment)
            if len(group) > 1:
                yield group

    def _offsets(self, segment: Segment) -> Sequence[int]:
        return self.plan.design(segment.service).offsets

    def _forget(self) -> None:
        """Files that nobody can still be reading, and the summaries that were made of them."""
        for file in self.writer.forget(time() - KEPT):
            for summary in (self.writer.path / SUMMARIES).glob(f"{file.stem[-HEX:]}*"):
                files.remove(summary)


def shuffled(tables: Sequence[pa.Table], offsets: Sequence[int]) -> pa.RecordBatch:
    """All rows, sorted by view and in an order within it that is drawn anew: nothing is left of which file they came from,
    and so of when."""
    rows = pa.concat_tables(tables).combine_chunks()
    view = np.searchsorted(np.asarray(offsets), rows[MESSAGE].to_numpy(), side="right")
    order = np.lexsort((Secure().words((rows.num_rows,)), view))
    (batch,) = rows.take(pa.array(order)).combine_chunks().to_batches()
    return batch
