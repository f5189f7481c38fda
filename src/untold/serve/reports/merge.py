"""Small segments of a closed epoch become larger ones: a file costs a query about as much as a thousand reports in it.

A collector's segments of open epochs are left alone: the index of who has reported speaks of them by name. Those that
`untold.perturb` wrote are in no index: `untold compact` merges them whatever their epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from untold.ask.engines.summaries import FOLDER as SUMMARIES
from untold.errors import StoreError
from untold.plan import Plan
from untold.randomness import Secure
from untold.serve.events import note
from untold.serve.reports.steps import reached
from untold.store import FolderWriter, Segment, files
from untold.store.segment import MESSAGE
from untold.store.writer import HEX

SMALL, LARGE = 1 << 17, 1 << 19  # rows: smaller segments are merged, into ones of at most so many
BYTES = 128 << 20  # in memory, of the segments that are merged into one
KEPT = 3600.0  # seconds that files stay after their reports are in another one: for who has opened the folder before
UNREADABLE = (OSError, pa.ArrowException, ValueError)


@dataclass(frozen=True, eq=False)
class Merger:
    """Merges the segments of one folder. On the converting thread, which alone changes the manifest.

    Nothing depends on it. What is damaged stays as it is, for `untold verify` to name; a disk that fails puts it off.
    """

    plan: Plan
    writer: FolderWriter
    left: set[str] = field(default_factory=set)  # files that are not looked at again: damaged, or full
    small: int = field(default_factory=lambda: SMALL)  # rows: smaller ones are merged
    large: int = field(default_factory=lambda: LARGE)  # rows: into ones of at most so many

    def merge(self, closed: Sequence[int], enough: Callable[[], bool] = lambda: False) -> bool:
        """Merge what is small in closed epochs, and remove what was merged long ago. After each new segment it asks whether
        that is `enough` for now; returns whether it was, so that there may be more to do."""
        self.forget()
        last: dict[int, int] = {}  # log of each epoch: its merged segments all carry that number
        for each in self.writer.manifest.segments:
            last[each.epoch] = max(last.get(each.epoch, 0), each.log or 0)
        return self._merge(self._from_logs(closed), last, enough)

    def compact(self) -> int:
        """Merge what `untold.perturb` wrote in small segments, of all epochs; returns how many segments there are less."""
        before = len(self.writer.manifest.segments)
        self._merge(self._from_tables(), {}, lambda: False)
        return before - len(self.writer.manifest.segments)

    def _merge(self, found: list[list[Segment]], last: dict[int, int], enough: Callable[[], bool]) -> bool:
        for small in found:
            for group, tables, full in self._groups(small):
                try:
                    segment = self._exchange(group, tables, last.get(group[0].epoch))
                    self.left.update([segment.file] if full else [])
                except (*UNREADABLE, StoreError) as error:
                    self._put_off(error)
                    if isinstance(error, OSError | StoreError):  # the disk: the next one would fail as well
                        return False
                if enough():
                    return True
        return False

    def forget(self) -> None:
        """Remove files that nobody can still be reading, and the summaries that were made of them."""
        try:
            remove_summaries(self.writer.path, self.writer.forget(time() - KEPT))
        except (OSError, StoreError) as error:
            self._put_off(error)

    def _put_off(self, error: BaseException) -> None:
        with suppress(OSError):
            self.writer.unstage()
        note("merge put off", error=type(error).__name__, errno=getattr(error, "errno", None))

    def _exchange(self, group: list[Segment], tables: list[pa.Table], log: int | None) -> Segment:
        """One segment in the place of several."""
        began, (service, epoch) = time(), (group[0].service, group[0].epoch)
        rows = shuffled(tables, self.plan.design(service).offsets)
        tables.clear()  # they are as large as the rows
        staged = self.writer.stage(service, rows.schema, instead_of=group)
        staged.write(rows)
        staged.finish()
        reached("merge finished")
        segment = self.writer.commit(service, epoch, sum(each.users for each in group), group[0].insecure, log)
        reached("merge listed")
        note("merged", epoch=epoch, segments=len(group), rows=rows.num_rows, seconds=round(time() - began, 3))
        return segment

    def _from_logs(self, closed: Sequence[int]) -> list[list[Segment]]:
        """Small segments that came through a log, of closed epochs."""
        epochs = frozenset(closed)

        def ended(each: Segment) -> bool:
            return each.epoch in epochs and self.plan.service(each.service).repeat != "once"

        return self._small(lambda each: each.log is not None and not each.insecure and ended(each))

    def _from_tables(self) -> list[list[Segment]]:
        """Small segments that were made of tables."""
        return self._small(lambda each: each.log is None)

    def _small(self, wanted: Callable[[Segment], bool]) -> list[list[Segment]]:
        """By service, epoch and whether a seed made them; in an order drawn anew, so that those which end in one file are not
        of one time."""
        found: dict[tuple[str, int, bool], list[Segment]] = {}
        for each in self.writer.manifest.segments:
            if wanted(each) and each.rows < self.small and each.file not in self.left:
                found.setdefault((each.service, each.epoch, each.insecure), []).append(each)
        orders = ((small, np.argsort(Secure().words((len(small),)))) for small in found.values() if len(small) > 1)
        return [[small[i] for i in order] for small, order in orders]

    def _groups(self, small: Sequence[Segment]) -> Iterator[tuple[list[Segment], list[pa.Table], bool]]:
        """Two or more that are together no larger than LARGE and BYTES; their rows; whether no other one fitted in."""
        group: list[Segment] = []
        tables: list[pa.Table] = []
        rows = size = 0
        for segment in small:
            if (table := self._read(segment)) is None:
                continue
            if rows + segment.rows > self.large or size + table.nbytes > BYTES:
                if len(group) > 1:
                    yield group, tables, True
                else:
                    self.left.update(each.file for each in group)
                group, tables, rows, size = [], [], 0, 0
            group.append(segment)
            tables.append(table)
            rows, size = rows + segment.rows, size + table.nbytes
        if len(group) > 1:
            yield group, tables, False

    def _read(self, segment: Segment) -> pa.Table | None:
        """A segment as it was written. One that is not is left out: its rows with a checksum of their own would look sound."""
        try:
            fault = self.writer.folder.fault(segment)
            table = None if fault else pq.read_table(self.writer.folder.place(segment))
            if table is not None and table.num_rows == segment.rows:
                return table
        except UNREADABLE as error:
            fault = type(error).__name__
        self.left.add(segment.file)
        note("merge left out", file=segment.file, fault=fault or "another number of rows than the manifest says")
        return None


def remove_summaries(folder: Path, gone: Sequence[Path]) -> None:
    """Of segments that are gone: they are never asked again."""
    names = {file.stem[-HEX:] for file in gone}
    with suppress(OSError):  # they may be an analyst's own
        for summary in (folder / SUMMARIES).iterdir() if names else ():
            if summary.name[:HEX] in names:
                files.remove(summary)


def shuffled(tables: Sequence[pa.Table], offsets: Sequence[int]) -> pa.RecordBatch:
    """All rows, sorted by view and in an order within it that is drawn anew: nothing in them is left of which file they came
    from, and so of when. The old files tell it while they stay, as do those that are never merged (docs/threat_model.md)."""
    rows = pa.concat_tables(tables).combine_chunks()
    view = np.searchsorted(np.asarray(offsets), rows[MESSAGE].to_numpy(), side="right")
    order = np.lexsort((Secure().words((rows.num_rows,)), view))
    (batch,) = rows.take(pa.array(order)).combine_chunks().to_batches()
    return batch
