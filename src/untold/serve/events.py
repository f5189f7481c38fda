"""The collector's log for operators: one JSON object per line on standard error. Never a value or a user key."""

from __future__ import annotations

import json
import logging
import sys
import threading
from time import time
from traceback import extract_tb
from typing import Any

from untold.errors import UntoldError

LEVELS = ("info", "warning", "error")
# Everything else is information.
WARNINGS = (
    "torn log", "merge put off", "merge left out", "query stopped", "query failed", "database away", "drain put off",
    "mysql connection refused", "mysql door ended", "mysql door failed", "too few", "hand over waits", "mixing failed",
    "batch failed", "query process",
)  # fmt: skip
ERRORS = ("failed", "thread died", "hand over refused")
least = 0  # the place in LEVELS of the least important events that are written


def level_of(event: str) -> str:
    """How important an event is."""
    return LEVELS[2] if event in ERRORS else LEVELS[1] if event in WARNINGS else LEVELS[0]


def note(event: str, **fields: Any) -> None:
    """One line."""
    line = {"time": round(time(), 3), "event": event, "level": level_of(event), **fields}
    if LEVELS.index(line["level"]) >= least:
        _write(json.dumps(line, default=str))


def failure(error: BaseException) -> dict[str, Any]:
    """An exception as fields: its kind and where it came from. Its text only if it is ours: others may quote a value."""
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)]
    said = {"message": str(error)} if isinstance(error, UntoldError | OSError) else {}
    return {"error": type(error).__name__, **said, "where": where[-8:]}


class Noting(logging.Handler):
    """What libraries log, as events of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        said = record.getMessage().strip().partition("\n")[0]
        level = LEVELS[2] if record.levelno >= logging.ERROR else LEVELS[1]
        note(record.name, level=level, said=said, **(failure(error) if error else {}))


def note_everything() -> None:
    """From now on all that this process logs is such lines: warnings of libraries, and threads that die, too."""
    logging.basicConfig(level=logging.WARNING, handlers=[Noting()], force=True)
    logging.captureWarnings(True)
    threading.excepthook = _thread_died


def _thread_died(args: threading.ExceptHookArgs) -> None:
    name = args.thread.name if args.thread else ""
    note("thread died", thread=name, **(failure(args.exc_value) if args.exc_value else {}))


def note_line(line: bytes, shown: bool) -> None:
    """A line that a process below this one wrote: passed on if it is such an event; else wrapped, and quoted only if
    `shown`."""
    text = line.decode(errors="replace").strip()
    try:
        event = json.loads(text)
        ours = isinstance(event, dict) and isinstance(event.get("event"), str)
    except (ValueError, RecursionError):
        ours = False
    if ours:
        _write(text)
    elif text:
        note("query process", said=text[:500] if shown else "(not shown: it may quote a question)")


def _write(line: str) -> None:
    """The line and its end in one piece: threads that write at once do not share a line."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
