"""A person leaves a relay: their bundles go, as far as no batch has them that may have been handed over.

A drawn batch never changes. One that was certainly never sent (`HELD` says so) is destroyed as a whole, and its epoch is drawn
anew from the bundles that are left. Of any other the person is out of reach: a second batch of the epoch, with one person less,
would tell the collector which bundle was theirs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.serve.collector import Collector
from untold.serve.relay.forgetting import BATCH, MIXED
from untold.serve.reports.forget import Forgotten
from untold.serve.reports.steps import reached
from untold.store import Folder, files
from untold.wire.bundle import SERVICE

HELD = ".held"  # beside a batch: not a byte of it has been sent. Gone before the first one is


@contextmanager
def drawing(folder: Path) -> Iterator[None]:
    """Nobody draws a batch, begins to send one, or forgets meanwhile, in whatever process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def hold(batch: Path) -> None:
    """Say of a batch that is just being drawn that it was not sent."""
    files.replace_durably(batch.with_suffix(HELD), b"", mode=0o600)


def let_go(batch: Path) -> None:
    """From now on it may have been sent."""
    with drawing(batch.parent):
        files.remove(batch.with_suffix(HELD))
        files.sync_folder(batch.parent)


@dataclass(frozen=True, eq=False)
class Leaving:
    """Of one relay."""

    collector: Collector
    folder: Path  # of its batches

    def forget(self, people: Collection[str]) -> Forgotten:
        """Remove all bundles of some people; `out_of_reach` counts those who are in a batch that may have been sent."""
        self.collector.flush().result()
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with drawing(self.folder):
            theirs = self._epochs_of(people)
            gone: set[str] = set()
            for epoch, some in theirs.items():
                if (self.folder / f"{epoch}{MIXED}").exists() or self._batches(epoch):
                    gone |= set() if self._destroy(epoch) else some
            reached("batches destroyed")
            found = self.collector.storage.forget_people(people).result()
        return replace(found, out_of_reach=len(gone))

    def _destroy(self, epoch: int) -> bool:
        """Destroy the batches of an epoch that were never sent, to be drawn anew; whether these are all."""
        batches = self._batches(epoch)
        held = [each for each in batches if each.with_suffix(HELD).exists()]
        if held:
            files.remove(self.folder / f"{epoch}{MIXED}")
            files.sync_folder(self.folder)
        for each in held:
            files.remove(each)
            files.remove(each.with_suffix(HELD))
        files.sync_folder(self.folder)
        return len(held) == len(batches)

    def _batches(self, epoch: int) -> list[Path]:
        return [*self.folder.glob(f"{epoch}{BATCH}"), *self.folder.glob(f"{epoch}-*{BATCH}")]

    def _epochs_of(self, people: Collection[str]) -> dict[int, set[str]]:
        """In which epochs some people have sent a bundle."""
        folder, names = Folder.open(self.collector.path), pa.array(sorted(people), pa.string())
        found: dict[int, set[str]] = {}
        for segment in folder.segments(SERVICE):
            keys = pq.read_table(folder.place(segment), columns=[folder.plan.user_key])[0].cast(pa.string())
            if own := set(pc.unique(keys.filter(pc.is_in(keys, value_set=names))).to_pylist()):
                found.setdefault(segment.epoch, set()).update(own)
        return found
