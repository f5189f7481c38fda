"""A local copy of a bucket's reports. Segments never change and are named by their checksum, so each is fetched once."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from time import sleep

from untold.errors import StoreError
from untold.store import files, inside
from untold.store import manifest as manifests
from untold.store.bucket import Bucket, Version
from untold.store.epoch_dates import NAME as DATES
from untold.store.folder import PLAN, PLANS
from untold.store.lock import Busy, FolderLock
from untold.store.manifest import Manifest

TRIES, PAUSE = 150, 0.2
CACHE = "UNTOLD_CACHE"  # a variable of the environment: where local copies are


def mirror_of(url: str) -> Path:
    """Where the local copy of a place in a bucket is."""
    home = Path(os.environ.get(CACHE) or Path.home() / ".cache" / "untold")
    return home / sha256(url.rstrip("/").encode()).hexdigest()[:16]


def refresh(bucket: Bucket, folder: Path, segments: bool = True) -> Version | None:
    """Bring a local copy up to date, with or without segments; returns the version of the bucket's manifest (None: there is
    none). The manifest comes last, so that all that it lists is there."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FolderLock(folder):
        found = bucket.read(manifests.NAME)
        if found is None:
            files.remove(folder / manifests.NAME)  # of a bucket that was emptied
            return None
        data, version = found
        for name in (PLAN, DATES):
            _bring_small(bucket, folder, name)
        file = folder / manifests.NAME
        if not file.exists() or file.read_bytes() != data:
            listed = Manifest.from_json(data.decode("utf-8", errors="replace"), Path(f"{bucket.url}/{manifests.NAME}"))
            for plan_id in listed.plan_ids:
                _bring_small(bucket, folder, f"{PLANS}/{plan_id}.json")  # there are none while there is one version
            for segment in (*listed.segments, *listed.earlier) if segments else ():
                _bring_segment(bucket, folder, segment.file, segment.sha256)
            files.replace_durably(file, data)
            _forget(folder, listed)
    return version


def mirrored(url: str, segments: bool = True) -> Path:
    """A local copy of what a bucket holds now, to read. One without segments is for those who read these where they are, and
    is another folder: what its manifest lists is not in it."""
    folder = mirror_of(url if segments else f"{url} without segments")
    for last in (*[False] * TRIES, True):
        try:
            found = refresh(Bucket(url), folder, segments)
        except Busy:  # another process on this machine brings it up to date just now
            if last:
                raise
            sleep(PAUSE)
            continue
        if found is None:
            raise StoreError(f"{url} holds no reports.\nHint: untold serve PLAN --ledger postgresql://... --data {url}")
        break
    return folder


def _bring_small(bucket: Bucket, folder: Path, name: str) -> None:
    found = bucket.read(name)
    if found is not None and not ((folder / name).exists() and (folder / name).read_bytes() == found[0]):
        (folder / name).parent.mkdir(exist_ok=True, mode=0o700)
        files.replace_durably(folder / name, found[0])


def _bring_segment(bucket: Bucket, folder: Path, name: str, digest: str) -> None:
    place = inside.place(folder, name)
    if place.exists():
        return
    found = bucket.read(name)
    if found is None or sha256(found[0]).hexdigest() != digest:
        raise StoreError(
            f"{bucket.url}/{name} is {'missing' if found is None else 'damaged'}.\nHint: restore it from a copy."
        )
    place.parent.mkdir(exist_ok=True, mode=0o700)
    files.replace_durably(place, found[0], files.PRIVATE)


def _forget(folder: Path, listed: Manifest) -> None:
    """Remove local copies of what the bucket does not know any more."""
    known = listed.files()
    for file in folder.glob("*/*.parquet"):
        if file.relative_to(folder).as_posix() not in known:
            files.remove(file)
