"""An address is written to or refused before anything is drawn: it never becomes a folder called "s3:" on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import untold
from untold.cli import main
from untold.errors import StoreError
from untold.serve.collector import collector_over
from untold.store import Folder, FolderWriter
from untold.store.addresses import local_path
from untold.store.epoch_dates import date_epoch

PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {"votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}}}},
    }
)
VOTES = pa.table({"uid": range(20), "choice": ["yes", "no"] * 10})
ADDRESSES = ("s3://bucket/r", "gs://bucket/r", "s3a://bucket/r", "hdfs://name:8020/r", "abfss://c@a/r", "S3://bucket/r")

Use = Callable[[Any], Any]
USES: dict[str, Use] = {
    "perturb": lambda place: untold.perturb(PLAN, "votes", VOTES, out=place),
    "perturb with a Path": lambda place: untold.perturb(PLAN, "votes", VOTES, out=Path(place)),
    "table": lambda place: untold.perturb(PLAN, "votes", f"{place}/x.parquet", out="here"),
    "ledger": lambda place: untold.perturb(PLAN, "votes", VOTES, ledger=f"{place}/spent"),
    "client": lambda place: untold.Client(PLAN, user="u", memory=f"{place}/spent"),
    "writer": lambda place: FolderWriter(place, PLAN),
    "reader": Folder.open,
    "dates": lambda place: date_epoch(place, 1, "2026-11-01"),
    "collector": lambda place: collector_over(PLAN, place, None),
}


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("use", USES)
def test_no_address_becomes_a_folder_of_this_machine(
    use: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(untold.UntoldError, match=r"address|bucket"):
        USES[use](address)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["hdfs://name/r", "s3a://bucket/r", "https://host/r"])
def test_what_cannot_be_asked_is_refused_in_words(address: str) -> None:
    with pytest.raises(
        StoreError, match=r"is an address .*\nHint: untold.connect\(...\) and `untold query` read s3://"
    ):
        untold.connect(address)


@pytest.mark.parametrize(
    "command",
    [
        ["verify", "hdfs://h/r"],
        ["sql-server", "hdfs://h/r"],
        ["epoch", "s3://b/r", "1", "--from", "2026-11-01"],
        ["serve", "mixkey", "--data", "s3://b/r"],
        ["serve", "flush", "--data", "gs://b/r"],
        ["demo", "--out", "s3://b/r"],
    ],
)
def test_commands_refuse_what_they_cannot_reach(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    assert "is an address" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_files_of_this_machine_may_be_named_by_address(tmp_path: Path) -> None:
    made = untold.perturb(PLAN, "votes", VOTES, out=f"file://{tmp_path}/my%20reports")
    assert made.segment is not None
    assert made.segment.is_relative_to(tmp_path / "my reports")
    with untold.connect(f"file://{tmp_path}/my%20reports") as con:
        assert con.sql("SELECT COUNT(*) AS n FROM votes").df()["n"].tolist() == [20.0]
    with pytest.raises(StoreError, match="is an address"):
        local_path("file://another-machine/r", "...")
