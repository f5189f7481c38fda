"""A line that shows how far long work has come: by default only on a terminal or in a notebook, and only after a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from threading import Event, Thread
from typing import Any, Protocol

PATIENCE, PACE = 1.0, 0.2  # seconds before the line appears, and between two looks


class Bar(Protocol):
    """Something that is drawn while work goes on."""

    def update(self, done: float) -> None: ...

    def close(self) -> None: ...


class TerminalBar:
    """A line on standard error, taken away at the end."""

    def __init__(self, label: str, total: float, counted: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        ends = (MofNCompleteColumn(), TimeRemainingColumn()) if counted else (TimeElapsedColumn(),)
        columns = (TextColumn("{task.description}"), BarColumn(), *ends)
        self._bar = Progress(*columns, console=Console(stderr=True, force_jupyter=False), transient=True)
        self._task = self._bar.add_task(label, total=total)
        self._bar.start()

    def update(self, done: float) -> None:
        self._bar.update(self._task, completed=done)

    def close(self) -> None:
        self._bar.stop()


class NotebookBar:
    """The browser's own bar below a cell; it needs no widgets."""

    def __init__(self, label: str, total: float, counted: bool) -> None:
        from IPython.display import display

        self._label, self._total = escape(label), total
        self._handle: Any = display(self._drawn(0.0), display_id=True)

    def _drawn(self, done: float) -> Any:
        from IPython.display import HTML

        share = done / self._total if self._total else 0.0
        return HTML(f'<label>{self._label} <progress max="1" value="{share:.3f}"></progress> {share:.0%}</label>')

    def update(self, done: float) -> None:
        self._handle.update(self._drawn(done))

    def close(self) -> None:
        from IPython.display import HTML

        self._handle.update(HTML(""))


def in_notebook() -> bool:
    """Whether a kernel runs this, for Jupyter or an editor; a plain IPython on a terminal is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def is_wanted(wanted: bool | None) -> bool:
    """True and False as they are; None means on a terminal or in a notebook."""
    return (sys.stderr.isatty() or in_notebook()) if wanted is None else wanted


def open_bar(label: str, total: float = 100.0, counted: bool = False) -> Bar:
    """Where people will see it. `counted`: the total is a number of rows, not of percent."""
    return (NotebookBar if in_notebook() else TerminalBar)(label, total, counted)


@contextmanager
def watched(percent: Callable[[], float], label: str, wanted: bool | None = None) -> Iterator[None]:
    """Draw a bar from `percent()` (0..100, negative where unknown) while the body runs.

    wanted   True, False, or None for "on a terminal or in a notebook"
    """
    if not is_wanted(wanted):
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
    bar = open_bar(label)
    while not done.wait(PACE):
        bar.update(max(percent(), 0.0))
    bar.close()
