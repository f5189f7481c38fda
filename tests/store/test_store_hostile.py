"""A folder from elsewhere is data: what it says is checked, and nothing outside it is read, written or removed."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reports import PLAN, add, batch, schema, snapshot

import untold
from untold.errors import StoreError, UntoldError
from untold.store import Folder, FolderLock, FolderWriter, Manifest, Segment, files
from untold.store.manifest import Retired
from untold.store.sealed import sealed

OUTSIDE = "precious.parquet"
NAMES = (
    f"../{OUTSIDE}",
    f"votes/../../{OUTSIDE}",
    f"votes/../{OUTSIDE}",
    "votes/*.parquet",
    "/etc/passwd",
    "votes\\..\\x.parquet",
    "plan.json",
    "votes/.staged-segment.parquet",
    "votes/0-0123456789abcdef.parquet\n",
    "",
)


def write(path: Path, manifest: Manifest) -> None:
    path.write_text(manifest.to_json(), encoding="utf-8")


def told(segment: Segment, **changes: Any) -> Manifest:
    return Manifest(PLAN.id, (replace(segment, **changes),))


@pytest.mark.parametrize("name", NAMES)
def test_an_unfinished_manifest_removes_nothing_outside(tmp_path: Path, name: str) -> None:
    segment = add(tmp_path / "r")
    (tmp_path / OUTSIDE).write_bytes(b"mine")
    write(tmp_path / "r" / ".staged-manifest.json", told(segment, file=name))
    add(tmp_path / "r", 1)
    assert (tmp_path / OUTSIDE).read_bytes() == b"mine"
    assert (tmp_path / "r" / "plan.json").exists()
    Folder.open(tmp_path / "r").verify()


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_names_nothing_outside(tmp_path: Path, name: str) -> None:
    segment = add(tmp_path / "r")
    (tmp_path / OUTSIDE).write_bytes((tmp_path / "r" / segment.file).read_bytes())
    for manifest in (
        told(segment, file=name),
        Manifest(PLAN.id, (segment,), (Retired(name, 1),)),
        told(segment, sha256="../" * 20),
        told(segment, rows="many"),
        told(segment, epoch=-1),
        told(segment, insecure=None),
    ):
        write(tmp_path / "r" / "manifest.json", manifest)
        for attempt in (lambda: Folder.open(tmp_path / "r"), lambda: untold.connect(tmp_path / "r")):
            with pytest.raises(StoreError, match=r"manifest\.json is damaged"):
                attempt()
        with pytest.raises(StoreError, match=r"manifest\.json is damaged"), FolderWriter(tmp_path / "r", PLAN):
            pass
    assert (tmp_path / OUTSIDE).exists()


def test_a_service_that_the_plan_does_not_have_is_refused(tmp_path: Path) -> None:
    segment = add(tmp_path)
    strange = replace(segment, service="spies", file=segment.file.replace("votes", "spies"))
    write(tmp_path / "manifest.json", Manifest(PLAN.id, (strange,)))
    with pytest.raises(StoreError, match="service 'spies', which the plan does not have"):
        Folder.open(tmp_path)


def link_service(folder: Path, outside: Path, segment: Segment) -> None:
    (folder / "votes").rename(outside / "votes")
    (folder / "votes").symlink_to(outside / "votes")


def link_file(folder: Path, outside: Path, segment: Segment) -> None:
    (folder / segment.file).rename(outside / OUTSIDE)
    (folder / segment.file).symlink_to(outside / OUTSIDE)


@pytest.mark.parametrize("link", [link_service, link_file])
def test_links_are_not_followed(tmp_path: Path, link: Callable[[Path, Path, Segment], None]) -> None:
    segment = add(tmp_path / "r")
    outside = tmp_path / "outside"
    outside.mkdir()
    link(tmp_path / "r", outside, segment)
    before = snapshot(outside)
    with pytest.raises(UntoldError, match="is a link"):
        untold.connect(tmp_path / "r").sql("SELECT COUNT(*) FROM votes")
    with pytest.raises(StoreError, match="is a link"):
        Folder.open(tmp_path / "r").verify()
    retired = Manifest(PLAN.id, (), (Retired(segment.file, 1),))
    write(tmp_path / "r" / "manifest.json", retired)
    with pytest.raises(StoreError, match="is a link"), FolderWriter(tmp_path / "r", PLAN) as writer:
        writer.forget(before=2)
    write(tmp_path / "r" / "manifest.json", Manifest(PLAN.id))
    write(tmp_path / "r" / ".staged-manifest.json", Manifest(PLAN.id, (segment,)))
    with pytest.raises(StoreError, match="is a link"):
        add(tmp_path / "r")
    assert snapshot(outside) == before


def test_small_files_are_no_links_either(tmp_path: Path) -> None:
    for name in ("plan.json", "manifest.json"):
        folder = tmp_path / name / "r"
        add(folder)
        (folder / name).rename(tmp_path / f"other-{name}")
        (folder / name).symlink_to(tmp_path / f"other-{name}")
        with pytest.raises(StoreError, match=f"{name} is a link"):
            Folder.open(folder)


def test_a_staged_link_is_not_written_through(tmp_path: Path) -> None:
    """Whoever can write into the folder must not choose which other file a writer overwrites."""
    (tmp_path / OUTSIDE).write_bytes(b"mine")
    with FolderWriter(tmp_path / "r", PLAN) as writer:
        (tmp_path / "r" / ".staged-segment.parquet").symlink_to(tmp_path / OUTSIDE)
        with pytest.raises(OSError, match="symbolic links"):
            writer.stage("votes", schema())
    assert (tmp_path / OUTSIDE).read_bytes() == b"mine"


def test_summaries_are_written_through_no_link(tmp_path: Path) -> None:
    add(tmp_path / "r", users=[f"u{i}" for i in range(100)])
    untold.connect(tmp_path / "r").index()
    made = list((tmp_path / "r" / ".summaries").iterdir())
    assert made
    assert {each.suffix for each in made} == {".arrow"}
    for each in made:
        each.unlink()
    (tmp_path / "r" / ".summaries").rename(tmp_path / "elsewhere")
    (tmp_path / "r" / ".summaries").symlink_to(tmp_path / "elsewhere")
    untold.connect(tmp_path / "r").index()
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["manifest.json", "plan.json"])
def test_deep_files_are_refused_in_words(tmp_path: Path, name: str) -> None:
    add(tmp_path)
    (tmp_path / name).write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(StoreError, match=name):
        Folder.open(tmp_path)
    (tmp_path / name).write_text(sealed('{"format": 2, "plan": "", "segments": ' + "[" * 50_000 + "]" * 50_000 + "}"))
    with pytest.raises(StoreError, match=name):
        Folder.open(tmp_path)


def test_a_writer_that_is_turned_away_leaves_the_folder_to_the_one_that_has_it(tmp_path: Path) -> None:
    """Both made the folder; the first locked it and has written nothing yet."""
    path, make = tmp_path / "r", files.make_folders

    def made_by_both(folder: Path) -> list[Path]:
        return make(folder) or [folder]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "make_folders", made_by_both)
        with FolderWriter(path, PLAN) as first:
            with pytest.raises(StoreError, match="busy"), FolderWriter(path, PLAN):
                pass
            staged = first.stage("votes", schema())
            staged.write(batch(["u1"], [0]))
            staged.finish()
            first.commit("votes", 0, 1, insecure=False)
    Folder.open(path).verify()


def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(tmp_path: Path) -> None:
    path, enter, times = tmp_path / "a" / "r", FolderLock.__enter__, []

    def removed_first(lock: FolderLock) -> FolderLock:
        times.append(lock)
        if len(times) == 1:  # the one who had it fails, and takes its folder away
            handle = os.open(path, os.O_RDONLY)
            path.rmdir()
            path.parent.rmdir()
            os.close(handle)
        return enter(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FolderLock, "__enter__", removed_first)
        add(path)
    assert len(times) == 2
    Folder.open(path).verify()


def test_a_lock_holds_the_folder_that_has_the_name(tmp_path: Path) -> None:
    """One opens the folder; before it locks it, the folder is removed and made anew: its lock would keep nobody out."""
    folder, real = tmp_path / "r", os.open
    folder.mkdir()

    def swapped(path: Any, flags: int, *more: Any) -> int:
        handle = real(path, flags, *more)
        folder.rmdir()
        folder.mkdir()
        return handle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("untold.store.lock.os.open", swapped)
        with pytest.raises(FileNotFoundError), FolderLock(folder):
            pass
    with FolderLock(folder):
        pass


def test_what_is_refused_is_json_to_read(tmp_path: Path) -> None:
    """The companion: an untouched manifest is taken, and says what the tests above change."""
    segment = add(tmp_path)
    assert json.loads((tmp_path / "manifest.json").read_text())["segments"][0]["file"] == segment.file
    write(tmp_path / "manifest.json", told(segment, log=3))
    assert Folder.open(tmp_path).segments("votes")[0].log == 3


@pytest.mark.parametrize("sql", ["SELECT COUNT(*) FROM votes", "SELECT COUNT(*) FROM votes WHERE choice = 'yes'"])
@pytest.mark.parametrize("beyond", [0, 1, 10**6])
def test_a_message_beyond_those_of_the_plan_is_told(tmp_path: Path, sql: str, beyond: int) -> None:
    """It is no report; joined with the scores of all messages it would count as nothing without a word."""
    last = PLAN.design("votes").messages - 1
    with FolderWriter(tmp_path, PLAN) as writer:
        staged = writer.stage("votes", schema())
        staged.write(batch(["u1", "u2"], [0, last + beyond]))
        staged.finish()
        writer.commit("votes", 0, 2, insecure=False)
    con, folder = untold.connect(tmp_path), Folder.open(tmp_path)
    if not beyond:
        assert con.sql(sql).df() is not None
        folder.verify()
        return
    for attempt in (lambda: con.sql(sql).df(), lambda: con.sql(sql).df(), folder.verify):
        with pytest.raises(StoreError, match="message beyond the"):
            attempt()


def with_column(name: str, values: list[Any], kind: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    """Puts a column in the place of another one."""
    return lambda table: table.set_column(table.column_names.index(name), name, pa.array(values, kind))


SPOILED: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "null messages": (with_column("message", [None, 0], pa.uint32()), "without 'message'"),
    "negative messages": (with_column("message", [-1, 0], pa.int64()), "of type int64"),
    "messages that are no numbers": (with_column("message", [math.nan, 0.0], pa.float64()), "of type double"),
    "messages in words": (with_column("message", ["a", "b"], pa.string()), "of type string"),
    "null keys": (with_column("uid", [None, "u"], pa.string()), "without 'uid'"),
    "reports of another epoch": (with_column("epoch", [0, 9], pa.int32()), "epochs 0 to 9, listed as epoch 0"),
    "no message": (lambda table: table.drop_columns(["message"]), "no column 'message'"),
    "no epoch": (lambda table: table.drop_columns(["epoch"]), "no column 'epoch'"),
    "more reports": (lambda table: pa.concat_tables([table, table]), "has 4 reports, 2 were written"),
    "fewer reports": (lambda table: table.slice(0, 1), "has 1 reports, 2 were written"),
}


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("what", SPOILED)
def test_a_segment_that_holds_something_else_is_told(tmp_path: Path, what: str, statistics: bool) -> None:
    """Checksums fit, as after a careless repair: the footer tells, or the column where the footer does not."""
    spoil, said = SPOILED[what]
    segment = add(tmp_path)
    file = tmp_path / segment.file
    pq.write_table(spoil(pq.read_table(file)), file, write_statistics=statistics)
    data = file.read_bytes()
    write(tmp_path / "manifest.json", told(segment, sha256=sha256(data).hexdigest(), bytes=len(data)))
    folder = Folder.open(tmp_path)
    for attempt in (lambda: untold.connect(tmp_path).sql("SELECT COUNT(*) FROM votes").df(), folder.verify):
        with pytest.raises(StoreError, match=said):
            attempt()


@pytest.mark.parametrize("damage", [b"", b"hello" * 50, None])
def test_a_damaged_segment_is_told_in_words(tmp_path: Path, damage: bytes | None) -> None:
    file = tmp_path / add(tmp_path).file
    whole = file.read_bytes()
    file.write_bytes(whole[:-40] + b"\xff" * 20 + whole[-20:] if damage is None else damage)
    for attempt in (
        lambda: untold.connect(tmp_path).sql("SELECT COUNT(*) FROM votes").df(),
        Folder.open(tmp_path).verify,
    ):
        with pytest.raises(StoreError, match=r"damaged|cannot be read"):
            attempt()


def test_a_segment_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    add(tmp_path)
    file = tmp_path / "manifest.json"
    listed = Manifest.from_json(file.read_text(), file)
    file.write_text(replace(listed, segments=listed.segments * 2).to_json())
    with pytest.raises(StoreError, match="listed twice"):
        untold.connect(tmp_path)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("name", ["manifest.json", "plan.json", "epochs.json", ".staged-manifest.json", ".ledger"])
def test_a_file_that_is_none_is_refused_in_words(tmp_path: Path, name: str, kind: str) -> None:
    """A pipe would be read for ever, a link leads out of the folder, and a folder was an error of the system."""
    path = tmp_path / "r"
    add(path)
    (tmp_path / "outside").write_text('{"start": {}}')
    file = path / name
    file.unlink(missing_ok=True)
    makers: dict[str, Callable[[], object]] = {
        "folder": file.mkdir,
        "link": lambda: file.symlink_to(tmp_path / "outside"),
        "pipe": lambda: os.mkfifo(file),
    }
    makers[kind]()
    if name == ".staged-manifest.json":  # nobody's any more
        with FolderWriter(path, PLAN):
            assert not file.exists()
    elif name == ".ledger":
        with pytest.raises(StoreError, match=name), FolderWriter(path, PLAN):
            pass
    else:
        with pytest.raises(StoreError, match=name):
            Folder.open(path).epoch_dates()
    assert (tmp_path / "outside").read_text() == '{"start": {}}'
