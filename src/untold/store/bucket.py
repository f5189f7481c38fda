"""Objects in a bucket (s3://, gs://), written so that nobody overwrites what somebody else has written meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

from untold.errors import StoreError

SCHEMES = ("s3://", "gs://")
Version = Mapping[str, Any]


def is_bucket(place: object) -> bool:
    """Whether a text is the address of a place in a bucket."""
    return isinstance(place, str) and place.startswith(SCHEMES)


class Bucket:
    """A place in a bucket. Keys, region and endpoint come from the usual variables of the environment (AWS_..., GOOGLE_...)."""

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise StoreError(f'{url} needs obstore ({error}).\nHint: pip install "untold[buckets]"') from error
        self.url, self._obstore = url.rstrip("/"), obstore
        self._store = from_url(self.url)

    def read(self, name: str) -> tuple[bytes, Version] | None:
        """An object and its version; None if there is none."""
        with self._told(name):
            try:
                found = self._obstore.get(self._store, name)
            except (FileNotFoundError, self._obstore.exceptions.NotFoundError):
                return None
            version = {key: found.meta.get(key) for key in ("e_tag", "version")}
            return bytes(found.bytes()), version

    def fetch(self, name: str, file: BinaryIO) -> bool:
        """Write an object to a file, piece by piece; False if there is none."""
        with self._told(name):
            try:
                for piece in self._obstore.get(self._store, name).stream():
                    file.write(piece)
            except (FileNotFoundError, self._obstore.exceptions.NotFoundError):
                return False
        return True

    def create(self, name: str, data: bytes) -> bool:
        """A new object; False if there is one of that name."""
        with self._told(name):
            try:
                self._obstore.put(self._store, name, data, mode="create", use_multipart=False)
            except self._obstore.exceptions.AlreadyExistsError:
                return False
        return True

    def replace(self, name: str, data: bytes, version: Version) -> Version | None:
        """Compare and swap: the new version, or None if the object is not of that version any more."""
        mode = {key: value for key, value in version.items() if value is not None}
        with self._told(name):
            try:
                made = self._obstore.put(self._store, name, data, mode=mode, use_multipart=False)
            except (self._obstore.exceptions.PreconditionError, self._obstore.exceptions.AlreadyExistsError):
                return None
        return {key: made.get(key) for key in ("e_tag", "version")}

    def remove(self, name: str) -> None:
        """Remove an object if it is there."""
        with self._told(name):
            self._obstore.delete(self._store, name)

    def older_than(self, time: float) -> list[str]:
        """Names of all objects here that were last written before a time (seconds of the epoch)."""
        with self._told(""):
            found = [each for some in self._obstore.list(self._store) for each in some]
        return [each["path"] for each in found if each["last_modified"].timestamp() < time]

    def _told(self, name: str) -> Told:
        return Told(f"{self.url}/{name}", self._obstore.exceptions.BaseError)


class Told:
    """Errors of object storage in words of ours, which name the object."""

    def __init__(self, what: str, kind: type[Exception]) -> None:
        self._what, self._kind = what, kind

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, self._kind):
            said = str(error).partition("\n")[0][:300]
            raise StoreError(
                f"{self._what} cannot be reached: {said}\nHint: see to the network and the keys."
            ) from error
