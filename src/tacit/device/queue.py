"""Reports that wait to be sent: one file each, in the order they were made, kept until the collector has them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import time

from tacit.errors import CollectorError
from tacit.randomness import Randomness
from tacit.store import files

SHORTEST, LONGEST = 1.0, 3600.0  # seconds between two attempts
DIGEST = 32  # bytes of the checksum that ends a file


@dataclass(frozen=True)
class Queue:
    """A folder of bodies. A body is written once and sent as it is, however often."""

    folder: Path
    most: int = 10_000

    def put(self, body: bytes) -> None:
        """Keep a body, durably. The same body twice is kept once."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest = sha256(body).digest()
        waiting = self._names()
        if any(name.endswith(f"-{digest.hex()[:16]}.body") for name in waiting):
            return
        if len(waiting) >= self.most:
            raise CollectorError(
                f"{len(waiting)} reports wait to be sent, at most {self.most} may. Nothing was reported.\n"
                "Hint: call send() when there is a network."
            )
        number = int(waiting[-1].partition("-")[0]) + 1 if waiting else 0
        path = self.folder / f"{number:012}-{digest.hex()[:16]}.body"
        files.replace_durably(path, body + digest, mode=0o600)

    def __iter__(self) -> Iterator[tuple[Path, bytes]]:
        """All bodies, the oldest first; one that was damaged on the disk is left out and removed."""
        for name in self._names():
            path = self.folder / name
            data = path.read_bytes()
            body, digest = data[:-DIGEST], data[-DIGEST:]
            if sha256(body).digest() != digest:
                files.remove(path)
                continue
            yield path, body

    def __len__(self) -> int:
        return len(self._names())

    def drop(self, path: Path) -> None:
        """The collector has it, or will never take it."""
        files.remove(path)

    def _names(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".body") and name[0] != ".")


@dataclass(frozen=True)
class Patience:
    """When to try again: remembered in a file, so that a device that is switched on and off does not hurry."""

    path: Path

    def wait(self) -> float:
        """Seconds until the next attempt; never more than the longest pause, whatever the clock says."""
        _, until = self._read()
        return max(0.0, min(until - time(), LONGEST))

    def failed(self, at_least: float, rng: Randomness) -> float:
        """Double the pause, and draw it between half of it and all of it; returns it."""
        attempts = self._read()[0]
        most = min(SHORTEST * 2.0 ** min(attempts, 30), LONGEST)
        pause = max(at_least, most / 2 + most / 2 * (rng.word() / 2**64))
        text = json.dumps({"attempts": attempts + 1, "until": time() + pause})
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace_durably(self.path, text.encode(), mode=0o600)
        return pause

    def worked(self) -> None:
        """Start anew."""
        files.remove(self.path)

    def _read(self) -> tuple[int, float]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return int(found["attempts"]), float(found["until"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0, 0.0
