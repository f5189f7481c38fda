"""Every write, fsync and rename fails in turn, and a process dies at every step: what does not count leaves nothing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reports import PLAN, add, batch, schema, snapshot

from tacit.errors import StoreError
from tacit.store import Folder, FolderWriter, files

STEPS = ("create", "write", "sync", "sync_folder", "rename")


class Tripwire:
    """Lets `allowed` calls of a function pass, then fails every one."""

    def __init__(self, function: Callable[..., Any], allowed: int, error: BaseException) -> None:
        self.function, self.left, self.error, self.tripped = function, allowed, error, False

    def __call__(self, *args: Any) -> Any:
        if self.left == 0:
            self.tripped = True
            raise self.error
        self.left -= 1
        return self.function(*args)


def failing_runs(step: str, monkeypatch: pytest.MonkeyPatch, error: BaseException, run: Callable[[], Any]) -> int:
    """Fail the 1st, 2nd, ... call of a step until a run gets through; returns how many runs failed."""
    original = getattr(files, step)
    for allowed in range(100):
        wire = Tripwire(original, allowed, error)
        monkeypatch.setattr(files, step, wire)
        try:
            run()
        except type(error):
            assert wire.tripped
        else:
            assert not wire.tripped
            return allowed
        finally:
            monkeypatch.setattr(files, step, original)
    raise AssertionError("never got through")


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=["disk", "ctrl-c"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("existing", [False, True], ids=["new", "appended"])
def test_a_failure_leaves_nothing_behind(
    step: str, existing: bool, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "deep" / "reports"
    if existing:
        add(target, 0)
    before = snapshot(tmp_path)

    def run() -> None:
        try:
            add(target, 1)
        except BaseException:
            assert snapshot(tmp_path) == before
            raise

    assert failing_runs(step, monkeypatch, error, run) >= 1
    Folder.open(target).verify()
    assert len(Folder.open(target).segments("votes")) == 1 + existing


@pytest.mark.parametrize("step", STEPS)
def test_after_a_crash_the_next_writer_cleans_up(step: str, tmp_path: Path) -> None:
    """The process ends without a word at every step, in a child."""
    add(tmp_path, 0)
    for allowed in range(100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forking beside the idle threads of a library
            child = os.fork()
        if child == 0:
            setattr(files, step, Tripwire(getattr(files, step), allowed, SystemExit()))
            setattr(files, step, _dying(getattr(files, step)))
            try:
                add(tmp_path, 1 + allowed)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        counted = len(Folder.open(tmp_path).segments("votes"))
        with FolderWriter(tmp_path, PLAN):
            pass
        Folder.open(tmp_path).verify()
        assert not list(tmp_path.glob(".staged-*"))
        assert len(Folder.open(tmp_path).segments("votes")) == counted
        if status == 0:
            assert allowed >= 1
            return
    raise AssertionError("never got through")


def _dying(wire: Tripwire) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        try:
            return wire(*args)
        except SystemExit:
            os._exit(9)

    return call


def test_an_uncommitted_segment_is_gone(tmp_path: Path) -> None:
    with FolderWriter(tmp_path / "r", PLAN) as writer:
        writer.stage("votes", schema()).write(batch(["u"], [0]))
        with pytest.raises(StoreError, match="already being written"):
            writer.stage("votes", schema())
    assert snapshot(tmp_path) == {}


def test_the_tripwire_can_notice_a_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If staged files were not removed, the test above would say so."""
    monkeypatch.setattr(files, "remove", lambda path: None)
    monkeypatch.setattr(files, "sync", Tripwire(files.sync, 0, OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        add(tmp_path / "r")
    assert snapshot(tmp_path) != {}
