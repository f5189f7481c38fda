"""A small file as it is now: read again whenever it has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class Watched(Generic[Kept]):
    """What a file says, so that a change holds from the next request on."""

    def __init__(self, file: Path, load: Callable[[], Kept]) -> None:
        self._file, self._load = file, load
        self._seen = self._look()
        self._known = load()

    @property
    def now(self) -> Kept:
        """What it says at this moment."""
        seen = self._look()
        if seen != self._seen:
            self._known, self._seen = self._load(), seen
        return self._known

    def _look(self) -> tuple[int, int]:
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            return (0, 0)
        return (stat.st_mtime_ns, stat.st_ino)
