"""The benchmark's share of a core: a process that wants a whole one gets that much, where control groups can be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.collector import quota

SPIN = "import time\nwhile time.process_time() < 0.3: pass\nprint(time.process_time())"


def test_a_place_that_cannot_be_written_is_no_place(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(quota, "homes", lambda told: [tmp_path / "nowhere"])
    assert quota.quota("x", 0.5) is None


def test_a_folder_that_is_no_control_group_is_left_as_it_was(tmp_path: Path) -> None:
    """The names of version 1 are written; `end` removes the group, or what can be removed of it."""
    made = quota.Quota(tmp_path / "group", 0.35)
    assert (tmp_path / "group" / "cpu.cfs_quota_us").read_text() == "3500"
    assert (tmp_path / "group" / "cpu.cfs_period_us").read_text() == "10000"
    made.hold(17)
    assert (tmp_path / "group" / "cgroup.procs").read_text() == "17"


def test_a_process_in_it_is_paused() -> None:
    """By the group's own count of pauses. Elsewhere there is nothing to see: the benchmark then says 'not permitted here'."""
    made = quota.quota("test", 0.1)
    if made is None:
        return
    try:
        with subprocess.Popen([sys.executable, "-c", "input()\n" + SPIN], stdin=subprocess.PIPE, text=True) as process:
            made.hold(process.pid)
            process.communicate("\n", timeout=120)
        told = dict(line.split() for line in (made._folder / "cpu.stat").read_text().splitlines())
        assert int(told["nr_throttled"]) > 0
    finally:
        made.end()
    assert not made._folder.exists()
