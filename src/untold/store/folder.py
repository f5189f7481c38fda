"""Reads a folder of reports: its plan, its manifest and its segments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from hashlib import file_digest
from pathlib import Path

from untold.errors import PlanError, StoreError
from untold.plan import Plan
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.addresses import local_path
from untold.store.epoch_dates import read_dates
from untold.store.manifest import Manifest, Segment
from untold.store.segment_check import strangeness

PLAN = "plan.json"
PLANS = "plans"
PANEL = "panel.json"  # the key of those who were drawn for a panel
READ = "untold.connect(...) and `untold query` read s3:// and gs://; mount other storage as a folder"


@dataclass(frozen=True)
class Folder:
    """The frozen plan and the segments of reports that follow it.

    plan.json                         the plan
    plans/<id>.json                   all versions of it, once there are several
    epochs.json                       when epochs began, if somebody has said so
    discovered.json                   lists of texts that a search found, if one was made
    manifest.json                     the segments that count, with their checksums
    <service>/<epoch>-<hex>.parquet   immutable segments, sorted by view within stretches of reports
    .staged-*                         unfinished, a writer's own: nobody else can read them (modes 0600 and 0700), and the
                                      next writer removes what is left
    """

    path: Path
    plan: Plan
    manifest: Manifest

    @classmethod
    def open(cls, path: str | Path) -> Folder:
        """Read plan and manifest; segments stay on disk."""
        folder = local_path(path, READ)
        plan = read_plan(folder)
        file = folder / manifests.NAME
        if not file.is_file():
            raise StoreError(
                f"{folder} has a plan but no {manifests.NAME}: nothing was collected yet, or the file was lost.\n"
                "Hint: fill it with untold.perturb(plan, service, table, out=...), or restore the file from a copy."
            )
        manifest = Manifest.from_json(inside.read_text(file), file)
        if manifest.plan_id != plan.id:  # the manifest was exchanged between the two: a version begins with it
            plan = read_plan(folder)
        check_plan(folder, plan, manifest)
        return cls(folder, plan, manifest)

    @cached_property
    def versions(self) -> tuple[Folder, ...]:
        """The segments of each version of the plan as a folder of its own, this one last."""
        found = []
        for plan_id in self.manifest.plan_ids[:-1]:
            own = tuple(replace(each, plan=None) for each in self.manifest.earlier if each.plan == plan_id)
            version = Folder(self.path, read_version(self.path, plan_id), Manifest(plan_id, own))
            check_plan(self.path, version.plan, version.manifest)
            found.append(version)
        return (*sorted(found, key=lambda each: each.plan.version), self)

    def segments(self, service: str, epochs: Collection[int] | None = None) -> tuple[Segment, ...]:
        """The segments of a service, of all epochs or of some. Reports that are made once for all epochs are in any."""
        if self.plan.service(service).repeat == "once":
            epochs = None
        return tuple(
            s for s in self.manifest.segments if s.service == service and (epochs is None or s.epoch in epochs)
        )

    def paths(self, service: str, epochs: Collection[int] | None = None) -> tuple[Path, ...]:
        """Where these segments are."""
        return tuple(map(self.place, self.segments(service, epochs)))

    def place(self, segment: Segment) -> Path:
        """Where a segment is; refused if that leads through a link."""
        return inside.place(self.path, segment.file)

    def rows(self, service: str, epochs: Collection[int] | None = None) -> int:
        """Number of reports."""
        return sum(segment.rows for segment in self.segments(service, epochs))

    def users(self, service: str, epoch: int) -> int:
        """Number of people who reported in one epoch."""
        return sum(segment.users for segment in self.segments(service, (epoch,)))

    def epoch_dates(self) -> dict[int, date]:
        """On which day epochs began, as far as somebody has said so."""
        return read_dates(self.path)

    def epochs(self, service: str) -> tuple[int, ...]:
        """Epochs with reports, in order."""
        return tuple(sorted({segment.epoch for segment in self.segments(service)}))

    def several_epochs(self, epochs: Collection[int] | None = None) -> bool:
        """Whether a person may have reported more than once, in all epochs or in some."""
        once = {service.name for service in self.plan.schema.services if service.repeat == "once"}
        known = {segment.epoch for segment in self.manifest.segments if segment.service not in once}
        return len(known if epochs is None else known & set(epochs)) > 1

    @property
    def insecure(self) -> bool:
        """Whether any segment was made with a seed."""
        return any(segment.insecure for segment in self.manifest.segments)

    def verify(self) -> None:
        """Read every byte; all segments that are missing, damaged or not listed are named in one StoreError."""
        wrong = [
            fault for each in self.versions for segment in each.manifest.segments if (fault := each.fault(segment))
        ]
        wrong += [f"{file} is foreign: the manifest does not list it" for file in self.foreign()]
        if wrong:
            raise StoreError(
                "\n".join([f"{self.path} is not as it was written:", *(f"  - {each}" for each in wrong)])
                + "\nHint: restore missing and damaged files from a copy, and move foreign ones away."
            )

    def foreign(self) -> list[str]:
        """Files that have the names of segments and that the manifest does not know."""
        known = self.manifest.files()
        found = sorted(file.relative_to(self.path).as_posix() for file in self.path.glob("*/*.parquet"))
        return [file for file in found if file not in known and not file.startswith(files.STAGED)]

    def fault(self, segment: Segment) -> str | None:
        """How a segment differs from what was written (every byte is read); None if it does not."""
        try:
            file = self.place(segment)
        except StoreError:
            return f"{segment.file} is a link, which is not followed"
        if not file.is_file():
            return f"{segment.file} is missing ({segment.rows:,} reports)"
        if file.stat().st_size != segment.bytes:
            return f"{segment.file} is damaged: it has {file.stat().st_size:,} bytes, {segment.bytes:,} were written"
        with open(file, "rb") as handle:
            digest = file_digest(handle, "sha256").hexdigest()
        if digest != segment.sha256:
            return f"{segment.file} is damaged: its SHA-256 is not the one it was written with"
        strange = strangeness(file, segment, self.plan)
        return None if strange is None else f"{segment.file} {strange}"

    def check_segments(self, service: str, epochs: Collection[int] | None = None) -> None:
        """Refuse segments that do not hold what they should, as far as their footers tell: reports would be counted wrongly
        without a word."""
        for segment in self.segments(service, epochs):
            if (strange := strangeness(self.place(segment), segment, self.plan)) is not None:
                raise StoreError(
                    f"{segment.file} {strange}.\nHint: restore it from a copy; `untold verify` names every such file."
                )


def read_plan(folder: Path) -> Plan:
    """The frozen plan of a folder, or the reason why there is none."""
    hint = "Hint: collect reports with untold.perturb(plan, service, table, out=...)."
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise StoreError(f"{folder} {what}; expected a folder of reports.\n{hint}")
    file = folder / PLAN
    if not file.is_file():
        empty = not any(folder.iterdir())
        what = "is empty" if empty else f"has no {PLAN}: it is not a folder of reports, or the file was lost"
        raise StoreError(
            f"{folder} {what}.\n{hint if empty else 'Hint: check the path, or restore the file from a copy.'}"
        )
    listed = folder / manifests.NAME
    if (folder / PLANS).is_dir() and listed.is_file():
        return read_version(folder, Manifest.from_json(inside.read_text(listed), listed).plan_id)
    return _read_frozen(file)


def read_version(folder: Path, plan_id: str) -> Plan:
    """One version of a folder's plan."""
    file = plan_file(folder, plan_id)
    if not file.is_file():
        file = folder / PLAN
    plan = _read_frozen(file)
    if plan.id != plan_id:
        raise StoreError(
            f"{folder} has segments of plan {plan_id}, but no {PLANS}/{plan_id}.json.\nHint: restore it from a copy."
        )
    return plan


def plan_file(folder: Path, plan_id: str) -> Path:
    """Where a version of the plan is."""
    return inside.place(folder, f"{PLANS}/{plan_id}.json")


def _read_frozen(file: Path) -> Plan:
    try:
        text = inside.read_text(file)
        plan = Plan.from_json(text)
    except (PlanError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise StoreError(f"{file} cannot be read as a plan: {error}\nHint: restore it from a copy.") from error
    if plan.to_json() != text:
        raise StoreError(f"{file} is damaged: it is not the text that was frozen.\nHint: restore it from a copy.")
    return plan


def check_plan(folder: Path, plan: Plan, manifest: Manifest) -> None:
    """Plan and manifest must speak of the same plan."""
    if manifest.plan_id != plan.id:
        raise StoreError(
            f"{folder}: {PLAN} is plan {plan.id}, but the reports were made under {manifest.plan_id}.\n"
            f"Hint: restore the {PLAN} that was written with the reports."
        )
    if strangers := sorted({segment.service for segment in manifest.segments} - set(plan.services)):
        raise StoreError(
            f"{folder}: {manifests.NAME} lists segments of service '{strangers[0]}', which the plan does not have.\n"
            f"Hint: restore {manifests.NAME} from a copy."
        )
