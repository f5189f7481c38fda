"""Where the segments of many collectors are: in a folder that all of them reach, or in a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import monotonic, time
from typing import Protocol

from untold.plan import Plan
from untold.store import FolderWriter, inside
from untold.store import manifest as manifests
from untold.store.addresses import local_path
from untold.store.bucket import Bucket, is_bucket
from untold.store.bucket_writer import BucketWriter
from untold.store.epoch_dates import read_dates, with_date, write_date
from untold.store.lock import Busy
from untold.store.manifest import Manifest
from untold.store.mirror import mirror_of, refresh
from untold.store.writer import LEDGER, patiently

SECONDS = 5.0  # between two looks into a bucket: each is paid for
DAY = 86_400.0  # seconds; no writer takes so long from putting a segment to listing it


class Place(Protocol):
    """Takes segments from who holds the lock, and shows them to analysts."""

    @property
    def path(self) -> Path: ...  # a folder on this machine in which they can be read

    def writing(self, renew: bool = False) -> AbstractContextManager[FolderWriter]:
        """A writer that nobody else has; whether it may bring another version of the plan."""

    def refresh(self) -> Manifest:
        """What is listed by now; from then on it can be read in `path`."""

    def is_known(self) -> bool:
        """Whether these collectors have put segments here, or made it the place for them."""

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
    def writing(self, renew: bool = False) -> Iterator[FolderWriter]:
        """A writer that nobody else has."""
        with patiently(lambda: FolderWriter(self.path, self.plan, self.ledger, renew).__enter__()) as writer:
            writer.found()
            yield writer

    def refresh(self) -> Manifest:
        """What is listed by now."""
        return manifest_in(self.path)

    def is_known(self) -> bool:
        """Whether these collectors have made it their place."""
        file = self.path / LEDGER
        return file.exists() and inside.read_text(file) == self.ledger

    def check_date(self, epoch: int, start: date | None) -> None:
        """Refuse a day that does not fit the others."""
        if start is not None:
            with_date(read_dates(self.path), epoch, start)

    def write_date(self, epoch: int, start: date | None) -> None:
        """Say on which day an epoch began, while writing."""
        if start is not None:
            write_date(self.path, epoch, start)


class BucketPlace:
    """A place in a bucket, with a local copy of it for questions on this machine."""

    def __init__(self, url: str, plan: Plan, ledger: str) -> None:
        self.url, self.path = url, mirror_of(url)
        self._bucket, self._plan, self._ledger = Bucket(url), plan, ledger
        self._writer: BucketWriter | None = None
        self._seen = self._swept = float("-inf")

    def __str__(self) -> str:
        return self.url

    @contextmanager
    def writing(self, renew: bool = False) -> Iterator[FolderWriter]:
        """A writer that nobody else has."""
        with patiently(
            lambda: BucketWriter(self._bucket, self.path, self._plan, self._ledger, renew).__enter__()
        ) as writer:
            self._writer = writer
            writer.found()
            if monotonic() - self._swept > DAY:
                writer.sweep(time() - DAY)
                self._swept = monotonic()
            yield writer

    def refresh(self) -> Manifest:
        """What is listed by now, to within a few seconds, brought here; while another process of this machine brings it, what
        is here."""
        if monotonic() - self._seen > SECONDS:
            with suppress(Busy):
                refresh(self._bucket, self.path)
            self._seen = monotonic()
        return manifest_in(self.path)

    def is_known(self) -> bool:
        """Whether these collectors have made it their place."""
        found = self._bucket.read(LEDGER)
        return found is not None and found[0] == self._ledger.encode()

    def check_date(self, epoch: int, start: date | None) -> None:
        """Refuse a day that does not fit the others."""
        if start is not None:
            with_date(read_dates(self.path), epoch, start)

    def write_date(self, epoch: int, start: date | None) -> None:
        """Say on which day an epoch began, while writing."""
        if start is not None and self._writer is not None:
            write_date(self.path, epoch, start)
            self._writer.put_dates()


def manifest_in(path: Path) -> Manifest:
    """What a folder lists."""
    file = path / manifests.NAME
    return Manifest.from_json(inside.read_text(file), file)


def path_of(data: str) -> Path:
    """Where segments can be read on this machine."""
    return mirror_of(data) if is_bucket(data) else local_path(data, "s3:// and gs:// are known")


def place_of(data: str, plan: Plan, ledger: str) -> Place:
    """A folder, or a bucket."""
    return BucketPlace(data, plan, ledger) if is_bucket(data) else FolderPlace(path_of(data), plan, ledger)
