"""Adds segments to a place in a bucket: each is put there under its own name, then the manifest is compared and swapped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from time import time

from untold.errors import StoreError
from untold.plan import Plan
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.bucket import Bucket, Version, is_bucket
from untold.store.epoch_dates import NAME as DATES
from untold.store.folder import PANEL, PLAN, PLANS
from untold.store.manifest import Done, Manifest, Retired, Segment
from untold.store.mirror import mirror_of, refresh
from untold.store.writer import LEDGER, FolderWriter, final_name, patiently

BESIDE = (PANEL,)  # objects beside the reports that a writer without a database needs
LONG = 86_400.0  # seconds; no writer takes so long from putting a segment to listing it


@contextmanager
def writer_to(place: str | Path, plan: Plan) -> Iterator[FolderWriter]:
    """A writer to a folder, or to a place in a bucket, where no database knows who has reported."""
    if isinstance(place, str) and is_bucket(place):
        bucket, mirror = Bucket(place), mirror_of(place)
        with patiently(lambda: BucketWriter(bucket, mirror, plan).__enter__()) as writer:
            yield writer
    else:
        with FolderWriter(place, plan) as folder_writer:
            yield folder_writer


class BucketWriter(FolderWriter):
    """A writer on the local copy of a bucket. What the bucket's manifest lists counts; the local copy follows it.

    Who was overtaken by another writer notices at the manifest: its swap fails, and nothing of it counts.
    """

    def __init__(
        self, bucket: Bucket, mirror: Path, plan: Plan, ledger: str | None = None, renew: bool | None = None
    ) -> None:
        super().__init__(mirror, plan, ledger, renew)
        self._bucket = bucket
        self._version: Version | None = None

    def __enter__(self) -> BucketWriter:
        self._version = refresh(self._bucket, self.path)
        if self.ledger is None:
            self._take_beside()
        super().__enter__()
        return self

    def _take_beside(self) -> None:
        """What a bucket has beside its reports, for those who write to it without a database."""
        there = self._bucket.read(LEDGER)
        if there is not None:
            raise StoreError(
                f"{self.place} belongs to collectors over a database ({there[0].decode(errors='replace')}), which alone knows "
                "who has reported.\nHint: send reports to these collectors, or write to another place."
            )
        for name in BESIDE:
            found = self._bucket.read(name)
            files.remove(self.path / name)
            if found is not None:
                super().keep_beside(name, found[0])
        self.sweep(time() - LONG)

    @property
    def place(self) -> str:
        """The address."""
        return self._bucket.url

    def where(self, segment: Segment) -> str:
        """Its address."""
        return f"{self._bucket.url}/{segment.file}"

    def foreign(self) -> list[str]:
        """Objects with names of segments that the manifest does not list: somebody is putting them there just now, or died."""
        known = self.manifest.files()
        found = self._bucket.older_than(inf)
        return sorted(name for name in found if inside.is_segment_file(name) and name not in known)

    def keep_beside(self, name: str, data: bytes) -> None:
        """An object; whoever may read the bucket may read it."""
        if not self._bucket.create(name, data):
            there = self._bucket.read(name)
            if there is None or there[0] != data:
                raise StoreError(f"{self.place}: another writer has begun meanwhile.\nHint: try again.")
        super().keep_beside(name, data)

    def found(self) -> None:
        """Make the place one of reports, even before there are any."""
        if self._version is None:
            for name, text in ((PLAN, self.plan.to_json()), (LEDGER, self.ledger)):
                if text is not None and not self._bucket.create(name, text.encode()):
                    there = self._bucket.read(name)
                    if there is None or there[0] != text.encode():
                        raise StoreError(f"{self._bucket.url} holds reports of another plan, or of other collectors.")
            self._bucket.create(manifests.NAME, self.manifest.to_json().encode())
            there = self._bucket.read(manifests.NAME)
            if there is None or there[0] != self.manifest.to_json().encode():
                raise self._overtaken()
            self._version = there[1]
        elif self._before is not None:
            self._put_plans()
            self._swap(self.manifest)
        super().found()

    def adopt(self, parts: Sequence[Segment], done: Done | None = None) -> tuple[Segment, ...]:
        """Make finished segments count: all or none."""
        segments = tuple(replace(part, file=final_name(part)) for part in parts)
        self._check_epochs(segments)
        if self.ledger is None:
            self.found()
            self._check_current()
        made = [
            segment.file
            for part, segment in zip(parts, segments, strict=True)
            if self._bucket.create(segment.file, (self.path / part.file).read_bytes())
        ]  # one that is there has the same bytes
        if self._before is not None:
            self._put_plans()
        try:
            self._swap(self.manifest.exchanged(self._replaced, segments, done))
        except StoreError:
            if self.ledger is None:
                self._take_back(made)
            raise
        if self._before is not None:
            self._settle_plan()
        for part, segment in zip(parts, segments, strict=True):
            final = inside.place(self.path, segment.file)
            final.parent.mkdir(exist_ok=True, mode=0o700)
            files.rename(self.path / part.file, final)
        self._follow()
        return segments

    def _check_current(self) -> None:
        """Nobody has listed anything meanwhile: before a second draw of the same people could be put beside the first."""
        there = self._bucket.read(manifests.NAME)
        if there is None or there[0] != self.manifest.to_json().encode():
            raise self._overtaken()

    def _take_back(self, made: Sequence[str]) -> None:
        """Remove what was put and is not listed: a draw that does not count is nothing for others to read."""
        there = self._bucket.read(manifests.NAME)
        listed = set() if there is None else Manifest.from_json(there[0].decode(), Path(self.place)).files()
        for name in made:
            if name not in listed:
                self._bucket.remove(name)

    def _overtaken(self) -> StoreError:
        return StoreError(f"{self.place}: another writer has listed segments meanwhile.\nHint: try again.")

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
            raise self._overtaken()
        self.manifest, self._version = after, made

    def _follow(self) -> None:
        files.replace_durably(self.path / manifests.NAME, self.manifest.to_json().encode())
