"""Small segments of closed epochs become large ones: the same reports, in a new order, and nobody who reads is disturbed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untold
from helpers.inside import open_collector, send, stored
from helpers.survey import LAYOUTS, PLAN, ROWS
from untold import cli
from untold.device.client import Client
from untold.errors import StoreError
from untold.serve import server
from untold.serve.collector import Collector
from untold.serve.folder.convert import Converter
from untold.serve.folder.storage import FolderStorage
from untold.serve.reports import merge
from untold.serve.reports.jobs import Job
from untold.serve.reports.merge import shuffled
from untold.serve.settings import Settings
from untold.store import Folder, files
from untold.store.segment import SegmentWriter
from untold.wire.records import encode_body, encode_record

COUNT = "SELECT COUNT(*) AS n FROM people"
AGES = "SELECT age // 25 * 25 AS a, COUNT(*) AS n FROM people GROUP BY a"


def collected(path: Path, segments: int = 6, each: int = 20) -> None:
    """An open epoch in some segments."""
    with open_collector(path) as collector:
        for i in range(segments):
            send(collector, range(i * each, (i + 1) * each))
            collector.flush().result(30)


def closed(path: Path, epoch: int = 0) -> Folder:
    with open_collector(path) as collector:
        collector.close_epoch(epoch).result(60)
    return Folder.open(path)


def rows(path: Path) -> list[tuple[object, ...]]:
    return sorted(zip(*(stored(path)[name].to_pylist() for name in ("uid", "epoch", "slot", "message")), strict=True))


def test_closing_an_epoch_merges_its_segments_and_changes_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "r"
    collected(path)
    with untold.connect(path, summaries=False) as con:
        before, reports = con.sql(AGES).fetchall(), rows(path)
    assert len(Folder.open(path).manifest.segments) == 6
    folder = closed(path)
    (segment,) = folder.manifest.segments
    assert (segment.rows, segment.users, segment.log, segment.insecure) == (120, 120, 6, False)
    assert rows(path) == reports
    with untold.connect(path, summaries=False) as con:
        assert np.allclose(con.sql(AGES).fetchall(), before)
    assert cli.main(["verify", str(path)]) == 0  # what is retired is not foreign
    with open_collector(path) as collector:
        collector.open_epoch(1).result(30)
        assert send(collector, [1], epoch=1).counted == 1  # logs go on counting where they were
        collector.flush().result(30)
        assert collector.storage.writer.manifest.segments[-1].log == 7
    assert closed(path, 1).manifest.segments[0] == segment  # one alone stays as it is


def test_open_epochs_tables_and_large_segments_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    table = pa.table({"uid": [f"x{i}" for i in range(30)], "age": [3] * 30, "income": [4] * 30})
    from benchmarks.collector.server import PLAN as SPEED

    untold.perturb(SPEED, "people", table, out=path)
    collected(path)
    with open_collector(path) as collector:
        collector.open_epoch(1).result(30)
        for i in range(3):
            send(collector, range(10 * i, 10 * i + 10), epoch=1)
            collector.flush().result(30)
    monkeypatch.setattr(merge, "SMALL", 20)
    assert len(closed(path).manifest.segments) == 1 + 6 + 3  # none of 20 reports is small
    monkeypatch.setattr(merge, "SMALL", 21)
    monkeypatch.setattr(merge, "LARGE", 60)
    with open_collector(path) as collector:  # what an earlier process has left is merged after a start
        collector.flush().result(30)
    found = Folder.open(path).manifest.segments
    assert sorted((s.epoch, s.rows) for s in found) == [(0, 30), (0, 60), (0, 60), (1, 10), (1, 10), (1, 10)]


def test_who_reads_meanwhile_is_not_disturbed_and_later_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    collected(path)
    con = untold.connect(path, summaries=False)
    kept = untold.connect(path)
    for _ in range(2):
        kept.sql(COUNT).fetchall()
    kept.close()
    assert len(list((path / ".summaries").iterdir())) == 6
    folder = closed(path)
    assert len(folder.manifest.retired) == 6
    assert con.sql(COUNT).df()["n"].tolist() == [120.0]  # from the old files
    copy = tmp_path / "copy"
    shutil.copytree(path, copy)
    monkeypatch.setattr(merge, "KEPT", -10.0)
    with open_collector(path) as collector:
        collector.flush().result(30)
    assert len(list(path.glob("people/*.parquet"))) == 1
    assert Folder.open(path).manifest.retired == ()
    assert list((path / ".summaries").iterdir()) == []
    Folder.open(path).verify()
    with pytest.raises(StoreError, match="is no longer there") as refused:
        con.sql(COUNT).fetchall()
    assert "connect again" in refused.value.hint
    con.close()
    with untold.connect(path) as again:
        assert again.sql(COUNT).df()["n"].tolist() == [120.0]


def test_rows_are_in_a_new_order_within_their_view(tmp_path: Path) -> None:
    """1,000 rows in 2 views: that a view keeps its old order by chance has a probability below 1e-100."""
    numbers = pa.table(
        {"uid": [f"{i:04}" for i in range(1000)], "message": pa.array([i % 20 for i in range(1000)], pa.uint32())}
    )
    parts = [numbers.slice(0, 500), numbers.slice(500)]
    once, twice = (shuffled(parts, [0, 10]).to_pydict() for _ in range(2))
    assert sorted(once["uid"]) == numbers["uid"].to_pylist()
    views = np.array(once["message"]) // 10
    assert (np.diff(views) >= 0).all()
    first = [uid for uid, view in zip(once["uid"], views, strict=True) if view == 0]
    assert first != sorted(first)
    assert once["uid"] != twice["uid"]
    early = np.mean([int(uid) < 500 for uid in first[:250]])  # half of them came in each file
    assert 0.3 < early < 0.7  # false alarm below 1e-9


@pytest.mark.parametrize("step", ["merge finished", "merge listed"])
def test_a_death_while_merging_loses_and_doubles_nothing(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r"
    collected(path)
    reports = rows(path)

    def die(at: str) -> None:
        if at == step:
            raise KeyboardInterrupt  # stands for the end of the process: nothing after it runs

    with monkeypatch.context() as patch, open_collector(path) as collector:
        patch.setattr(merge, "reached", die)
        with pytest.raises(KeyboardInterrupt):
            collector.close_epoch(0).result(30)
        assert isinstance(collector.error, KeyboardInterrupt)
        shutil.copytree(path, tmp_path / "as it was")  # before anything is cleaned up
    dead = tmp_path / "as it was"
    assert rows(dead) == reports
    folder = closed(dead)
    assert (len(folder.manifest.segments), rows(dead)) == (1, reports)
    folder.verify()
    assert not list(dead.glob(".staged-*"))


def test_a_full_disk_puts_the_merge_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r"
    collected(path)

    def full(self: SegmentWriter, batch: pa.RecordBatch) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_collector(path) as collector:
        with monkeypatch.context() as patch:
            patch.setattr(SegmentWriter, "write", full)
            collector.close_epoch(0).result(30)
        assert len(collector.storage.writer.manifest.segments) == 6
        collector.open_epoch(1).result(30)  # which tries again
        assert len(collector.storage.writer.manifest.segments) == 1
        assert send(collector, [1], epoch=1).counted == 1
    assert "merge put off" in [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize("step", ["rename", "sync_folder"])
def test_a_commit_that_fails_puts_the_merge_off_and_the_folder_is_as_before(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r"
    collected(path)
    reports, original = rows(path), getattr(files, step)

    def fail(*paths: Path) -> None:
        if paths[-1] in (path, path / "manifest.json"):
            raise OSError(errno.EIO, "Input/output error")
        original(*paths)

    with open_collector(path) as collector:
        with monkeypatch.context() as patch:
            patch.setattr(files, step, fail)
            collector.close_epoch(0).result(30)
        assert collector.error is None
        Folder.open(path).verify()
        assert (len(Folder.open(path).manifest.segments), rows(path)) == (6, reports)
        collector.open_epoch(1).result(30)
        assert (len(Folder.open(path).manifest.segments), rows(path)) == (1, reports)
    Folder.open(path).verify()
    assert "merge put off" in said(capsys)


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)


def exchange_rows(file: Path) -> None:
    """A sound Parquet file of other reports: nothing but the manifest's checksum tells."""
    table = pq.read_table(file)
    pq.write_table(pa.concat_tables([table.slice(1), table.slice(0, 1)]), file)


def garble(file: Path) -> None:
    file.write_bytes(b"x" * file.stat().st_size)


@pytest.mark.parametrize("damage", [flip, exchange_rows, garble, Path.unlink])
def test_a_damaged_segment_is_left_out_and_nothing_stops(
    damage: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r"
    collected(path)
    broken = Folder.open(path).manifest.segments[2]
    damage(path / broken.file)
    with open_collector(path) as collector:
        collector.close_epoch(0).result(30)
        collector.open_epoch(1).result(30)
        assert collector.error is None
        assert send(collector, [1], epoch=1).counted == 1
    found = Folder.open(path).manifest.segments
    assert sorted((s.epoch, s.rows) for s in found) == [(0, 20), (0, 100), (1, 1)]
    assert broken in found  # as it was listed, so that it is noticed
    with pytest.raises(StoreError, match=broken.file) as refused:
        Folder.open(path).verify()
    assert str(refused.value).count("  - ") == 1
    assert said(capsys).count("merge left out") == 1


def test_rows_that_cannot_be_merged_put_off_their_group_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r"
    collected(path)
    monkeypatch.setattr(merge, "LARGE", 40)
    calls = []

    def odd(tables: list[pa.Table], offsets: list[int]) -> pa.RecordBatch:
        calls.append(len(tables))
        if len(calls) == 1:
            raise pa.ArrowInvalid("no such page")
        return shuffled(tables, offsets)

    monkeypatch.setattr(merge, "shuffled", odd)
    assert sorted(s.rows for s in closed(path).manifest.segments) == [20, 20, 40, 40]
    assert said(capsys).count("merge put off") == 1


def test_summaries_and_old_files_that_cannot_be_removed_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r"
    collected(path)
    with untold.connect(path) as con:
        for _ in range(2):
            con.sql(COUNT).fetchall()
    retired = [each.file for each in Folder.open(path).manifest.segments]
    closed(path)
    monkeypatch.setattr(merge, "KEPT", -10.0)
    remove = files.remove

    def refuse(where: str) -> Callable[[Path], None]:
        def removing(file: Path) -> None:
            if file.parent.name == where:
                raise PermissionError(errno.EACCES, "Permission denied")
            remove(file)

        return removing

    for where in ("people", ".summaries"):
        with monkeypatch.context() as patch:
            patch.setattr(files, "remove", refuse(where))  # before it opens: it begins to remove at once
            with open_collector(path) as collector:
                collector.flush().result(30)
                assert collector.error is None
        assert all((path / file).exists() == (where == "people") for file in retired)
    assert said(capsys).count("merge put off") == 1
    Folder.open(path).verify()


def test_groups_are_bounded_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    collected(path)
    most = max(pq.read_table(file).nbytes for file in Folder.open(path).paths("people"))
    monkeypatch.setattr(merge, "BYTES", 3 * most)
    with open_collector(path) as collector:
        collector.close_epoch(0).result(30)
        merged = collector.storage.writer.manifest.segments
        assert [s.rows for s in merged] == [60, 60]
        monkeypatch.setattr(pq, "read_table", lambda file: pytest.fail("a full one is read again"))
        collector.open_epoch(1).result(30)
        assert collector.storage.writer.manifest.segments == merged
        assert collector.error is None


def test_merged_files_tell_nothing_of_the_order_of_arrival(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """30 segments in two groups of 15: that these are the earlier and the later ones has a chance of 1.3e-8."""
    path = tmp_path / "r"
    collected(path, segments=30, each=4)
    early = {uid for file in Folder.open(path).paths("people")[:15] for uid in pq.read_table(file)["uid"].to_pylist()}
    monkeypatch.setattr(merge, "LARGE", 60)
    folder = closed(path)
    assert [(s.rows, s.log) for s in folder.manifest.segments] == [(60, 30), (60, 30)]
    first = set(pq.read_table(folder.paths("people")[0])["uid"].to_pylist())
    assert 0 < len(first & early) < 60


def test_merging_makes_way_for_new_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    collected(path)
    monkeypatch.setattr(merge, "SMALL", 21)
    monkeypatch.setattr(merge, "LARGE", 40)
    monkeypatch.setattr(FolderStorage, "_wanted", lambda self: True)

    def listed(epoch: int = 0) -> list[int]:
        return sorted(s.rows for s in Folder.open(path).manifest.segments if s.epoch == epoch)

    with open_collector(path) as collector:
        collector.close_epoch(0).result(30)
        assert listed() == [20, 20, 20, 20, 40]  # one group, and then the logs that wait
        collector.open_epoch(1).result(30)
        assert listed() == [20, 20, 40, 40]
        send(collector, [1], epoch=1)
        collector.flush().result(30)
        assert (listed(), listed(1)) == ([40, 40, 40], [1])  # after each log the next group


def test_a_log_that_waits_is_seen_and_so_is_the_end(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        assert not collector.storage._wanted()
        send(collector, [1])
        assert not collector.storage._wanted()
        (collector.storage.logs / f"{collector.storage.rolling.log.number - 1:012}.log").touch()
        assert collector.storage._wanted()
        (collector.storage.logs / f"{collector.storage.rolling.log.number - 1:012}.log").unlink()
        collector.storage._stopping = True
        assert collector.storage._wanted()


def test_old_files_go_with_the_next_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    collected(path)
    with open_collector(path) as collector:
        collector.close_epoch(0).result(30)
        collector.open_epoch(1).result(30)
        assert len(list(path.glob("people/*.parquet"))) == 7
        monkeypatch.setattr(merge, "KEPT", -10.0)
        send(collector, [1], epoch=1)
        collector.flush().result(30)
        assert len(list(path.glob("people/*.parquet"))) == 2


def test_an_epoch_that_is_opened_while_another_is_tidied_knows_its_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The converting thread tidies up between the moment that the index of an epoch is loaded and that it is open."""
    path = tmp_path / "r"
    collected(path, segments=1)
    with open_collector(path) as collector:
        collector.open_epoch(1).result(30)
        assert send(collector, range(5), epoch=1).counted == 5
    settings = Settings.load(path / ".collector")
    assert settings is not None
    replace(settings, open=(0,)).save(path / ".collector")  # as if these five came from a table
    with open_collector(path) as collector:
        load = Converter.load_epoch

        def tidied(self: Converter, *args: Any) -> int:
            found = load(self, *args)
            collector.storage._tidy()
            return found

        monkeypatch.setattr(Converter, "load_epoch", tidied)
        collector.open_epoch(1).result(30)
        again = send(collector, range(7), epoch=1)
        assert (again.counted, again.repeated) == (2, 5)


def test_a_collector_that_failed_while_it_started_does_not_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would tell the server to end, and nothing would be acknowledged. After two minutes the test ends it."""
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    interval = sys.getswitchinterval()
    monkeypatch.setattr(server, "note_everything", lambda: None)
    rescue = Timer(120, os.kill, (os.getpid(), signal.SIGTERM))
    try:
        with open_collector(tmp_path / "r") as collector:
            collector.committer.fail(OSError(errno.EIO, "Input/output error"))
            rescue.start()
            assert server.run(collector, server.bound("127.0.0.1", 0)) == 1
            assert not rescue.finished.is_set()
    finally:
        rescue.cancel()
        sys.setswitchinterval(interval)
        for each, handler in handlers.items():
            signal.signal(each, handler)


def everything(collector: Collector) -> Iterator[Job]:
    """Ten people's reports to every service of a plan with hashed views, slots, split designs and public columns."""
    for service, layout in LAYOUTS.items():
        records = []
        for user in (f"u-{i}" for i in range(10)):
            reports = Client(PLAN, user).report(service, ROWS[service])
            records.append(encode_record(layout, user, [r.messages for r in reports], dict(reports[0].public)))
        for half in (records[:5], records[5:]):
            yield Job(collector.reader.read_binary(encode_body(PLAN.id, layout, 0, half)).blocks)


def test_every_kind_of_column_survives(tmp_path: Path) -> None:
    path = tmp_path / "r"
    kinds = {f"users.{name}": kind for name, kind in LAYOUTS["users"].public}
    with open_collector(path, PLAN, public=kinds) as collector:
        for job in everything(collector):
            collector.committer.submit(job)
            assert job.done.result(30).counted == 5
            collector.flush().result(30)

    def all_rows(folder: Folder) -> dict[str, list[str]]:
        return {s: sorted(str(row) for f in folder.paths(s) for row in pq.read_table(f).to_pylist()) for s in LAYOUTS}

    before = Folder.open(path)
    reports = all_rows(before)
    with open_collector(path, PLAN) as collector:
        collector.close_epoch(0).result(30)
    after = Folder.open(path)
    assert (len(before.manifest.segments), len(after.manifest.segments)) == (8, 4)
    assert all_rows(after) == reports
