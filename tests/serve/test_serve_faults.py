"""Every write, fsync, rename and creation fails in turn: nothing is acknowledged that is not kept, nothing counts twice."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.compute as pc
import pytest
from benchmarks.collector.bodies import name

from helpers.inside import open_collector, send, stored
from untold.serve.folder.log import Log
from untold.serve.reports.jobs import LogLimits
from untold.store import Folder, files

STEPS = ("create", "append_to", "write", "sync", "sync_data", "sync_folder", "rename")
FULL = OSError(errno.ENOSPC, "No space left on device")
SMALL = LogLimits(log_reports=15, log_seconds=1e9)


class Tripwire:
    """Lets `allowed` calls pass, then fails every one; a failing write has written half of its bytes."""

    def __init__(self, step: str, allowed: int) -> None:
        self.step, self.left, self.tripped = step, allowed, False
        self.function: Callable[..., Any] = getattr(files, step)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.left:
            self.left -= 1
            return self.function(*args, **options)
        self.tripped = True
        if self.step == "write":
            self._write_half(*args)
        raise FULL

    @staticmethod
    def _write_half(file: BinaryIO, data: bytes) -> None:
        file.write(memoryview(data)[: len(data) // 2])


def a_day(path: Path, acknowledged: set[int]) -> None:
    """Reports, several logs, a flush, an epoch, a graceful end; whatever was acknowledged is noted."""
    with open_collector(path, limits=SMALL) as collector:
        for first in range(0, 40, 10):
            if send(collector, range(first, first + 10)).counted:
                acknowledged.update(range(first, first + 10))
        collector.flush().result(30)
        collector.open_epoch(1).result(30)
        if send(collector, [40, 41]).counted:
            acknowledged.update((40, 41))


@pytest.mark.parametrize("step", STEPS)
def test_a_failing_disk_loses_and_doubles_nothing(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = 0
    for allowed in range(0, 400, 1 if step in ("sync_data", "rename", "append_to") else 3):
        path, acknowledged = tmp_path / str(allowed), set[int]()
        wire = Tripwire(step, allowed)
        with monkeypatch.context() as patch:
            patch.setattr(files, step, wire)
            try:
                a_day(path, acknowledged)
            except OSError as error:
                assert error.errno == errno.ENOSPC  # noqa: PT017
            if wire.tripped:
                failed += 1
        after_repair(path, acknowledged)
        if not wire.tripped:
            assert acknowledged == set(range(42))
            assert failed
            return
    raise AssertionError("never got through")


def after_repair(path: Path, acknowledged: set[int]) -> None:
    """The disk works again: everything is sent once more."""
    with open_collector(path) as collector:
        repeated = send(collector, range(42))
        assert repeated.counted + repeated.repeated == 42
        assert repeated.repeated >= len(acknowledged)
    table = stored(path)
    assert sorted(table["uid"].to_pylist()) == [name(user) for user in range(42)]
    assert pc.count_distinct(table["uid"]).as_py() == 42
    Folder.open(path).verify()


def test_after_a_failed_fsync_nothing_is_taken_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collector = open_collector(tmp_path / "r")
    ended: list[BaseException] = []
    with collector:
        collector.committer.failed = ended.append
        with monkeypatch.context() as patch:
            patch.setattr(files, "sync_data", Tripwire("sync_data", 0))
            with pytest.raises(OSError, match="No space"):
                send(collector, [1])
        with pytest.raises(OSError, match="No space"):  # the disk works again, but who knows what it has kept
            send(collector, [2])
        assert collector.error is FULL
        assert ended == [FULL]
    after_repair(tmp_path / "r", set())


def test_the_check_notices_an_acknowledgement_before_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that does not write, a deliberate mutant, is caught by the very check above."""
    monkeypatch.setattr(Log, "append", lambda self, payloads: None)
    acknowledged: set[int] = set()
    a_day(tmp_path / "r", acknowledged)
    monkeypatch.undo()
    assert acknowledged == set(range(42))
    with pytest.raises(AssertionError):
        after_repair(tmp_path / "r", acknowledged)
