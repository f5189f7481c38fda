"""Segments in a bucket: put once, listed by compare and swap, read through a local copy."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from time import time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.collector.buckets import Buckets
from benchmarks.collector.server import PLAN

import untold
from helpers.inside import ROOMY, eventually, send
from untold.cli import DONE_ALREADY, main
from untold.errors import StoreError, UntoldError
from untold.serve.collector import Collector, collector_over
from untold.serve.reports import merge
from untold.store import Folder
from untold.store import manifest as manifests
from untold.store.bucket import Bucket
from untold.store.bucket_writer import BucketWriter
from untold.store.mirror import CACHE, mirror_of, mirrored
from untold.store.writer import FolderWriter

LedgerOf = Callable[[Path], str]
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.fixture(scope="module")
def server() -> Iterator[Buckets]:
    made = Buckets()
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def place(server: Buckets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return server.make(f"b{abs(hash(request.node.name))}") + "/shop"


def over(place: str, url: str, **options: Any) -> Collector:
    return collector_over(PLAN, place, url, limits=ROOMY, **options)


def test_a_bucket_swaps_only_what_it_was_compared_with(place: str) -> None:
    bucket = Bucket(place)
    assert bucket.read("x") is None
    assert bucket.create("x", b"1")
    assert not bucket.create("x", b"2")
    found = bucket.read("x")
    assert found is not None
    assert found[0] == b"1"
    assert bucket.replace("x", b"3", found[1]) is not None
    assert bucket.replace("x", b"4", found[1]) is None
    assert (now := bucket.read("x")) is not None
    assert now[0] == b"3"
    bucket.remove("x")
    assert bucket.read("x") is None


def test_collectors_put_segments_and_analysts_read_a_copy(
    place: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ledger_of(tmp_path)
    with over(place, url) as first:
        for part in range(3):
            assert send(first, range(10 * part, 10 * part + 10)).counted == 10
            first.flush().result(30)
        with untold.connect(place) as con:
            assert con.sql(COUNT).df()["n"].tolist() == [30.0]
        monkeypatch.setenv(CACHE, str(tmp_path / "another machine"))
        with over(place, url) as second:
            assert (second.segments, second.path != first.path) == (3, True)
            assert send(second, range(40)).repeated == 30
            second.open_epoch(1, date(2026, 11, 1)).result(30)
            second.close_epoch(0).result(30)  # collectors merge its segments, in a turn of theirs
            assert eventually(lambda: [s.rows for s in Folder.open(second.path).manifest.segments] == [40])
        assert send(first, [7], epoch=1).counted == 1
        first.flush().result(30)  # over the other one's manifest
        Folder.open(first.path).verify()
        assert Folder.open(first.path).epoch_dates()[1] == date(2026, 11, 1)
        monkeypatch.setattr(merge, "KEPT", -10.0)
        assert eventually(lambda: len(list(first.path.glob("people/*.parquet"))) == 2)
    with untold.connect(place) as con:
        assert con.sql(COUNT).df()["n"].tolist() == [41.0]
    copy = mirrored(place, segments=False)  # for Spark, which reads segments where they are
    assert len(Folder.open(copy).manifest.segments) == 2
    assert not list(copy.glob("people/*.parquet"))


def test_who_is_overtaken_lists_nothing(place: str, tmp_path: Path, ledger_of: LedgerOf) -> None:
    with over(place, ledger_of(tmp_path)) as collector:
        send(collector, range(5))
        bucket, before = Bucket(place), collector.storage.place
        with before.writing() as late:
            late_manifest = late.manifest
            found = bucket.read(manifests.NAME)
            assert found is not None
            assert bucket.replace(manifests.NAME, found[0] + b" ", found[1]) is not None  # another writer
            with pytest.raises(StoreError, match="meanwhile"):
                late._swap(late_manifest)  # type: ignore[attr-defined]
        now = bucket.read(manifests.NAME)
        assert now is not None
        assert bucket.replace(manifests.NAME, found[0], now[1]) is not None
        collector.flush().result(30)
        assert collector.segments == 1


def test_what_nobody_lists_is_removed_in_time(
    place: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that was overtaken, or died, leaves a segment behind that counts for nobody."""
    left, other = "people/0-0123456789abcdef.parquet", "people/notes.txt"
    with over(place, ledger_of(tmp_path)) as collector:
        send(collector, range(5))
        collector.flush().result(30)
        bucket = Bucket(place)
        assert bucket.create(left, b"nobody's")
        assert bucket.create(other, b"somebody's")
        with collector.storage.place.writing() as writer:
            assert writer.sweep(time() - 3600) == ()  # type: ignore[attr-defined]
        collector.storage.place._swept = float("-inf")
        monkeypatch.setattr("untold.serve.postgres.segment_places.DAY", -60.0)
        send(collector, range(5, 9))
        collector.flush().result(30)
        assert bucket.read(left) is None
        assert bucket.read(other) is not None
        assert collector.segments == 2
    with untold.connect(place) as con:
        assert con.sql(COUNT).df()["n"].tolist() == [9.0]


def test_a_damaged_object_is_noticed_and_a_bucket_needs_a_database(
    place: str, tmp_path: Path, ledger_of: LedgerOf
) -> None:
    with pytest.raises(UntoldError, match="need --ledger"):
        collector_over(PLAN, place, None)
    with pytest.raises(StoreError, match="holds no reports"):
        untold.connect(place)
    with over(place, ledger_of(tmp_path)) as collector:
        send(collector, range(5))
        collector.flush().result(30)
    (segment,) = Folder.open(mirror_of(place)).manifest.segments
    bucket = Bucket(place)
    bucket.remove(segment.file)
    bucket.create(segment.file, b"something else")
    with pytest.raises(StoreError, match="belongs to collectors"), FolderWriter(mirror_of(place), PLAN):
        pass
    (mirror_of(place) / segment.file).unlink()
    (mirror_of(place) / manifests.NAME).unlink()
    with pytest.raises(StoreError, match="damaged"):
        untold.connect(place)


def test_a_folder_that_was_copied_to_a_bucket_is_asked_there(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The recipe of docs/spark.md: segments first, the manifest last."""
    table = pa.table({"uid": [f"u{i}" for i in range(50)], "age": range(50), "income": range(50)})
    untold.perturb(PLAN, "people", table, out=tmp_path / "r")
    bucket = Bucket(place)
    names = [file.relative_to(tmp_path / "r").as_posix() for file in (tmp_path / "r").rglob("*") if file.is_file()]
    for name in sorted(names, key=lambda name: name == manifests.NAME):
        bucket.create(name, (tmp_path / "r" / name).read_bytes())
    assert main(["query", place, COUNT, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("50,")
    assert main(["verify", place]) == 0
    assert main(["explain", place, COUNT]) == 0


def test_a_table_in_a_bucket_is_perturbed_and_a_second_time_is_told_from_a_mistake(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scheduler asks by the exit code whether there is nothing left to do, or somebody must look."""
    table = pa.table({"uid": [f"u{i}" for i in range(50)], "age": range(50), "income": range(50)})
    pq.write_table(table, tmp_path / "t.parquet")
    assert Bucket(place).create("in/t.parquet", (tmp_path / "t.parquet").read_bytes())
    (tmp_path / "plan.json").write_text(PLAN.to_json())
    words = ["perturb", str(tmp_path / "plan.json"), "people"]
    out = ["--out", str(tmp_path / "r")]
    assert main([*words, f"{place}/in/t.parquet", *out]) == 0
    assert main([*words, f"{place}/in/t.parquet", *out]) == DONE_ALREADY == 3
    assert main([*words, f"{place}/in/other.parquet", *out]) == 2
    assert "no such file" in capsys.readouterr().err
    with untold.connect(tmp_path / "r") as con:
        assert con.sql(COUNT).df()["n"].tolist() == [50.0]
    assert not list(Path(tempfile.gettempdir()).glob("untold-rows-*/t.parquet"))


def test_marginals_and_an_index_of_reports_in_a_bucket(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"uid": [f"u{i}" for i in range(50)], "age": range(50), "income": range(50)})
    untold.perturb(PLAN, "people", table, out=tmp_path / "r")
    bucket = Bucket(place)
    for file in sorted((f for f in (tmp_path / "r").rglob("*") if f.is_file()), key=lambda f: f.name == manifests.NAME):
        bucket.create(file.relative_to(tmp_path / "r").as_posix(), file.read_bytes())
    for words in (["index", place], ["marginals", place, "age"]):
        assert main(words) == 0, capsys.readouterr().err


def people(first: int, last: int) -> pa.Table:
    n = last - first
    return pa.table(
        {"uid": [f"u{i}" for i in range(first, last)], "age": [i % 100 for i in range(n)], "income": [7] * n}
    )


def test_tables_are_perturbed_into_a_bucket(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two machines, of which each knows of the other's people by what the bucket lists."""
    (tmp_path / "plan.json").write_text(PLAN.to_json())
    words = ["perturb", str(tmp_path / "plan.json"), "people", str(tmp_path / "t.parquet"), "--out", place]
    pq.write_table(people(0, 50), tmp_path / "t.parquet")
    assert main([*words, "--run-id", "monday"]) == 0
    assert f"in {place}/people/0-" in capsys.readouterr().out
    monkeypatch.setenv(CACHE, str(tmp_path / "another machine"))
    assert main([*words, "--run-id", "monday"]) == 0
    assert "done before" in capsys.readouterr().out
    pq.write_table(people(40, 60), tmp_path / "t.parquet")
    assert main([*words, "--run-id", "tuesday"]) == DONE_ALREADY
    assert untold.perturb(PLAN, "people", people(50, 60), out=place).reports == 10
    with untold.connect(place) as con:
        assert con.sql(COUNT).df()["n"].tolist() == [60.0]
    assert main(["verify", place]) == 0
    assert main(["compact", place]) == 0
    assert len(Folder.open(mirrored(place)).manifest.segments) == 1
    assert untold.perturb(PLAN, "people", people(0, 5), out=place, epoch=1).reports == 5
    assert main(["retire", place, "--before", "1"]) == 0
    with untold.connect(place) as con:
        assert con.sql(COUNT).df()["n"].tolist() == [5.0]
    with pytest.raises(untold.errors.AlreadyReported, match=f"from {place}"):
        untold.perturb(PLAN, "people", people(0, 5), out=place)


def test_two_tables_at_once_count_one_and_leave_nothing_of_the_other(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have drawn; whoever lists first counts, and no second draw of these people is left to be read."""
    untold.perturb(PLAN, "people", people(0, 5), out=place)
    real, bucket = BucketWriter._check_current, Bucket(place)

    def and_then_another(self: BucketWriter) -> None:
        real(self)
        monkeypatch.setattr(BucketWriter, "_check_current", real)
        monkeypatch.setenv(CACHE, str(tmp_path / "another machine"))
        untold.perturb(PLAN, "people", people(10, 15), out=place)

    monkeypatch.setattr(BucketWriter, "_check_current", and_then_another)
    with pytest.raises(StoreError, match="meanwhile"):
        untold.perturb(PLAN, "people", people(10, 20), out=place)
    listed = Folder.open(mirrored(place)).manifest.files()
    objects = {name for name in bucket.older_than(time() + 60) if name.endswith(".parquet")}
    assert objects == listed
    assert len(listed) == 2


def test_a_draw_that_a_dead_writer_left_is_told_and_later_removed(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    untold.perturb(PLAN, "people", people(0, 5), out=place)
    left = "people/0-0123456789abcdef.parquet"
    assert Bucket(place).create(left, b"a second draw")
    with pytest.raises(StoreError, match=r"0123456789abcdef\.parquet"):
        untold.perturb(PLAN, "people", people(5, 9), out=place)
    monkeypatch.setattr("untold.store.bucket_writer.LONG", -60.0)
    assert untold.perturb(PLAN, "people", people(5, 9), out=place).reports == 4
    assert Bucket(place).read(left) is None


def test_a_bucket_of_collectors_takes_no_tables(place: str, tmp_path: Path, ledger_of: LedgerOf) -> None:
    with over(place, ledger_of(tmp_path)) as collector:
        send(collector, range(5))
        collector.flush().result(30)
    with pytest.raises(StoreError, match="belongs to collectors over a database"):
        untold.perturb(PLAN, "people", people(5, 9), out=place)


def test_a_panel_in_a_bucket_is_drawn_once_for_all_machines(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attributes = {"age": {"kind": "ordinal", "low": 0, "high": 124}}
    declared = {
        "name": "panel",
        "user_key": "uid",
        "epsilon": 1.0,
        "lifetime": 9.0,
        "panel": {"epochs": 2, "report": 1},
    }
    plan = untold.Plan.from_dict({**declared, "services": {"people": {"attributes": attributes}}})
    first = untold.perturb(plan, "people", people(0, 400).drop_columns(["income"]), out=place)
    monkeypatch.setenv(CACHE, str(tmp_path / "another machine"))
    second = untold.perturb(plan, "people", people(0, 400).drop_columns(["income"]), out=place, epoch=1)
    assert first.users + second.users == 400  # each in one epoch of two


def test_reports_of_clients_are_delivered_to_a_bucket(place: str) -> None:
    reports = untold.Client(PLAN, "u1").report("people", {"age": 3, "income": 4})
    assert untold.deliver(place, reports, PLAN).users == 1
    more = untold.Client(PLAN, "u2").report("people", {"age": 3, "income": 4})
    assert str(untold.deliver(place, more).segment).startswith(place)
