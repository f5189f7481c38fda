"""Every write, fsync and rename fails in turn, and a process dies at every step: what does not count leaves nothing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reports import PLAN, add, batch, schema, snapshot

from untold.errors import StoreError
from untold.store import Folder, FolderWriter, files

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


def counting(original: Callable[..., Any], allowed: int, fail: Callable[[], None]) -> Callable[..., Any]:
    """Lets some calls of a function pass; the next one fails."""
    left = [allowed]

    def call(*args: Any) -> Any:
        if left[0] == 0:
            fail()
        left[0] -= 1
        return original(*args)

    return call


def failing_after(name: str, back: str, allowed: int) -> Callable[[Path, Path], None]:
    """A rename that fails after it was done, for files with such names; and then the process dies on the way back."""
    rename = files.rename

    def call(old: Path, new: Path) -> None:
        rename(old, new)
        if new.name.endswith(name):
            setattr(files, back, counting(getattr(files, back), allowed, lambda: os._exit(9)))
            raise OSError("disk full")

    return call


BACK = ("remove", "put", "try_sync", "remove_empty")  # the steps of the way back


@pytest.mark.parametrize("existing", [False, True], ids=["new", "appended"])
@pytest.mark.parametrize("after", ["segment named", "manifest swapped"])
@pytest.mark.parametrize("back", BACK)
def test_a_death_on_the_way_back_leaves_no_second_draw(back: str, after: str, existing: bool, tmp_path: Path) -> None:
    """A disk fails in the middle of a commit, and the process is killed at every step of undoing it: the next writer finds
    the segment that got its name. Without that the same people would be drawn again beside it."""
    if existing:
        add(tmp_path, 0)
    deaths = 0
    for allowed in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forking beside the idle threads of a library
            child = os.fork()
        if child == 0:
            step, name = "rename", "manifest.json" if after == "manifest swapped" else ".parquet"
            setattr(files, step, failing_after(name, back, allowed))
            try:
                add(tmp_path, 1 + allowed)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        with FolderWriter(tmp_path, PLAN) as writer:
            if any((tmp_path / "votes").glob("*")):
                writer.folder.verify()
            died_before_the_old_manifest_was_back = back == "put" and status != 0
            assert (
                len(writer.manifest.segments)
                == existing + deaths * (back == "put") + died_before_the_old_manifest_was_back
            )
        assert not list(tmp_path.glob(".staged-*"))
        deaths += status != 0
        if status == 0:
            break
    expected = 0 if back == "put" and not (existing and after == "manifest swapped") else 1
    assert deaths >= expected


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=["disk", "ctrl-c"])
def test_a_segment_that_cannot_be_removed_goes_before_anything_else_is_written(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tmp_path, 0)
    remove = files.remove

    def stuck(path: Path) -> None:
        if path.suffix == ".parquet" and path.parent.name == "votes":
            raise error
        remove(path)

    with monkeypatch.context() as patch:
        patch.setattr(files, "rename", Tripwire(files.rename, 1, OSError("disk full")))  # the manifest's
        patch.setattr(files, "remove", stuck)
        with pytest.raises(StoreError if isinstance(error, OSError) else KeyboardInterrupt):
            add(tmp_path, 1)
    assert len(list(tmp_path.glob("votes/*.parquet"))) == 2
    with FolderWriter(tmp_path, PLAN) as writer:
        assert len(list(tmp_path.glob("votes/*.parquet"))) == 1
        assert writer.folder.foreign() == []


def test_a_writer_that_goes_on_removes_first_what_it_could_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FolderWriter(tmp_path, PLAN) as writer:
        for user, stuck in (("u1", True), ("u2", False)):
            staged = writer.stage("votes", schema())
            staged.write(batch([user], [0]))
            staged.finish()
            with monkeypatch.context() as patch:
                if stuck:
                    patch.setattr(files, "rename", Tripwire(files.rename, 2, OSError("disk full")))
                    patch.setattr(files, "remove", Tripwire(files.remove, 0, OSError("disk full")))
                    with pytest.raises(StoreError, match="second draw"):
                        writer.commit("votes", 0, 1, insecure=False)
                else:
                    writer.commit("votes", 0, 1, insecure=False)
            writer.unstage()
        assert writer.folder.foreign() == []
        assert writer.folder.rows("votes") == 1


def test_a_manifest_that_cannot_be_put_back_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(tmp_path, 0)

    def full(path: Path, data: bytes) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(files, "put", full)
        patch.setattr(files, "sync_folder", Tripwire(files.sync_folder, 2, OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            add(tmp_path, 1)
    Folder.open(tmp_path).verify()
    assert len(Folder.open(tmp_path).segments("votes")) == 2
