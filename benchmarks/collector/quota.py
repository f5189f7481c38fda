"""Holds processes to a share of a core, as small machines of their own would: by control groups, where these can be written."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PERIOD = 10_000  # microseconds: short, so that a process pauses often and briefly instead of long


class Quota:
    """A group of processes that together get so many cores and no more. `end` it when they have ended."""

    def __init__(self, folder: Path, cores: float) -> None:
        self._folder = folder
        folder.mkdir()
        try:
            if (folder / "cpu.max").exists():
                (folder / "cpu.max").write_text(f"{int(cores * PERIOD)} {PERIOD}")
            else:
                (folder / "cpu.cfs_period_us").write_text(str(PERIOD))
                (folder / "cpu.cfs_quota_us").write_text(str(int(cores * PERIOD)))
        except OSError:
            self.end()
            raise

    def hold(self, pid: int) -> None:
        """Put a process with all of its threads in."""
        (self._folder / "cgroup.procs").write_text(str(pid))

    def end(self) -> None:
        """Give it up; who is still in it goes back to where this process is."""
        with suppress(OSError):
            for pid in (self._folder / "cgroup.procs").read_text().split():
                (self._folder.parent / "cgroup.procs").write_text(pid)
        with suppress(OSError):
            self._folder.rmdir()


def quota(name: str, cores: float) -> Quota | None:
    """A new group below the one that this process is in; None where the system does not permit that."""
    for parent in homes(Path("/proc/self/cgroup").read_text()):
        with suppress(OSError):
            return Quota(parent / f"untold-{os.getpid()}-{name}", cores)
    return None


def homes(told: str) -> list[Path]:
    """Where this process may make groups: its own group of version 1, or of version 2.

    >>> [str(each) for each in homes("4:cpu,cpuacct:/low\\n0::/me\\n")]
    ['/sys/fs/cgroup/cpu/low', '/sys/fs/cgroup/cpu,cpuacct/low', '/sys/fs/cgroup/me']
    """
    found = []
    for line in told.splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            found += [ROOT / name / path.lstrip("/") for name in dict.fromkeys(("cpu", controllers))]
        elif not controllers:
            found.append(ROOT / path.lstrip("/"))
    return found
