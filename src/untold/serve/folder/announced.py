"""Another version of the plan in a folder: announced with an epoch, and taken over when a collector starts with it.

announce      plans/<id>.json and announced.json; a collector that runs goes on with the version that it has
take_over     what is in logs becomes segments, epochs of the old version are closed, the manifest names the new one, its
              first epoch is open. Whoever dies in between leaves a folder from which the next start goes on
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.reports.jobs import LogLimits
from untold.serve.reports.steps import reached
from untold.serve.settings import SETTINGS, Settings
from untold.store import FolderWriter, files
from untold.store.folder import PLAN, PLANS, plan_file, read_plan
from untold.store.inside import read_text
from untold.store.logs import HOME, existing_logs
from untold.store.sealed import sealed, unsealed
from untold.store.writer import lasting, other_plan

ANNOUNCED, OFFERED = "announced.json", "offered"


@dataclass(frozen=True)
class Announced:
    """The first epoch of a version that no collector has begun with yet."""

    epoch: int
    plan_id: str

    @classmethod
    def load(cls, home: Path) -> Announced | None:
        """What was announced; None if nothing is."""
        file = home / ANNOUNCED
        return cls.from_json(read_text(file), file) if file.exists() else None

    @classmethod
    def from_json(cls, text: str, file: Path) -> Announced:
        """Read it back. `file` names the place in messages."""
        try:
            found = json.loads(unsealed(text, file))
            return cls(int(found["epoch"]), str(found["plan_id"]))
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{file} does not say what is announced.\nHint: announce the version again.") from error

    def to_json(self) -> str:
        """As it is stored."""
        return sealed(json.dumps(asdict(self)))

    def save(self, home: Path) -> None:
        """Durably, in one step."""
        files.replace_durably(home / ANNOUNCED, self.to_json().encode())


def announce(folder: Path, plan: Plan, epoch: int) -> Settings:
    """Say that an epoch will have a version of the plan; returns the settings of now. Refused is what could not begin."""
    there, home = read_plan(folder), folder / HOME
    settings = Settings.load(home)
    if settings is None:
        raise StoreError(
            f"no collector has run on {folder} yet.\nHint: start one with this plan; nothing needs announcing."
        )
    check_version(str(folder), there, plan, settings, epoch)
    files.make_folders(folder / PLANS)
    files.replace_durably(plan_file(folder, plan.id), plan.to_json().encode())
    files.sync_folder(folder)
    Announced(epoch, plan.id).save(home)
    return settings


def check_version(place: str, there: Plan, plan: Plan, settings: Settings, epoch: int) -> None:
    """Refuse a version that cannot follow the one that is there, or that would begin in an epoch that has begun."""
    if there.name != plan.name or plan.version <= there.version:
        raise other_plan(place, there, plan, served=True)
    if there.user_key != plan.user_key or (there.schema.mix is None) != (plan.schema.mix is None):
        raise StoreError(
            f"version {plan.version} of plan '{plan.name}' has another user key, or mixes reports where the last one did not "
            "(or the other way round).\nHint: that is another plan: give it another name and place."
        )
    lasting(there, plan)
    if begun := [each for each in (*settings.open, *settings.closed) if each >= epoch]:
        raise StoreError(
            f"epoch {epoch} cannot have version {plan.version}: epoch {max(begun)} has begun under version {there.version}.\n"
            f"Hint: announce it for epoch {max(begun) + 1}."
        )


def take_over(folder: Path, plan: Plan, limits: LogLimits) -> bool | None:
    """Bring a folder to a version that was announced; whether a plan that nobody has been offered may be exchanged for this
    one; None: there is nothing to exchange. Refused is a plan that was not announced."""
    home = folder / HOME
    if not (folder / PLAN).exists() or not home.is_dir():
        return None
    there, announced = read_plan(folder), Announced.load(home)
    if there.id != plan.id:
        if announced is None or announced.plan_id != plan.id:
            if is_fresh(folder):
                files.remove(home / SETTINGS)  # of the public columns of the other plan
                return True
            raise other_plan(str(folder), there, plan, served=True)
        _end(folder, there, limits)
        reached("version ended")
        with FolderWriter(folder, plan, renew=True) as writer:
            writer.found()
        reached("version listed")
    if announced is not None and announced.plan_id == plan.id:
        _begin(home, plan, announced)
    return None


def is_fresh(folder: Path) -> bool:
    """Whether nobody has been offered the plan, and nothing was collected under it."""
    from untold.store import manifest as manifests
    from untold.store.manifest import Manifest

    home, file = folder / HOME, folder / manifests.NAME
    listed = Manifest.from_json(read_text(file), file) if file.exists() else Manifest("")
    empty = not listed.segments and not listed.earlier and not existing_logs(home / "log")
    return empty and not (home / OFFERED).exists()


def _end(folder: Path, there: Plan, limits: LogLimits) -> None:
    """All that was acknowledged becomes segments, and nothing more comes."""
    from untold.serve.collector import Collector
    from untold.serve.folder.storage import FolderStorage
    from untold.serve.relay.arrivals import is_pending

    with Collector(FolderStorage(there, folder, limits)) as collector:
        for epoch in collector.settings.open:
            if there.schema.mix is not None and is_pending(folder / HOME / "batches", epoch):
                raise StoreError(
                    f"the batch of epoch {epoch} is not counted yet.\nHint: start the collector with the earlier plan once more."
                )
            collector.close_epoch(epoch).result()


def _begin(home: Path, plan: Plan, announced: Announced) -> None:
    """The first epoch of the version is open."""
    before = with_types(Settings.load(home) or Settings(), plan)
    replace(before, open=tuple(sorted({*before.open, announced.epoch}))).save(home)
    files.remove(home / ANNOUNCED)
    files.sync_folder(home)


def with_types(before: Settings, plan: Plan) -> Settings:
    """The settings of another version: public columns keep the types that they have."""
    public = {
        service.name: {a.name: before.public.get(service.name, {}).get(a.name, "text") for a in service.public}
        for service in plan.schema.services
    }
    return replace(before, public=public)
