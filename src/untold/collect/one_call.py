"""One call of `perturb`: perturbs batches in parallel, writes them to one segment in order, and lets it count at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from untold.collect.batches import BatchEncoder
from untold.collect.collected import Collected
from untold.collect.keys import refuse_known_users, refuse_repeated_rows
from untold.collect.panelists import Panelists
from untold.collect.pool import in_order
from untold.collect.progress import progress
from untold.collect.rows import Grouped, sample
from untold.collect.validate import Checker
from untold.errors import BadRecord
from untold.randomness import BulkRandomness
from untold.store import FolderWriter, PartWriter


@dataclass(frozen=True)
class Encoded:
    """A batch of reports, and what it took."""

    reports: pa.RecordBatch
    users: int
    dropped: int = 0
    resting: int = 0


Job = Callable[[], Encoded]


def refuse_nothing(collected: Collected, source: str) -> Collected:
    """Somebody must have reported."""
    if not collected.users and not collected.resting:
        left = f" once {collected.dropped:,} invalid ones are left out" if collected.dropped else ""
        raise BadRecord(f"{source} has no rows{left}: nothing to report.\nHint: check the table.")
    return collected


@dataclass(frozen=True)
class Run:
    """What to do, with which draws, and where to."""

    encoder: BatchEncoder
    checker: Checker
    rng: BulkRandomness
    writer: FolderWriter | PartWriter | None  # None: keep the reports in memory
    shown: bool | None  # progress
    panelists: Panelists | None = None  # None: everybody takes part
    pay: Callable[[], None] = lambda: None  # before anything is handed out or counts
    run_id: str | None = None  # by which the manifest knows that this was done

    def one_row_each(self) -> Collected:
        """Every row is a person."""
        return self._collect(self._checked_batches(), self.checker.source.rows, 0, one_row=True)

    def many_rows_each(self, grouped: Grouped) -> Collected:
        """Every person of the population has some rows or none."""
        return self._collect(self._sampled_batches(grouped), grouped.people, grouped.dropped, one_row=False)

    def _checked_batches(self) -> Iterator[Job]:
        """Draws are split off here, in order, so that they do not depend on the threads."""
        start = 0
        for batch in self.checker.batches():
            yield partial(self._encode_checked, batch, start, self.rng.spawn())
            start += batch.num_rows

    def _sampled_batches(self, grouped: Grouped) -> Iterator[Job]:
        for batch in grouped.batches():
            yield partial(self._encode_sampled, batch, grouped, self.rng.spawn())

    def _encode_checked(self, batch: pa.RecordBatch, start: int, rng: BulkRandomness) -> Encoded:
        checked = self.checker.check(batch, start)
        rows = checked if self.panelists is None else checked.only(self.panelists.among(checked.keys))
        slots = np.zeros(len(rows.numbers), dtype=np.int16)
        resting = len(checked.numbers) - len(slots)
        return Encoded(self.encoder.encode(rows, slots, rng), len(slots), rows.dropped, resting)

    def _encode_sampled(self, batch: pa.RecordBatch, grouped: Grouped, rng: BulkRandomness) -> Encoded:
        resting = 0
        if self.panelists is not None:
            takes_part = self.panelists.among(batch.column("key"))
            resting = len(batch.filter(pa.array(~takes_part)).column("key").unique())
            batch = batch.filter(pa.array(takes_part))
        rows, slots = sample(batch, grouped.service, rng)
        return Encoded(self.encoder.encode(rows, slots, rng), len(slots) // grouped.service.slots, 0, resting)

    def _collect(self, jobs: Iterator[Job], total: int, dropped: int, one_row: bool) -> Collected:
        users, resting, kept = 0, 0, []
        staged: Any = None
        showing = progress(f"perturb {self.encoder.service}", total, self.shown)
        with showing as line, closing(in_order(jobs)) as results:
            for encoded in results:
                if self.writer is None:
                    kept.append(encoded.reports)
                else:
                    staged = staged or self.writer.stage(self.encoder.service, encoded.reports.schema)
                    staged.write(encoded.reports)
                users, dropped, resting = users + encoded.users, dropped + encoded.dropped, resting + encoded.resting
                line.advance(encoded.users + encoded.dropped + encoded.resting)
        if not users:
            if resting:
                self.pay()  # the draw of who takes part counts from now on, even where it left nobody
            return Collected(0, 0, dropped, self.rng.insecure, resting=resting)
        if self.writer is None:
            table = pa.Table.from_batches(kept)
            self._check_keys(table, one_row)
            self.pay()
            return Collected(table.num_rows, users, dropped, self.rng.insecure, None, table, resting)
        staged.finish()
        self._check_keys(staged.path, one_row)
        self.pay()
        service, epoch = self.encoder.service, self.encoder.epoch
        made = Collected(staged.rows, users, dropped, self.rng.insecure, resting=resting)
        done = made.done(self.run_id, service, epoch)
        segment = self.writer.commit(service, epoch, users, self.rng.insecure, done=done)
        return replace(made, segment=self.writer.where(segment))

    def _check_keys(self, reports: Any, one_row: bool) -> None:
        encoder = self.encoder
        if one_row:
            refuse_repeated_rows(reports, encoder.plan.design(encoder.service).messages_per_report, self.checker)
        if self.writer is not None:
            segments = self.writer.known(encoder.service, encoder.epoch)
            refuse_known_users(reports, segments, self.checker.key.name, encoder.epoch)
