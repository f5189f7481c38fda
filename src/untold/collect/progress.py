"""A line that shows how far a long run has come: only on a terminal, and only after a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0  # seconds


class Progress:
    """Counts rows; draws nothing before `PATIENCE` seconds have passed, and nothing at all where it is not wanted."""

    def __init__(self, label: str, total: int, shown: bool) -> None:
        self._label, self._total, self._shown = label, total, shown
        self._started = time.monotonic()
        self._done = 0
        self._bar: Any = None
        self._task: Any = None

    def advance(self, rows: int) -> None:
        """So many rows more are done."""
        self._done += rows
        if self._bar is None and self._shown and time.monotonic() - self._started > PATIENCE:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=min(self._done, self._total))

    def close(self) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._label, total=self._total)
        self._bar.start()


@contextmanager
def progress(label: str, total: int, wanted: bool | None) -> Iterator[Progress]:
    """`wanted`: True, False, or None for "on a terminal"."""
    line = Progress(label, total, sys.stderr.isatty() if wanted is None else wanted)
    try:
        yield line
    finally:
        line.close()
