"""Undoes a commit that failed or whose process died: its reports must not count and must not stay.

A segment that has its name but does not count is a second draw of the same people as soon as they are asked again. So at
every moment the unfinished manifest, which is on the disk before the first segment gets its name and goes after the last
one has lost it, tells of all segments that the manifest does not list.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from untold.errors import StoreError
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.manifest import Manifest

UNFINISHED = files.STAGED + manifests.NAME


def undo(path: Path, before: Manifest | None, after: Manifest) -> bool:
    """Back to the manifest of before (None: there was none). False if that cannot be put back: then the new one counts."""
    listed, unfinished = path / manifests.NAME, path / UNFINISHED
    if listed.exists() and inside.read_text(listed) == after.to_json():
        try:
            if before is None:
                listed.replace(unfinished)
            else:
                files.put(unfinished, after.to_json().encode())
                aside = path / f"{files.STAGED}before-{manifests.NAME}"
                files.put(aside, before.to_json().encode())
                aside.replace(listed)
        except OSError:
            return False
        files.try_sync(path)
    settle(path)
    return True


def settle(path: Path) -> None:
    """Remove the segments that got their names without ever counting; then the unfinished manifest that tells of them."""
    unfinished = path / UNFINISHED
    if not unfinished.exists():
        return
    listed, meant = _read(path / manifests.NAME), Manifest("")
    with suppress(StoreError):  # half written: then no segment had got its name yet
        meant = _read(unfinished)
    try:
        gone = [inside.place(path, file) for file in uncounted(meant, listed)]
        for file in gone:
            files.remove(file)
        for folder in {file.parent for file in gone}:
            files.try_sync(folder)
            files.remove_empty([folder])
    except OSError as error:
        raise StoreError(
            f"{path} holds segments that do not count (a second draw of the same people) and that cannot be removed: "
            f"{error}.\nHint: see to the disk; the next writer tries again, before it writes anything."
        ) from error
    files.remove_any(unfinished)


def uncounted(meant: Manifest, listed: Manifest) -> list[str]:
    """Files of segments that only the first of two manifests knows."""
    known = listed.files()
    return [segment.file for segment in meant.segments if segment.file not in known]


def clear(path: Path) -> None:
    """Remove what a writer that died has left. Under this lock unfinished files, and folders of them, are nobody else's."""
    settle(path)
    for found in sorted(path.glob(f"{files.STAGED}*")):
        remove = files.remove_folder if found.is_dir() and not found.is_symlink() else files.remove
        remove(found)


def _read(file: Path) -> Manifest:
    if not file.exists():
        return Manifest("")
    return Manifest.from_json(inside.read_text(file), file)
