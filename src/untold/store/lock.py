"""A file lock, so that only one process writes to a folder at a time."""

from __future__ import annotations

import os
from errno import ENOENT
from pathlib import Path
from types import TracebackType

from untold.errors import StoreError


class Busy(StoreError):
    """Another process holds the lock."""


class FolderLock:
    """An exclusive lock on the folder itself: it leaves no file behind, and ends with the process that holds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._handle = -1

    def __enter__(self) -> FolderLock:
        import fcntl

        self._handle = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.__exit__(None, None, None)
            raise Busy(
                f"{self.folder} is busy: another process is writing reports into it.\n"
                "Hint: stop the collector that runs on it, wait until the other process has finished, or write to another folder."
            ) from error
        except BaseException:
            self.__exit__(None, None, None)
            raise
        if not self._still_there():
            self.__exit__(None, None, None)
            raise FileNotFoundError(ENOENT, "the folder was removed before it was locked", str(self.folder))
        return self

    def _still_there(self) -> bool:
        """Whether the name still leads to the folder that was locked: whoever made it may have removed it meanwhile."""
        try:
            return os.path.samestat(os.fstat(self._handle), os.stat(self.folder))
        except FileNotFoundError:
            return False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
