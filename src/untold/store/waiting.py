"""Reports that a collector has acknowledged but not yet put into a segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from untold.errors import StoreError
from untold.plan import Plan
from untold.store.folder import Folder
from untold.store.logs import HOME, existing_logs, read_log
from untold.store.manifest import Manifest
from untold.wire.records import HEADER


def waiting(folder: Path, plan: Plan, manifest: Manifest) -> Counter[tuple[str, int]]:
    """How many reports wait in the collector's log, by service and epoch. What a segment holds already does not wait."""
    logs, found = folder / HOME / "log", Counter[tuple[str, int]]()
    numbers = _logs(logs)
    for number in numbers:
        counted = {(s.service, s.epoch) for s in manifest.segments if s.log == number}
        with suppress(FileNotFoundError):  # a collector that runs has just turned it into segments
            for payload in read_log(logs, number, plan.id, last=number == numbers[-1]).payloads:
                _, _, _, service, epoch, reports, _ = HEADER.unpack_from(payload)
                key = plan.services[service], epoch
                found[key] += 0 if key in counted else reports
    return +found


def nothing_to_ask(folder: Folder, service: str, epochs: Collection[int] | None) -> StoreError:
    """Why a service has no reports to ask (of some epochs, or of any), and what to do."""
    which = "" if epochs is None else f" of epochs {', '.join(map(str, epochs))}"
    try:
        found = waiting(folder.path, folder.plan, folder.manifest)
    except PermissionError:  # an analyst's user may not look into the collector's own folder
        return StoreError(
            f"service '{service}' has no reports{which} in the segments of {folder.path}; whether some wait in its collector's "
            "log, another user may not see.\n"
            "Hint: a running collector turns them into segments every minute (--segment-seconds); its operator can do so at "
            f"once with `untold serve flush --data {folder.path}`. Then connect again."
        )
    reports = sum(n for (name, epoch), n in found.items() if name == service and (epochs is None or epoch in epochs))
    if reports:
        return StoreError(
            f"service '{service}' has no reports{which} in the segments of {folder.path} yet; {reports:,} wait in its "
            "collector's log.\n"
            f"Hint: `untold serve flush --data {folder.path}` turns them into segments now, whether the collector runs or not; "
            "a running one does so every minute (--segment-seconds). Then connect again."
        )
    there = ", ".join(map(str, folder.epochs(service)))
    hint = f"there are reports of epochs {there}." if there else "untold perturb or untold serve collects them."
    return StoreError(f"service '{service}' has no reports{which} in {folder.path}.\nHint: {hint}")


def _logs(folder: Path) -> list[int]:
    """The logs that are there. A listing that a running collector's removals ran through can lack one in between: whether
    one is missing, a second listing says."""
    try:
        return existing_logs(folder)
    except StoreError:
        return existing_logs(folder)
