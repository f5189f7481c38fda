"""What /proc says about processes: who their children are, and whether they ever had some."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def stat(pid: int) -> list[str]:
    """The fields of /proc/pid/stat after the name; the first is the state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def parents() -> dict[int, int]:
    """The parent of every process that lives now."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                found[int(entry.name)] = int(stat(int(entry.name))[1])
    return found


def children(pid: int, known: dict[int, int] | None = None) -> set[int]:
    """Processes whose parent is this one."""
    return {child for child, parent in (parents() if known is None else known).items() if parent == pid}


def faults_of_past_children(pid: int) -> int:
    """Page faults of children that have ended and were waited for: above 0 as soon as there was one."""
    return int(stat(pid)[8])


def memory(pid: int, field: str = "VmHWM") -> int:
    """A line of /proc/pid/status, in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) >> 10


def environment(pid: int) -> bytes:
    """The environment that a process was started with."""
    return Path(f"/proc/{pid}/environ").read_bytes()
