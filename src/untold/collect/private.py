"""Temporary folders for true rows. They are removed with the process, or, if it is killed, by the next process.

A process that is killed cannot remove its folder. But it held a lock on it, and locks end with the process that holds them, however
it ends. So whoever makes a folder first removes those of the same user that nobody holds. (Numbers of processes would
not do: they are used again, and mean nothing in another container that shares the temporary folder.)
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from untold.errors import StoreError
from untold.store import FolderLock

PREFIX = "untold-rows-"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder in the temporary one that only its owner can look into (mode 0700), until the body ends."""
    remove_unheld()
    with ExitStack() as stack:
        folder = _held(stack)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


def remove_unheld() -> None:
    """Remove the folders that killed processes of this user have left."""
    with os.scandir(tempfile.gettempdir()) as found:
        ours = [each for each in found if each.name.startswith(PREFIX) and each.is_dir(follow_symlinks=False)]
    for each in ours:
        with suppress(StoreError, OSError):  # held by a process that lives, or removed by another one meanwhile
            if each.stat(follow_symlinks=False).st_uid == os.getuid():
                with FolderLock(Path(each.path)):
                    shutil.rmtree(each.path)


def _held(stack: ExitStack) -> Path:
    """A new folder with a lock on it, until the stack closes. One that was removed before it was locked is made anew."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(StoreError, FileNotFoundError), ExitStack() as attempt:
            attempt.enter_context(FolderLock(folder))
            if folder.exists():
                stack.push(attempt.pop_all())
                return folder
