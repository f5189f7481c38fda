"""A run with a name can be started again: once it has counted, nobody is drawn a second time, and it succeeds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import untold
from untold.cli import main
from untold.errors import AlreadyReported, BadRecord, StoreError
from untold.store import Folder, FolderWriter, files
from untold.store.manifest import Manifest

PLAN = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 4.0,
    "services": {
        "votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}}},
        "visits": {
            "rows_per_user": {"max": 3},
            "attributes": {"minutes": {"kind": "ordinal", "low": 0, "high": 9}},
        },
    },
}


@pytest.fixture
def plan() -> untold.Plan:
    return untold.Plan.from_dict(PLAN)


def votes(people: int = 100, first: int = 0) -> pa.Table:
    return pa.table({"uid": range(first, first + people), "choice": ["yes", "no"] * (people // 2)})


def test_a_retry_of_a_run_that_has_counted_draws_nobody(plan: untold.Plan, tmp_path: Path) -> None:
    out = tmp_path / "r"
    first = untold.perturb(plan, "votes", votes(), out=out, run_id="2026-11-18")
    stored = [file.read_bytes() for file in Folder.open(out).paths("votes")]
    second = untold.perturb(plan, "votes", votes(), out=out, run_id="2026-11-18")
    assert [file.read_bytes() for file in Folder.open(out).paths("votes")] == stored
    assert (second.users, second.reports, second.done_before) == (first.users, first.reports, True)
    assert not first.done_before
    assert "done before: nobody was drawn again" in str(second)


def test_without_the_name_or_with_another_one_people_are_refused_as_ever(plan: untold.Plan, tmp_path: Path) -> None:
    untold.perturb(plan, "votes", votes(), out=tmp_path / "r", run_id="monday")
    for run in (None, "tuesday"):
        with pytest.raises(AlreadyReported):
            untold.perturb(plan, "votes", votes(), out=tmp_path / "r", run_id=run)


def test_a_name_is_of_one_service_and_epoch(plan: untold.Plan, tmp_path: Path) -> None:
    rows = pa.table({"uid": [1, 1, 2], "minutes": [1, 2, 3]})
    for epoch in (0, 1):
        assert not untold.perturb(plan, "votes", votes(), out=tmp_path / "r", epoch=epoch, run_id="a").done_before
        again = {"out": tmp_path / "r", "epoch": epoch, "run_id": "a", "population": list(range(5))}
        assert not untold.perturb(plan, "visits", rows, **again).done_before
        assert untold.perturb(plan, "visits", rows, **again).done_before


def test_a_run_that_failed_before_it_counted_is_drawn(
    plan: untold.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "r"
    untold.perturb(plan, "votes", votes(2, first=1000), out=out)

    def full(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(files, "rename", full)
        with pytest.raises(OSError, match="disk is full"):
            untold.perturb(plan, "votes", votes(), out=out, run_id="a")
    assert not untold.perturb(plan, "votes", votes(), out=out, run_id="a").done_before
    assert sum(segment.users for segment in Folder.open(out).manifest.segments) == 102


def test_runs_stay_known_when_segments_are_replaced_or_withdrawn(plan: untold.Plan, tmp_path: Path) -> None:
    out = tmp_path / "r"
    untold.perturb(plan, "votes", votes(), out=out, run_id="a")
    with FolderWriter(out, plan) as writer:
        writer.withdraw([0])
    assert untold.perturb(plan, "votes", votes(), out=out, run_id="a").done_before
    assert Folder.open(out).manifest.segments == ()


def test_a_manifest_with_runs_is_read_back_and_a_damaged_one_is_refused(plan: untold.Plan, tmp_path: Path) -> None:
    untold.perturb(plan, "votes", votes(), out=tmp_path / "r", run_id="a")
    manifest = Folder.open(tmp_path / "r").manifest
    assert Manifest.from_json(manifest.to_json(), tmp_path) == manifest
    text = (tmp_path / "r" / "manifest.json").read_text()
    (tmp_path / "r" / "manifest.json").write_text(text.replace('"run": "a"', '"run": "b"'))
    with pytest.raises(StoreError):
        Folder.open(tmp_path / "r")


@pytest.mark.parametrize("run", ["", "x" * 201, "a\nb", 7])
def test_names_of_runs_are_short_texts(plan: untold.Plan, tmp_path: Path, run: object) -> None:
    with pytest.raises(BadRecord, match="run_id"):
        untold.perturb(plan, "votes", votes(), out=tmp_path / "r", run_id=run)  # type: ignore[arg-type]


def test_a_run_without_a_folder_is_refused(plan: untold.Plan) -> None:
    with pytest.raises(BadRecord, match="out="):
        untold.perturb(plan, "votes", votes(), run_id="a", seed=1)


def test_the_command_succeeds_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow.parquet as pq

    plan = untold.Plan.from_dict(PLAN)
    (tmp_path / "plan.json").write_text(plan.to_json())
    pq.write_table(votes(), tmp_path / "votes.parquet")
    command = ["perturb", str(tmp_path / "plan.json"), "votes", str(tmp_path / "votes.parquet")]
    command += ["--out", str(tmp_path / "r"), "--run-id", "2026-11-18"]
    assert [main(command), main(command)] == [0, 0]
    assert "nobody was drawn again" in capsys.readouterr().out.splitlines()[-1]
