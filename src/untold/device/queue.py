"""Reports that wait to be sent: one file each, in the order they were made, kept until the collector has them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from untold.errors import CollectorError
from untold.store import files

DIGEST = 32  # bytes of the checksum that ends a file
WAITS, ASIDE = ".body", ".damaged"  # how names end


@dataclass(frozen=True)
class Queue:
    """A folder of bodies. A body is written once and sent as it is, however often."""

    folder: Path
    most: int = 10_000

    def check_room(self) -> None:
        """Refuse while too many reports wait; asked before a person pays for one more."""
        if len(self) >= self.most:
            raise CollectorError(
                f"{len(self)} reports wait to be sent, at most {self.most} may. Nothing was reported and nothing was spent.\n"
                "Hint: call send() when there is a network."
            )

    def put(self, body: bytes) -> None:
        """Keep a body, durably. The same body twice is kept once; a damaged copy of it is of no more use."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest = sha256(body).digest()
        waiting, mark = self._names(WAITS), f"-{digest.hex()[:16]}"
        if not any(name.endswith(mark + WAITS) for name in waiting):
            number = int(waiting[-1].partition("-")[0]) + 1 if waiting else 0
            files.replace_durably(self.folder / f"{number:012}{mark}{WAITS}", body + digest, mode=0o600)
        for name in self._names(mark + ASIDE):
            files.remove(self.folder / name)

    def waiting(self) -> list[Path]:
        """The files of all bodies that wait, the oldest first."""
        return [self.folder / name for name in self._names(WAITS)]

    def read(self, path: Path) -> bytes | None:
        """The body of a file. One that was changed on the disk is set aside, since somebody has paid for it: None, as for one
        that another process has sent and dropped meanwhile."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        body, digest = data[:-DIGEST], data[-DIGEST:]
        if sha256(body).digest() == digest:
            return body
        with suppress(FileNotFoundError):  # another process has set it aside
            files.rename(path, path.with_suffix(ASIDE))
        return None

    @property
    def damaged(self) -> int:
        """How many bodies lie aside."""
        return len(self._names(ASIDE))

    def __len__(self) -> int:
        return len(self._names(WAITS))

    def drop(self, path: Path) -> None:
        """The collector has it, or will never take it."""
        files.remove(path)

    def _names(self, ending: str) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(name for name in os.listdir(self.folder) if name.endswith(ending) and name[0] != ".")
