"""A line that shows how far long work has come: by default only on a terminal, and only after a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

PATIENCE, PACE = 1.0, 0.2  # seconds before the line appears, and between two looks


@contextmanager
def watched(percent: Callable[[], float], label: str, wanted: bool | None = None) -> Iterator[None]:
    """Draw a bar from `percent()` (0..100, negative where unknown) while the body runs.

    wanted   True, False, or None for "on a terminal"
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield
        return
    done = Event()
    watcher = Thread(target=_draw, args=(percent, label, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _draw(percent: Callable[[], float], label: str, done: Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=100)
        while not done.wait(PACE):
            bar.update(task, completed=max(percent(), 0.0))
