"""Where a device keeps what it has told: a file, a mapping, or anything else with three methods.

An app that keeps it in its account's storage makes all devices of a person share one ledger. What does not share a memory
spends for itself.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from untold.store import files
from untold.store.addresses import local_path

NAME = "untold"  # the one entry of a mapping
OTHERS = 0o077  # what a file's mode allows to anybody but its owner
_TURN = threading.RLock()  # for all mappings: they cannot be told apart, and nobody holds one for long


class Overtaken(Exception):
    """Somebody else has written since `read`: nothing was kept, and the work is done again. For storage without locks."""


class Memory(Protocol):
    """One text, for whom it may concern. The text knows its own checksum (`untold.device.ledger`)."""

    def exclusive(self) -> AbstractContextManager[object]:
        """Nobody else uses the memory meanwhile: no thread, process or device. Storage that compares versions may do
        nothing here, and raise `Overtaken` in `write`."""
        ...

    def read(self) -> str | None:
        """What was written last; None if nothing ever was."""
        ...

    def write(self, text: str) -> None:
        """Keep this instead. It outlives a crash when this returns."""
        ...


class FileMemory:
    """A file for its owner alone. The lock is the operating system's: it ends with the process that holds it."""

    def __init__(self, path: str | Path) -> None:
        # once and for all: another working folder or a link to the file must not begin a second ledger
        self.path = local_path(path, "give the path of a file that is kept").resolve()

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Wait for other threads, processes and containers on this file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.path.with_name(f".{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, files.PRIVATE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def read(self) -> str | None:
        """The file's text. If others could read it, they cannot from now on."""
        try:
            with self.path.open(encoding="utf-8", errors="replace") as file:
                if os.fstat(file.fileno()).st_mode & OTHERS:
                    os.fchmod(file.fileno(), files.PRIVATE)
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Old or new, never half."""
        files.replace_durably(self.path, text.encode(), files.PRIVATE)


class MappingMemory:
    """An entry of a mapping from strings to strings: as durable as that is, and for the threads of one process."""

    def __init__(self, mapping: MutableMapping[str, str]) -> None:
        self._mapping = mapping

    def __str__(self) -> str:
        return "the memory"

    def exclusive(self) -> AbstractContextManager[object]:
        """Wait for other threads."""
        return _TURN

    def read(self) -> str | None:
        """The entry."""
        return self._mapping.get(NAME)

    def write(self, text: str) -> None:
        """Replace the entry."""
        self._mapping[NAME] = text


def as_memory(given: Memory | MutableMapping[str, str] | str | Path | None) -> Memory:
    """A path is a file, a mapping is one entry of it, nothing lasts as long as the object."""
    if given is None:
        return MappingMemory({})
    if isinstance(given, str | Path):
        return FileMemory(given)
    return MappingMemory(given) if isinstance(given, MutableMapping) else given
