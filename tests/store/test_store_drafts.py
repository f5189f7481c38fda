"""Parts that others write are drafts in a private folder: chosen ones count, the rest are gone, whoever comes late."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from reports import PLAN, add, batch, schema, snapshot

from tacit.engines.duck import DuckEngine
from tacit.errors import StoreError
from tacit.store import Folder, FolderWriter, PartWriter, Segment, files


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
    monkeypatch.setattr(files, "create", lambda path: path.parent.mkdir(exist_ok=True, parents=True) or create(path))
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
