"""Where the segments of many collectors are: in a folder that all of them reach, or in a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from untold.plan import Plan
from untold.store import FolderWriter, inside
from untold.store import manifest as manifests
from untold.store.epoch_dates import read_dates, with_date, write_date
from untold.store.manifest import Manifest


class Place(Protocol):
    """Takes segments from who holds the lock, and shows them to analysts."""

    @property
    def path(self) -> Path: ...  # a folder on this machine in which they can be read

    def writing(self) -> AbstractContextManager[FolderWriter]:
        """A writer that nobody else has."""

    def refresh(self) -> Manifest:
        """What is listed by now; from then on it can be read in `path`."""

    def check_date(self, epoch: int, start: date | None) -> None:
        """Refuse a day that does not fit the others."""

    def write_date(self, epoch: int, start: date | None) -> None:
        """Say on which day an epoch began, while writing."""


@dataclass(frozen=True)
class FolderPlace:
    """A folder on this machine, or on a file system that several share."""

    path: Path
    plan: Plan
    ledger: str  # the name of the database's schema: no other ledger may write there

    def __str__(self) -> str:
        return str(self.path.absolute())

    @contextmanager
    def writing(self) -> Iterator[FolderWriter]:
        """A writer that nobody else has."""
        with FolderWriter(self.path, self.plan, self.ledger) as writer:
            writer.found()
            yield writer

    def refresh(self) -> Manifest:
        """What is listed by now."""
        file = self.path / manifests.NAME
        return Manifest.from_json(inside.read_text(file), file)

    def check_date(self, epoch: int, start: date | None) -> None:
        """Refuse a day that does not fit the others."""
        if start is not None:
            with_date(read_dates(self.path), epoch, start)

    def write_date(self, epoch: int, start: date | None) -> None:
        """Say on which day an epoch began, while writing."""
        if start is not None:
            write_date(self.path, epoch, start)


def place_of(data: str, plan: Plan, ledger: str) -> Place:
    """A folder, or a bucket."""
    return FolderPlace(Path(data), plan, ledger)
