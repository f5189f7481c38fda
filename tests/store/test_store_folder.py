"""A folder of reports: what is written is read back, and what is wrong with it is said."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reports import OTHER, PLAN, add, batch, schema, snapshot

from untold.errors import BadRecord, StoreError
from untold.plan import Plan
from untold.store import Folder, FolderWriter, Segment
from untold.store.columns import to_arrow
from untold.store.lock import FolderLock
from untold.store.manifest import Manifest
from untold.store.recovery import uncounted
from untold.store.segment import merge_by_view


def test_reports_come_back_epoch_by_epoch(tmp_path: Path) -> None:
    first, second = add(tmp_path / "r", 0), add(tmp_path / "r", 7, ["u1", "u2", "u3"])
    folder = Folder.open(tmp_path / "r")
    assert folder.plan == PLAN
    assert folder.segments("votes") == (first, second)
    assert folder.segments("votes", [7]) == (second,)
    assert folder.segments("ages") == ()
    assert (folder.rows("votes"), folder.users("votes", 7), folder.epochs("votes")) == (5, 3, (0, 7))
    assert first.file == f"votes/0-{first.sha256[:16]}.parquet"
    table = pq.read_table(folder.paths("votes", [7])[0])
    assert table.column_names == ["uid", "epoch", "slot", "message"]
    assert table["uid"].to_pylist() == ["u1", "u2", "u3"]
    assert table.schema.metadata[b"plan"].decode() == PLAN.id
    assert table.schema.metadata[b"insecure"] == b"false"
    folder.verify()
    with pytest.raises(BadRecord, match=r"no service 'vote'\. Did you mean 'votes'"):
        folder.segments("vote")


def test_another_plan_is_refused_with_both_ids(tmp_path: Path) -> None:
    add(tmp_path / "r")
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="another plan") as refusal:
        add(tmp_path / "r", 1, plan=OTHER)
    assert PLAN.id in str(refusal.value)
    assert OTHER.id in str(refusal.value)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda p: None, "does not exist"),
        (lambda p: p.write_text("x"), "is not a folder"),
        (lambda p: p.mkdir(), "is empty"),
        (lambda p: (p.mkdir(), (p / "notes.txt").write_text("x")), "has no plan.json"),
        (lambda p: (add(p), (p / "plan.json").unlink()), "has no plan.json"),
        (lambda p: (add(p), (p / "plan.json").write_text("{}")), "cannot be read as a plan"),
        (lambda p: (add(p), (p / "plan.json").write_text(OTHER.to_json())), "the reports were made under"),
        (lambda p: (add(p), (p / "manifest.json").unlink()), "no manifest.json"),
        (lambda p: (add(p), (p / "manifest.json").write_text("{")), "is damaged"),
        (lambda p: (add(p), (p / "manifest.json").write_text('{"format": 4}')), "of format 4.*reads format 3"),
    ],
)
def test_what_is_not_a_folder_of_reports_is_refused(tmp_path: Path, make: object, complaint: str) -> None:
    make(tmp_path / "r")  # type: ignore[operator]
    with pytest.raises(StoreError, match=complaint) as refusal:
        Folder.open(tmp_path / "r")
    assert "Hint: " in str(refusal.value)


def test_verify_names_every_fault(tmp_path: Path) -> None:
    gone, flipped, cut = add(tmp_path, 0), add(tmp_path, 1), add(tmp_path, 2)
    (tmp_path / gone.file).unlink()
    data = bytearray((tmp_path / flipped.file).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / flipped.file).write_bytes(data)
    (tmp_path / cut.file).write_bytes((tmp_path / cut.file).read_bytes()[:-1])
    (tmp_path / "votes" / "0-stranger.parquet").write_bytes(b"")
    with pytest.raises(StoreError) as refusal:
        Folder.open(tmp_path).verify()
    message = str(refusal.value)
    assert f"{gone.file} is missing (2 reports)" in message
    assert f"{flipped.file} is damaged: its SHA-256" in message
    assert f"{cut.file} is damaged: it has" in message
    assert "votes/0-stranger.parquet is foreign" in message


def test_foreign_folders_and_files_are_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(StoreError, match=r"thesis\.tex"):
        add(tmp_path)
    with pytest.raises(StoreError, match="is a file"):
        add(tmp_path / "thesis.tex")
    assert snapshot(tmp_path) == {"thesis.tex": b"x"}


def hold(path: Path, held: object, release: object) -> None:
    with FolderLock(path):
        held.set()  # type: ignore[attr-defined]
        release.wait(30)  # type: ignore[attr-defined]


def test_a_busy_folder_is_refused(tmp_path: Path) -> None:
    add(tmp_path)
    before = snapshot(tmp_path)
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path, held, release))
    other.start()
    try:
        assert held.wait(30)
        with pytest.raises(StoreError, match="busy: another process is writing"):
            add(tmp_path, 1)
        assert snapshot(tmp_path) == before
    finally:
        release.set()
        other.join(30)
    add(tmp_path, 1)


def test_a_segment_is_sorted_by_view_and_its_bytes_are_its_reports(tmp_path: Path) -> None:
    offsets = np.asarray(PLAN.design("ages").offsets, dtype=np.uint32)
    assert len(offsets) > 1
    second = int(offsets[1])
    batches = [
        batch(["a", "b", "c"], [1, 0, second], service="ages"),
        batch(["d", "e"], [0, second + 1], service="ages"),
    ]
    merged = merge_by_view(batches, offsets, schema(service="ages"))
    assert merged["uid"].to_pylist() == ["a", "b", "d", "c", "e"]
    for name in ("x", "y"):
        with FolderWriter(tmp_path / name, PLAN) as writer:
            staged = writer.stage("ages", schema(service="ages"))
            for each in batches:
                staged.write(each)
            staged.finish()
            writer.commit("ages", 0, 5, insecure=False)
    assert snapshot(tmp_path / "x") == snapshot(tmp_path / "y")


def test_bits_are_stored_as_fixed_size_binary() -> None:
    column = to_arrow(np.array([[1, 2], [3, 4]], dtype=np.uint8))
    assert column.type == pa.binary(2)
    assert column.to_pylist() == [b"\x01\x02", b"\x03\x04"]


def test_the_frozen_plan_and_the_manifest_are_plain_json(tmp_path: Path) -> None:
    segment = add(tmp_path)
    assert Plan.from_json((tmp_path / "plan.json").read_text()) == PLAN
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["plan"] == PLAN.id
    assert manifest["segments"][0]["sha256"] == segment.sha256


def test_a_manifest_of_many_segments_is_changed_in_no_time(tmp_path: Path) -> None:
    """A month of minutes: comparing every segment with every other one took minutes of processor time."""
    many = tuple(
        Segment("votes", f"votes/0-{i:016x}.parquet", 0, 1, 1, f"{i:064x}", 1, False, i) for i in range(43_200)
    )
    manifest = Manifest(PLAN.id, many)
    began = process_time()
    after = manifest.exchanged(many[:-1], [])
    assert uncounted(manifest, Manifest(PLAN.id, many[1:])) == [many[0].file]
    assert process_time() - began < 5
    assert (after.segments, len(after.retired)) == (many[-1:], 43_199)
