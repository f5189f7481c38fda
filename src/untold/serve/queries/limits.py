"""Time, memory and file limits of a query process, which it sets on itself before it reads an analyst's text."""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NICE = 15  # of 19: against a process at 0, one thirtieth of a processor that both want
NICE_AT_FIRST = 5  # while it starts, and many may wait for it: a quarter
REFUSED = frozenset(  # events of Python's audit hooks that answering a query never needs
    ["subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn"]
    + ["socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "ctypes.dlopen", "os.kill"]
    + ["os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"]
)


@dataclass(frozen=True)
class QueryLimits:
    """Of one query, and of all at once."""

    seconds: float = 10.0  # that a query may run, and may wait for a process before
    starting: float = 60.0  # that it waits while processes start
    megabytes: int = 1024  # of memory, in the process that answers it; DuckDB alone gets half
    rows: int = 5000  # of an answer in JSON; files hold all of them
    processes: int = 2
    waiting: int = 32  # queries that wait for a process; more are told to come back later
    lifetime: int = 500  # queries that a process answers before a fresh one takes its place


def bind(limits: QueryLimits) -> None:
    """Limit this process for good: memory, no file written, no program started, no socket, no core dump.

    RLIMIT_DATA counts what a process writes to (heap and private mappings); address space alone would count the code
    of libraries, too. RLIMIT_FSIZE 0 means that no file grows by a byte, whoever in this process asks for it.
    """
    size = limits.megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse)


def data_of(pid: int) -> int:
    """Bytes that RLIMIT_DATA counts of a process; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[5]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0


def yield_to_others(steps: int) -> None:
    """Let the collector go first: while reports come in, questions take the time that is left."""
    with suppress(OSError):
        os.nice(steps)


def set_alarm(limits: QueryLimits) -> None:
    """The kernel ends this process if it is still at the same query a while after the deadline and nobody has ended it."""
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + 2)


def clear_alarm() -> None:
    """The query is answered."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in REFUSED:
        raise PermissionError(f"a query process may not do this: {event}")
    if event == "open" and _writes(arguments):
        raise PermissionError("a query process writes no file")


def _writes(arguments: tuple[Any, ...]) -> bool:
    """Whether an `open` (path, mode, flags) could write."""
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and flags & 0b11 != 0
