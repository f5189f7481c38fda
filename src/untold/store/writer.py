"""Adding segments to a folder: all or nothing, whatever fails, and only one writer at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import TypeVar

import pyarrow as pa

from untold.errors import StoreError
from untold.plan import Plan
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.addresses import local_path
from untold.store.folder import PLAN, PLANS, Folder, check_plan, plan_file, read_plan
from untold.store.lock import Busy, FolderLock
from untold.store.logs import HOME
from untold.store.manifest import Done, Manifest, Retired, Segment
from untold.store.part import finished
from untold.store.recovery import clear, settle, undo
from untold.store.segment import SegmentWriter

LEDGER = ".ledger"
PATIENCE = 20.0  # seconds until a folder that is busy is given up
Writer = TypeVar("Writer", bound="FolderWriter")
WRITE = "write to a folder or to a bucket (s3://, gs://), or mount other storage as a folder"
OTHERS = 0o007
HEX = 16  # digits of a segment's checksum in its name


def final_name(segment: Segment) -> str:
    """Where a segment belongs: named by its bytes."""
    return f"{segment.service}/{segment.epoch}-{segment.sha256[:HEX]}.parquet"


class FolderWriter:
    """Holds the lock of a folder, which is made if need be. What is not committed when it closes is gone.

        with FolderWriter("reports/", plan) as writer:
            segment = writer.stage("users", schema)
            segment.write(batch) ...
            segment.finish()
            writer.commit("users", epoch=0, users=..., insecure=False)

    A commit is durable in this order: the segment and the new manifest under unfinished names; then the segment gets
    its name, and last the manifest: from there on the segment counts, and others than its owner may read it. A process
    that dies in between leaves unfinished files, which the next writer removes (`recovery`).
    """

    def __init__(self, path: str | Path, plan: Plan, ledger: str | None = None, renew: bool | None = None) -> None:
        self.path = local_path(path, WRITE)
        self.plan = plan
        self.ledger = ledger  # a database that knows who has reported; it alone may write where it has written once
        self.manifest = Manifest(plan.id)
        # whether another version of the plan may take over; None: only where no collector has announced versions
        self._renew = renew
        self._before: Plan | None = None  # the version that was collected until now
        self._stack = ExitStack()
        self._staged: SegmentWriter | None = None
        self._replaced: tuple[Segment, ...] = ()  # by the staged segment
        self._listed = False  # whether there is a manifest
        self._made: list[Path] = []  # folders that were not there, the innermost first

    def __enter__(self) -> FolderWriter:
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"{self.path} is a file; reports are written into a folder.\nHint: give another name.")
            self._made = self._lock()
            clear(self.path)
            self._check()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._staged is not None:
                self._staged.abandon()
        finally:
            files.remove_empty(self._made)
            self._stack.close()

    def _lock(self) -> list[Path]:
        """Make the folder if need be, and lock it; returns the folders that were made. Only who holds the lock may remove
        them. Another writer may have had it, and removed the folder, between the two steps: then once more."""
        made: list[Path] = []
        while True:
            made += [each for each in files.make_folders(self.path) if each not in made]
            with suppress(FileNotFoundError):
                self._stack.enter_context(FolderLock(self.path))
                return made

    @property
    def place(self) -> str:
        """What it writes to, for people."""
        return str(self.path)

    def where(self, segment: Segment) -> Path | str:
        """Where a segment is, for people."""
        return self.path / segment.file

    def foreign(self) -> list[str]:
        """Segments that the manifest does not list."""
        return self.folder.foreign()

    def keep_beside(self, name: str, data: bytes) -> None:
        """A file for the owner alone, beside the reports; one that is there stays."""
        if not (self.path / name).exists():
            files.replace_durably(self.path / name, data, files.PRIVATE)

    @property
    def folder(self) -> Folder:
        """What the folder holds by now."""
        return Folder(self.path, self.plan, self.manifest)

    def found(self) -> None:
        """Make the folder a folder of reports, even before there are any: the plan and a manifest without segments."""
        if not (self.path / PLAN).exists():
            files.replace_durably(self.path / PLAN, self.plan.to_json().encode())
        if self._before is not None:
            self.write_plans()
            files.replace_durably(self.path / manifests.NAME, self.manifest.to_json().encode())
            self._settle_plan()
        if self.ledger is not None and not (self.path / LEDGER).exists():
            files.replace_durably(self.path / LEDGER, self.ledger.encode())
        if not (self.path / manifests.NAME).exists():
            files.replace_durably(self.path / manifests.NAME, self.manifest.to_json().encode())
        for parent in self._made:
            files.sync_folder(parent.parent)
        self._listed, self._made = True, []

    def write_plans(self) -> None:
        """Both versions of the plan, before the manifest names them."""
        assert self._before is not None
        files.make_folders(self.path / PLANS)
        for plan in (self._before, self.plan):
            if not plan_file(self.path, plan.id).exists():
                files.replace_durably(plan_file(self.path, plan.id), plan.to_json().encode())
        files.sync_folder(self.path)

    def _settle_plan(self) -> None:
        """The manifest names the new version: from here on it is the plan of the folder."""
        files.replace_durably(self.path / PLAN, self.plan.to_json().encode())
        self._before = None

    def stage(self, service: str, schema: pa.Schema, instead_of: Sequence[Segment] = ()) -> SegmentWriter:
        """Begin the one unfinished segment that this writer may have; it takes the place of others when it is committed."""
        if self._staged is not None:
            raise StoreError("a segment is already being written.\nHint: commit it first.")
        path = self.path / f"{files.STAGED}segment.parquet"
        self._staged = SegmentWriter(path, schema, self.plan.design(service).offsets)
        self._replaced = tuple(instead_of)
        return self._staged

    @contextmanager
    def drafts(self, name: str) -> Iterator[Path]:
        """A private folder for parts that others write (`PartWriter`). What is not adopted from it is gone with it."""
        folder = self.path / f"{files.STAGED}{name}"
        files.make_private(folder)
        try:
            yield folder
        finally:
            try:
                files.remove_folder(folder)
            except OSError as error:
                raise StoreError(
                    f"{folder}* holds parts that do not count (a second draw of the same people) and cannot be removed: "
                    f"{error}.\nHint: end what still writes there, and remove it; the next writer tries again."
                ) from error

    def unstage(self) -> None:
        """Give the staged segment up."""
        if self._staged is not None:
            staged, self._staged, self._replaced = self._staged, None, ()
            staged.abandon()

    def forget(self, before: float) -> tuple[Path, ...]:
        """Remove files that have been retired before a time (seconds of the epoch); returns them."""
        settle(self.path)
        return self._remove({each for each in self.manifest.retired if each.since < before})

    @property
    def lasting(self) -> frozenset[str]:
        """Services that report once for all epochs: what they stored belongs to none, whatever number it has."""
        versions = (self.plan, *(each.plan for each in self.folder.versions))
        return frozenset(
            service.name for plan in versions for service in plan.schema.services if service.repeat == "once"
        )

    def withdraw(self, epochs: Collection[int], keep: Collection[str] = ()) -> tuple[Path, ...]:
        """Have all reports of some epochs count no more, and remove their files at once, also those that were retired before;
        returns them. Services in `keep` stay. Whoever dies in between leaves retired files."""
        settle(self.path)
        after = self.manifest.without(epochs, keep)
        if after != self.manifest:
            files.replace_durably(self.path / manifests.NAME, after.to_json().encode())
            self.manifest = after
        old = (each for each in self.manifest.retired if each.epoch in epochs)
        return self._remove({each for each in old if each.file.partition("/")[0] not in keep})

    def _remove(self, old: Set[Retired]) -> tuple[Path, ...]:
        """Retired files, and what the manifest says of them."""
        if old:
            for each in old:
                files.remove(inside.place(self.path, each.file))
            after = replace(self.manifest, retired=tuple(each for each in self.manifest.retired if each not in old))
            files.replace_durably(self.path / manifests.NAME, after.to_json().encode())
            self.manifest = after
        return tuple(self.path / each.file for each in old)

    def exchange(self, gone: Sequence[Segment], parts: Sequence[Segment]) -> tuple[Segment, ...]:
        """Finished segments in drafts of this folder in the place of others: all or none."""
        self._replaced = tuple(gone)
        try:
            return self.adopt(parts)
        finally:
            self._replaced = ()

    def known(self, service: str, epoch: int) -> tuple[Path, ...]:
        """Segments with the people who have reported already."""
        return self.folder.paths(service, (epoch,))

    def commit(
        self,
        service: str,
        epoch: int,
        users: int,
        insecure: bool,
        log: int | None = None,
        done: Done | None = None,
    ) -> Segment:
        """Make the staged and finished segment count; `log` says which log of a collector it holds the reports of, `done`
        which run made it."""
        if self._staged is None:
            raise StoreError("there is no segment to commit.\nHint: stage one, write to it and finish it.")
        (segment,) = self.adopt([replace(finished(self._staged, service, epoch, users, insecure), log=log)], done)
        self._staged, self._replaced = None, ()
        return segment

    def adopt(self, parts: Sequence[Segment], done: Done | None = None) -> tuple[Segment, ...]:
        """Make finished segments that lie in this folder, or in drafts of it, under unfinished names count: all or none."""
        settle(self.path)
        segments = tuple(replace(part, file=final_name(part)) for part in parts)
        moves = [
            (self.path / part.file, inside.place(self.path, segment.file))
            for part, segment in zip(parts, segments, strict=True)
        ]
        if taken := next((final for _, final in moves if final.exists()), None):
            raise StoreError(
                f"{taken} exists already; segments are never overwritten.\nHint: untold.store.Folder.open(...).verify()."
            )
        self._check_epochs(segments)
        after = self.manifest.exchanged(self._replaced, segments, done)
        plan_is_new = not (self.path / PLAN).exists()
        made = [folder for _, final in moves for folder in files.make_folders(final.parent)]
        try:
            if plan_is_new:
                files.replace_durably(self.path / PLAN, self.plan.to_json().encode())
            if self._before is not None:
                self.write_plans()
            aside = files.stage(self.path / manifests.NAME, after.to_json().encode())
            files.sync_folder(self.path)
            for staged, final in moves:
                files.rename(staged, final)
            for folder in dict.fromkeys(final.parent for _, final in moves):
                files.sync_folder(folder)
            usual = (
                files.mode_of(aside) & ~OTHERS
            )  # what the umask makes of a new file; user keys are not for everybody
            files.rename(aside, self.path / manifests.NAME)
            for _, final in moves:
                files.show(final, usual)
            files.sync_folder(self.path)
            for parent in self._made:
                files.sync_folder(parent.parent)
        except BaseException:
            if undo(self.path, self.manifest if self._listed else None, after):
                files.remove_empty(made)
                for name in (files.STAGED + PLAN, PLAN) if plan_is_new else ():
                    files.remove(self.path / name)
            else:
                self.manifest, self._listed, self._made = after, True, []
            raise
        self.manifest, self._listed, self._made = after, True, []
        if self._before is not None:
            self._settle_plan()
        return segments

    def _check_epochs(self, segments: Sequence[Segment]) -> None:
        """An epoch has one version of the plan."""
        past = {each.epoch for each in self.manifest.earlier}
        once = {service.name for service in self.plan.schema.services if service.repeat == "once"}
        if wrong := sorted({each.epoch for each in segments if each.service not in once and each.plan is None} & past):
            raise StoreError(
                f"{self.path}: epoch {wrong[0]} was collected under an earlier version of plan '{self.plan.name}'; an epoch has "
                f"one version.\nHint: version {self.plan.version} counts from the next epoch on."
            )

    def _check(self) -> None:
        """Refuse foreign folders and other plans' reports."""
        if not (self.path / PLAN).exists():
            strangers = sorted(each.name for each in self.path.iterdir() if not _only_secrets(each))
            if strangers:
                raise StoreError(
                    f"{self.path} has no {PLAN} but holds other files ({', '.join(strangers[:3])}): "
                    "it is not a folder of reports.\nHint: give a new or an empty folder."
                )
            return
        ledger = inside.read_text(self.path / LEDGER) if (self.path / LEDGER).exists() else None
        if ledger is not None and ledger != self.ledger:
            raise StoreError(
                f"{self.path} belongs to collectors over a database ({ledger}), which alone knows who has reported.\n"
                "Hint: send reports to these collectors, or write to another folder."
            )
        there = read_plan(self.path)
        file = self.path / manifests.NAME
        if file.exists():
            self.manifest, self._listed = Manifest.from_json(inside.read_text(file), file), True
            check_plan(self.path, there, self.manifest)
        if there.id != self.plan.id:
            self._take_over(there)

    def _take_over(self, there: Plan) -> None:
        """Another plan than the folder's: before the first report any will do; then a later version of the same name, from
        an epoch on that has no reports."""
        home = self.path / HOME
        served = home.is_dir() and any(each.name != "secrets.json" for each in home.iterdir())
        allowed = not served if self._renew is None else self._renew
        if not self.manifest.segments and not self.manifest.earlier and allowed:
            self.manifest = Manifest(self.plan.id)
            files.replace_durably(self.path / manifests.NAME, self.manifest.to_json().encode())
            files.replace_durably(self.path / PLAN, self.plan.to_json().encode())
            return
        if not allowed or there.name != self.plan.name or self.plan.version <= there.version:
            raise other_plan(str(self.path), there, self.plan, served)
        self.manifest = self.manifest.renewed(self.plan.id, lasting(there, self.plan))
        self._before = there


@contextmanager
def patiently(enter: Callable[[], Writer]) -> Iterator[Writer]:
    """A writer once the folder is free: another process of this machine may just be reading what is new, or dying."""
    began = monotonic()
    while True:
        try:
            writer = enter()
            break
        except Busy:
            if monotonic() - began > PATIENCE:
                raise
            sleep(0.05)
    with ExitStack() as stack:
        stack.push(writer)
        yield writer


def lasting(before: Plan, now: Plan) -> frozenset[str]:
    """Services that report once for all epochs, whatever the version; refused where a version draws them in another way."""
    found = set()
    for number, service in enumerate(before.schema.services):
        if service.repeat != "once" or service.name not in now.services:
            continue
        same = now.services.index(service.name) == number and now.service(service.name).repeat == "once"
        if not same or before.mechanism(service.name) != now.mechanism(service.name):
            raise StoreError(
                f"service '{service.name}' reports once for all epochs, and version {now.version} of plan '{now.name}' draws it in "
                "another way: who has reported would be counted twice.\nHint: leave it as it is, or give it another name."
            )
        found.add(service.name)
    return frozenset(found)


def other_plan(place: str, there: Plan, plan: Plan, served: bool) -> StoreError:
    """Why a place does not take the reports of a plan, and what to do."""
    if there.name != plan.name:
        return StoreError(
            f"{place} holds reports of another plan: '{there.name}' with id {there.id}; "
            f"these are of '{plan.name}' with id {plan.id}.\nHint: use another place: reports of two plans do not mix."
        )
    if plan.version <= there.version:
        return StoreError(
            f"{place} collects version {there.version} of plan '{there.name}' (id {there.id}); this is another plan of version "
            f"{plan.version} (id {plan.id}).\n"
            f"Hint: write version = {there.version + 1} into the plan, and announce it: untold serve epoch open N --plan PLAN. "
            "`untold plan diff` says what changes."
        )
    return StoreError(
        f"{place} collects version {there.version} of plan '{there.name}'; version {plan.version} is not announced.\n"
        "Hint: untold serve epoch open N --plan PLAN announces it, with the first epoch that has it."
    )


def _only_secrets(place: Path) -> bool:
    """Whether this is what `untold serve mixkey` makes, before there is a plan."""
    plain = place.name == HOME and place.is_dir() and not place.is_symlink()
    return plain and {each.name for each in place.iterdir()} <= {"secrets.json"}
