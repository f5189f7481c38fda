"""What a device remembers: the reports it has sent, and what they have cost.

Any mutable mapping from strings to strings will do; `FileMemory` keeps one in a JSON file, on disk before a report
leaves the device.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path

from tacit.errors import StoreError


class FileMemory(MutableMapping[str, str]):
    """A mapping kept in a file. `commit` makes what was set durable, in one step: write aside, fsync, rename, fsync the folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._items: dict[str, str] = (
                json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
            )
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise StoreError(
                f"{self.path} is not a memory of tacit ({error}). It holds what this device has already told; "
                "restore it from a copy rather than start anew, or reports may cost more than was promised."
            ) from error

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
        """Make everything durable."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        with open(aside, "w", encoding="utf-8") as file:
            json.dump(self._items, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
