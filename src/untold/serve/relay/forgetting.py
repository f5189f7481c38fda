"""A relay forgets epochs that it has handed over: bundles, who sent them, and batches. Nothing is left to open later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import time

from untold.serve.collector import Collector
from untold.serve.events import note
from untold.store import files

BATCH, TAKEN, MIXED = ".batch", ".taken", ".mixed"  # how files end: a batch; the collector has it; the epoch is mixed
FORGOTTEN = ".forgotten"


@dataclass(frozen=True, eq=False)
class Forgetting:
    """Of one relay. An epoch waits until every batch of it was taken, and `keep` seconds more."""

    collector: Collector
    folder: Path  # of its batches
    keep: float

    def step(self) -> None:
        """Forget every epoch whose time has come. What remains is its number, and that it was mixed and handed over."""
        for epoch in self.collector.settings.closed:
            since = self.handed_over(epoch)
            if since is None or time() - since < self.keep or (self.folder / f"{epoch}{FORGOTTEN}").exists():
                continue
            self.collector.forget_epochs([epoch]).result()
            for batch in self.batches(epoch):
                files.remove(batch)
            files.sync_folder(self.folder)
            files.replace_durably(self.folder / f"{epoch}{FORGOTTEN}", b"", mode=0o600)
            note("forgotten", epoch=epoch)

    def handed_over(self, epoch: int) -> float | None:
        """When the last batch of an epoch was taken, or it was found to have too few people; None if it is not all taken."""
        notes = [self.folder / f"{epoch}{MIXED}", *(each.with_suffix(TAKEN) for each in self.batches(epoch))]
        if not all(each.exists() for each in notes):
            return None
        return max(each.stat().st_mtime for each in notes)

    def batches(self, epoch: int) -> list[Path]:
        """The batches of an epoch: one, or one for every group."""
        return [*self.folder.glob(f"{epoch}{BATCH}"), *self.folder.glob(f"{epoch}-*{BATCH}")]
