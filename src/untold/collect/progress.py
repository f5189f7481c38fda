"""A line that shows how far a long run has come: only on a terminal or in a notebook, and only after a second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from untold.tables.watch import Bar, is_wanted, open_bar

PATIENCE = 1.0  # seconds


class Progress:
    """Counts rows; draws nothing before `PATIENCE` seconds have passed, and nothing at all where it is not wanted."""

    def __init__(self, label: str, total: int, shown: bool) -> None:
        self._label, self._total, self._shown = label, total, shown
        self._started = time.monotonic()
        self._done = 0
        self._bar: Bar | None = None

    def advance(self, rows: int) -> None:
        """So many rows more are done."""
        self._done += rows
        if self._bar is None and self._shown and time.monotonic() - self._started > PATIENCE:
            self._bar = open_bar(self._label, self._total, counted=True)
        if self._bar is not None:
            self._bar.update(min(self._done, self._total))

    def close(self) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(label: str, total: int, wanted: bool | None) -> Iterator[Progress]:
    """`wanted`: True, False, or None for "on a terminal or in a notebook"."""
    line = Progress(label, total, is_wanted(wanted))
    try:
        yield line
    finally:
        line.close()
