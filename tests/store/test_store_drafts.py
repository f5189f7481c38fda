"""Parts that others write are drafts in a private folder: chosen ones count, the rest are gone, whoever comes late."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from reports import PLAN, add, batch, schema, snapshot

from untold.ask.engines.duck import DuckEngine
from untold.errors import StoreError
from untold.store import Folder, FolderWriter, PartWriter, Segment, files


def write_part(folder: Path, name: str, user: str) -> Segment:
    """What a task does."""
    part = PartWriter(folder, PLAN, name)
    staged = part.stage("votes", schema())
    staged.write(batch([user], [0]))
    staged.finish()
    written = part.commit("votes", 0, 1, insecure=False)
    return Segment(**{**vars(written), "file": f"{folder.name}/{written.file}"})


def test_a_chosen_part_counts_and_its_second_draw_is_gone(tmp_path: Path) -> None:
    with FolderWriter(tmp_path, PLAN) as writer, writer.drafts("job") as drafts:
        assert stat.S_IMODE(drafts.stat().st_mode) == 0o700
        chosen = write_part(drafts, "first", "u1")
        write_part(drafts, "again", "u1")
        writer.adopt([chosen])
    folder = Folder.open(tmp_path)
    folder.verify()
    assert folder.rows("votes") == 1
    assert not list(tmp_path.glob(".*"))


def uncounted_modes(root: Path) -> list[int]:
    """Permissions of every file of reports that does not count."""
    counted = Folder.open(root).manifest.files() if (root / "manifest.json").exists() else ()
    found = [each for each in root.rglob("*.parquet") if each.relative_to(root).as_posix() not in counted]
    return [files.mode_of(each) for each in found]


@pytest.mark.parametrize(("umask", "usual"), [(0o022, 0o640), (0o000, 0o660), (0o027, 0o640), (0o077, 0o600)])
def test_only_the_owner_reads_a_segment_before_it_counts(
    umask: int, usual: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is written, when it is finished, and when it has its name but is not listed: a process may die there."""
    rename, modes = files.rename, []

    def watched(old: Path, new: Path) -> None:
        modes.extend(uncounted_modes(tmp_path))
        rename(old, new)
        modes.extend(uncounted_modes(tmp_path))

    monkeypatch.setattr(files, "rename", watched)
    before = os.umask(umask)
    try:
        with FolderWriter(tmp_path, PLAN) as writer:
            staged = writer.stage("votes", schema())
            modes.extend(uncounted_modes(tmp_path))
            staged.write(batch(["u1"], [0]))
            staged.finish()
            segments = [writer.commit("votes", 0, 1, insecure=False)]
            with writer.drafts("job") as drafts:
                segments += writer.adopt([write_part(drafts, "first", "u2")])
    finally:
        os.umask(before)
    assert len(modes) >= 8
    assert set(modes) == {0o600}
    assert [files.mode_of(tmp_path / each.file) for each in segments] == [usual, usual]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_what_fails_takes_its_drafts_along(tmp_path: Path, error: BaseException) -> None:
    def fail() -> None:
        with FolderWriter(tmp_path / "r", PLAN) as writer, writer.drafts("job") as drafts:
            write_part(drafts, "first", "u1")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert snapshot(tmp_path) == {}


def late(tmp_path: Path) -> None:
    """One task is in the middle of its part when the folder goes, another one has not begun."""
    with FolderWriter(tmp_path / "r", PLAN) as writer:
        with writer.drafts("job") as drafts:
            begun, waiting = PartWriter(drafts, PLAN, "begun"), PartWriter(drafts, PLAN, "waiting")
            half = begun.stage("votes", schema())
            half.write(batch(["u1"], [0]))
        half.finish()
        with pytest.raises(FileNotFoundError):
            waiting.stage("votes", schema()).abandon()
        half.abandon()
    assert snapshot(tmp_path) == {}


def test_a_task_that_comes_late_leaves_nothing(tmp_path: Path) -> None:
    late(tmp_path)


def test_a_task_that_makes_its_folder_again_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = files.create
    monkeypatch.setattr(
        files, "create", lambda path, *mode: path.parent.mkdir(exist_ok=True, parents=True) or create(path, *mode)
    )
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        late(tmp_path)
    assert snapshot(tmp_path) != {}


def test_what_a_dead_writer_left_is_read_by_nobody_and_removed_by_the_next(tmp_path: Path) -> None:
    add(tmp_path)
    before = snapshot(tmp_path)
    for name in ("dead", f"dying{files.GONE}"):
        left = tmp_path / f"{files.STAGED}{name}"
        files.make_private(left)
        write_part(left, "part", "u3")
    folder = Folder.open(tmp_path)
    folder.verify()
    assert folder.rows("votes") == 2
    engine = DuckEngine(folder)
    with pytest.raises(Exception, match="Permission"):
        engine._db.sql(f"FROM '{left}/part.parquet'").fetchall()
    assert len(engine._db.sql(f"FROM '{folder.paths('votes')[0].resolve()}'").fetchall()) == 2
    engine.close()
    with FolderWriter(tmp_path, PLAN):
        assert snapshot(tmp_path) == before


def test_drafts_that_cannot_be_removed_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(path: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise OSError("Directory not empty")

    monkeypatch.setattr(files, "PAUSE", 0.0)
    monkeypatch.setattr(files.shutil, "rmtree", held)
    with (
        pytest.raises(StoreError, match=r"second draw(.|\n)*Hint"),
        FolderWriter(tmp_path, PLAN) as writer,
        writer.drafts("job"),
    ):
        pass
