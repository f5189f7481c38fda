"""Adds segments to a place in a bucket: each is put there under its own name, then the manifest is compared and swapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from untold.errors import StoreError
from untold.plan import Plan
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.bucket import Bucket, Version
from untold.store.epoch_dates import NAME as DATES
from untold.store.folder import PLAN
from untold.store.manifest import Manifest, Segment
from untold.store.mirror import refresh
from untold.store.writer import LEDGER, FolderWriter, final_name


class BucketWriter(FolderWriter):
    """A writer on the local copy of a bucket. What the bucket's manifest lists counts; the local copy follows it.

    Who was overtaken by another writer notices at the manifest: its swap fails, and nothing of it counts.
    """

    def __init__(self, bucket: Bucket, mirror: Path, plan: Plan, ledger: str) -> None:
        super().__init__(mirror, plan, ledger)
        self._bucket = bucket
        self._version: Version | None = None

    def __enter__(self) -> BucketWriter:
        self._version = refresh(self._bucket, self.path)
        super().__enter__()
        return self

    def found(self) -> None:
        """Make the place one of reports, even before there are any."""
        if self._version is None:
            for name, text in ((PLAN, self.plan.to_json()), (LEDGER, str(self.ledger))):
                if not self._bucket.create(name, text.encode()):
                    there = self._bucket.read(name)
                    if there is None or there[0] != text.encode():
                        raise StoreError(f"{self._bucket.url} holds reports of another plan, or of other collectors.")
            self._bucket.create(manifests.NAME, self.manifest.to_json().encode())
            there = self._bucket.read(manifests.NAME)
            assert there is not None
            self._version = there[1]
        super().found()

    def adopt(self, parts: Sequence[Segment]) -> tuple[Segment, ...]:
        """Make finished segments count: all or none."""
        segments = tuple(replace(part, file=final_name(part)) for part in parts)
        for part, segment in zip(parts, segments, strict=True):
            self._bucket.create(
                segment.file, (self.path / part.file).read_bytes()
            )  # one that is there has the same bytes
        self._swap(self.manifest.exchanged(self._replaced, segments))
        for part, segment in zip(parts, segments, strict=True):
            final = inside.place(self.path, segment.file)
            final.parent.mkdir(exist_ok=True, mode=0o700)
            files.rename(self.path / part.file, final)
        self._follow()
        return segments

    def forget(self, before: float) -> tuple[Path, ...]:
        """Remove objects that have been retired before a time (seconds of the epoch); returns their local copies."""
        old = {each for each in self.manifest.retired if each.since < before}
        if old:
            self._swap(replace(self.manifest, retired=tuple(each for each in self.manifest.retired if each not in old)))
            for each in old:
                self._bucket.remove(each.file)
                files.remove(inside.place(self.path, each.file))
            self._follow()
        return tuple(self.path / each.file for each in old)

    def put_dates(self) -> None:
        """The days on which epochs began, as the local copy says."""
        data = (self.path / DATES).read_bytes()
        there = self._bucket.read(DATES)
        if not (self._bucket.create(DATES, data) if there is None else self._bucket.replace(DATES, data, there[1])):
            raise StoreError("another writer has changed the dates of epochs meanwhile.\nHint: try again.")

    def _swap(self, after: Manifest) -> None:
        assert self._version is not None
        made = self._bucket.replace(manifests.NAME, after.to_json().encode(), self._version)
        if made is None:
            raise StoreError(
                f"{self._bucket.url}: another writer has listed segments meanwhile.\nHint: it is tried again."
            )
        self.manifest, self._version = after, made

    def _follow(self) -> None:
        files.replace_durably(self.path / manifests.NAME, self.manifest.to_json().encode())
