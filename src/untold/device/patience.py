"""When to try again: a pause that doubles, remembered across restarts."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time

from untold.randomness import Randomness
from untold.store import files

SHORTEST, LONGEST = 1.0, 3600.0  # seconds between two attempts


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
        pause = max(min(at_least, LONGEST), most / 2 + most / 2 * (rng.word() / 2**64))
        text = json.dumps({"attempts": attempts + 1, "until": time() + pause})
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another process failed at the same time: its pause holds
            files.replace_durably(self.path, text.encode(), mode=0o600)
        return pause

    def worked(self) -> None:
        """Start anew."""
        files.remove(self.path)

    def _read(self) -> tuple[int, float]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return int(found["attempts"]), float(found["until"])
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return 0, 0.0
