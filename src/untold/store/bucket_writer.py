"""Adds segments to a place in a bucket: each is put there under its own name, then the manifest is compared and swapped."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import replace
from pathlib import Path

from untold.errors import StoreError
from untold.plan import Plan
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.bucket import Bucket, Version
from untold.store.epoch_dates import NAME as DATES
from untold.store.folder import PLAN, PLANS
from untold.store.manifest import Done, Manifest, Retired, Segment
from untold.store.mirror import refresh
from untold.store.writer import LEDGER, FolderWriter, final_name


class BucketWriter(FolderWriter):
    """A writer on the local copy of a bucket. What the bucket's manifest lists counts; the local copy follows it.

    Who was overtaken by another writer notices at the manifest: its swap fails, and nothing of it counts.
    """

    def __init__(self, bucket: Bucket, mirror: Path, plan: Plan, ledger: str, renew: bool | None = None) -> None:
        super().__init__(mirror, plan, ledger, renew)
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
        elif self._before is not None:
            self._put_plans()
            self._swap(self.manifest)
        super().found()

    def adopt(self, parts: Sequence[Segment], done: Done | None = None) -> tuple[Segment, ...]:
        """Make finished segments count: all or none."""
        segments = tuple(replace(part, file=final_name(part)) for part in parts)
        for part, segment in zip(parts, segments, strict=True):
            self._bucket.create(
                segment.file, (self.path / part.file).read_bytes()
            )  # one that is there has the same bytes
        self._check_epochs(segments)
        if self._before is not None:
            self._put_plans()
        self._swap(self.manifest.exchanged(self._replaced, segments, done))
        if self._before is not None:
            self._settle_plan()
        for part, segment in zip(parts, segments, strict=True):
            final = inside.place(self.path, segment.file)
            final.parent.mkdir(exist_ok=True, mode=0o700)
            files.rename(self.path / part.file, final)
        self._follow()
        return segments

    def withdraw(self, epochs: Collection[int], keep: Collection[str] = ()) -> tuple[Path, ...]:
        """Have all reports of some epochs count no more, and remove their objects at once."""
        after = self.manifest.without(epochs, keep)
        if after != self.manifest:
            self._swap(after)
            self._follow()
        return super().withdraw(epochs, keep)

    def _remove(self, old: Set[Retired]) -> tuple[Path, ...]:
        """Retired objects, and what the manifest says of them: whoever dies in between finds them there once more."""
        if old:
            for each in old:
                self._bucket.remove(each.file)
                files.remove(inside.place(self.path, each.file))
            self._swap(replace(self.manifest, retired=tuple(each for each in self.manifest.retired if each not in old)))
            self._follow()
        return tuple(self.path / each.file for each in old)

    def _take_over(self, there: Plan) -> None:
        super()._take_over(there)
        if self._before is None and self._version is not None:  # before the first report any plan will do
            self._swap(self.manifest)
            self._put(PLAN, self.plan.to_json())

    def _settle_plan(self) -> None:
        self._put(PLAN, self.plan.to_json())
        super()._settle_plan()

    def _put(self, name: str, text: str) -> None:
        there = self._bucket.read(name)
        if there is None:
            self._bucket.create(name, text.encode())
        elif there[0] != text.encode():
            self._bucket.replace(name, text.encode(), there[1])

    def _put_plans(self) -> None:
        """Both versions of the plan, before the manifest names them."""
        self.write_plans()
        for plan in (self._before, self.plan):
            if plan is not None:
                self._bucket.create(f"{PLANS}/{plan.id}.json", plan.to_json().encode())

    def sweep(self, before: float) -> tuple[str, ...]:
        """Remove segments that nobody lists and that were put here before a time: who put them was overtaken, or died. Their
        names are returned. Give time enough: another writer puts segments before it lists them."""
        known = self.manifest.files()
        left = [name for name in self._bucket.older_than(before) if inside.is_segment_file(name) and name not in known]
        for name in left:
            self._bucket.remove(name)
        return tuple(left)

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
