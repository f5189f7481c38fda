"""What a device remembers: the reports it has sent, and what they have cost.

Any mutable mapping from strings to strings will do; `FileMemory` keeps one in a JSON file, on disk before a report
leaves the device.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

from untold.errors import StoreError
from untold.store import files


class FileMemory(MutableMapping[str, str]):
    """A mapping kept in a file. `commit` makes what was set durable, in one step: write aside, fsync, rename, fsync the
    folder. `exclusive` holds the file for one report: clients and processes that share it see what the others sent."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._items: dict[str, str] = {}
        self._read()

    def _read(self) -> None:
        try:
            self._items = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise StoreError(
                f"{self.path} is not a memory of untold ({error}). It holds what this device has already told; "
                "restore it from a copy rather than start anew, or reports may cost more than was promised."
            ) from error

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Wait for other clients on this file, and see what they wrote."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.path.with_name(f".{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._read()
            yield
        finally:
            os.close(lock)

    def __getitem__(self, key: str) -> str:
        return self._items[key]

    def __setitem__(self, key: str, value: str) -> None:
        self._items[key] = value

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def commit(self) -> None:
        """Make everything durable. For its owner alone: it tells what was reported to whoever can guess values against it."""
        files.replace_durably(self.path, json.dumps(self._items).encode(), files.PRIVATE)
