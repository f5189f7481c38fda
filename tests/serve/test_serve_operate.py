"""What is in a collector's log and nowhere else: said to analysts, kept from being counted twice, and made segments."""

from __future__ import annotations

import os
import pty
import pwd
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.collector import bodies
from benchmarks.collector.bodies import name
from benchmarks.collector.server import PLAN, Server

import untold
from helpers.inside import open_collector, send, stored
from untold import cli
from untold.commands.acting import check_owner
from untold.errors import AlreadyReported, StoreError, UntoldError
from untold.serve.address_file import told, whereabouts
from untold.serve.folder.log import Log
from untold.store import Folder
from untold.store.logs import HOME
from untold.store.waiting import waiting

COUNT = "SELECT COUNT(*) AS n FROM people"
TABLE = pa.table({"uid": [name(i) for i in range(5)], "age": [1] * 5, "income": [5] * 5})


def body(users: list[int], epoch: int = 0) -> bytes:
    return bodies.body(np.array(users), epoch)


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A folder whose collector died with seven acknowledged reports in its log, two of them of epoch 1."""
    path = tmp_path / "r"
    with open_collector(path) as collector:
        collector.open_epoch(1).result(30)
    log = Log(path / HOME / "log", 1, PLAN.id)
    log.append([body([0, 1, 2]), body([3, 4]), body([0, 1], 1)])
    log.release()
    return path


def test_what_waits_is_counted_by_service_and_epoch(crashed: Path) -> None:
    folder = Folder.open(crashed)
    assert waiting(crashed, folder.plan, folder.manifest) == {("people", 0): 5, ("people", 1): 2}
    log = next((crashed / HOME / "log").glob("*.log"))
    kept = log.read_bytes()
    assert cli.main(["serve", "flush", "--data", str(crashed)]) == 0
    log.write_bytes(kept)  # as if the collector had died between listing its segments and removing the log
    folder = Folder.open(crashed)
    assert waiting(crashed, folder.plan, folder.manifest) == {}


def test_a_table_is_not_added_beside_a_crashed_collectors_log(crashed: Path, tmp_path: Path) -> None:
    before = sorted(path.relative_to(crashed) for path in crashed.rglob("*"))
    with pytest.raises(StoreError, match=r"7 reports that a collector acknowledged.*Nothing was collected") as refused:
        untold.perturb(PLAN, "people", TABLE, out=crashed)
    assert sorted(path.relative_to(crashed) for path in crashed.rglob("*")) == before
    assert f"untold serve flush --data {crashed}" in refused.value.hint
    assert cli.main(["serve", "flush", "--data", str(crashed)]) == 0
    with pytest.raises(AlreadyReported):  # now it is known who has reported
        untold.perturb(PLAN, "people", TABLE, out=crashed)
    fresh = TABLE.set_column(0, "uid", pa.array([name(i) for i in range(10, 15)]))
    untold.perturb(PLAN, "people", fresh, out=crashed)
    assert sorted(stored(crashed)["uid"].to_pylist()) == sorted(map(name, [0, 1, 2, 3, 4, 0, 1, *range(10, 15)]))


def test_a_question_says_how_many_reports_wait(crashed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with untold.connect(crashed) as con, pytest.raises(StoreError, match="7 wait in its collector's log") as refused:
        con.sql(COUNT)
    assert f"untold serve flush --data {crashed}" in refused.value.hint
    with untold.connect(crashed, epochs=[1]) as con, pytest.raises(StoreError, match=r"of epochs 1 .* 2 wait"):
        con.sql(COUNT)
    assert cli.main(["query", str(crashed), COUNT]) == 2
    assert "7 wait in its collector's log" in capsys.readouterr().err
    assert cli.main(["serve", "flush", "--data", str(crashed)]) == 0
    assert "no report waits; 2 segments" in capsys.readouterr().out
    with untold.connect(crashed) as con:
        assert con.sql(COUNT).df()["n"].tolist() == [7.0]
    with untold.connect(crashed, epochs=[4]) as con, pytest.raises(StoreError, match="of epochs 4 in") as refused:
        con.sql(COUNT)
    assert "there are reports of epochs 0, 1" in refused.value.hint


def test_a_damaged_log_is_said_and_not_passed_over(crashed: Path) -> None:
    log = next((crashed / HOME / "log").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[100] ^= 1
    log.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged at byte"):
        untold.perturb(PLAN, "people", TABLE, out=crashed)


def test_a_user_who_may_not_see_the_log_is_told_so(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As anybody but the collector's user; root reads everything, so that the refusal is made here."""
    listdir = os.listdir

    def closed(path: str | Path = ".") -> list[str]:
        if Path(path) == crashed / HOME / "log":
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", closed)
    with (
        untold.connect(crashed, epochs=[1]) as con,
        pytest.raises(StoreError, match=r"another user may not see") as refused,
    ):
        con.sql(COUNT)
    assert "of epochs 1 in the segments" in str(refused.value)
    assert f"untold serve flush --data {crashed}" in refused.value.hint
    with pytest.raises(PermissionError):  # who would add reports must know
        untold.perturb(PLAN, "people", TABLE, out=crashed)


def test_a_listing_that_removals_ran_through_is_no_missing_log(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = crashed / HOME / "log"
    (there,) = os.listdir(logs)
    listdir, listings = os.listdir, [["000000000005.log", "000000000007.log"]]

    def raced(path: str | Path = ".") -> list[str]:
        return listings.pop() if Path(path) == logs and listings else listdir(path)

    monkeypatch.setattr(os, "listdir", raced)
    folder = Folder.open(crashed)
    assert waiting(crashed, folder.plan, folder.manifest).total() == 7
    assert not listings
    (logs / "000000000009.log").write_bytes((logs / there).read_bytes())  # a log that is missing stays missing
    with pytest.raises(StoreError, match=r"000000000002\.log is missing"):
        waiting(crashed, folder.plan, folder.manifest)


def test_a_running_collector_is_found_by_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Server(tmp_path / "r", ("--segment-seconds", "3600"))
    data = ["--data", str(tmp_path / "r")]
    server.start()
    try:
        token = f"Bearer {server.tokens.role('gateway')}"
        kind = "application/vnd.untold.reports"
        assert server.request("POST", "/reports", body([1, 2, 3]), Content_Type=kind, Authorization=token)[0] == 200
        with untold.connect(tmp_path / "r") as con, pytest.raises(StoreError, match="3 wait in its collector's log"):
            con.sql(COUNT)
        assert whereabouts(tmp_path / "r" / HOME) == f"http://127.0.0.1:{server.port}"
        assert cli.main(["serve", "epoch", "open", "1", *data]) == 0
        assert "open: 0, 1; closed: none" in capsys.readouterr().out
        assert server.operate("/flush") == {"segments": 1}  # the one that answered is the one that runs
        assert cli.main(["serve", "flush", *data]) == 0
        with untold.connect(tmp_path / "r") as con:
            assert con.sql(COUNT).df()["n"].tolist() == [3.0]
        assert cli.main(["serve", "epoch", "close", "0", *data, "--url", "http://127.0.0.1:9"]) == 2
        said = capsys.readouterr().err
        assert f"listens at http://127.0.0.1:{server.port}, and nobody answers at http://127.0.0.1:9" in said
        assert "leave --url out" in said
    finally:
        server.kill()
    assert (tmp_path / "r" / HOME / "address").exists()  # a dead collector's address stays ...
    assert whereabouts(tmp_path / "r" / HOME) is None  # ... and is not believed
    assert cli.main(["serve", "epoch", "close", "0", *data]) == 0
    assert "open: 1; closed: 0" in capsys.readouterr().out


def test_a_collector_that_cannot_be_reached_from_here_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_collector(tmp_path / "r") as collector, told(collector.storage.home, "http://127.0.0.1:9"):
        assert cli.main(["serve", "flush", "--data", str(tmp_path / "r")]) == 2
    assert "listens at http://127.0.0.1:9 and does not answer from here" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["epoch", "close", "0"], ["epoch", "open", "7"], ["flush"]])
def test_a_named_collector_that_is_away_is_not_replaced_by_the_folder(
    command: list[str], crashed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as a copy of the folder, and a network that is down: closing the copy's epoch would close nothing."""
    before = {path: path.read_bytes() for path in crashed.rglob("*") if path.is_file()}
    assert cli.main(["serve", *command, "--data", str(crashed), "--url", "http://127.0.0.1:9"]) == 2
    said = capsys.readouterr()
    assert (said.out, f"nobody answers at http://127.0.0.1:9. Nothing was done in {crashed}" in said.err) == ("", True)
    assert {path: path.read_bytes() for path in crashed.rglob("*") if path.is_file()} == before
    assert cli.main(["serve", *command, "--data", str(crashed)]) == 0  # as it says, without --url
    assert {path: path.read_bytes() for path in crashed.rglob("*") if path.is_file()} != before


WRITING = [
    ["tokens", "add", "ada"],
    ["tokens", "revoke", "analyst"],
    ["epoch", "open", "7"],
    ["flush"],
    ["PLAN", "--port", "-1"],
]


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_only_the_collectors_own_user_writes_beside_it(
    command: list[str], crashed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root could, and would leave files that the collector's user can neither read nor replace."""
    owner = (crashed / HOME).stat().st_uid
    before = {path: path.read_bytes() for path in crashed.rglob("*") if path.is_file()}
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: owner + 1)
        plan = str(crashed / "plan.json")
        assert cli.main(["serve", *(plan if word == "PLAN" else word for word in command), "--data", str(crashed)]) == 2
        said = capsys.readouterr().err
        assert cli.main(["serve", "token", "gateway", "--data", str(crashed)]) == 0  # reading harms nobody
        assert cli.main(["serve", "tokens", "list", "--data", str(crashed)]) == 0
    name = pwd.getpwuid(owner).pw_name
    assert f"{crashed / HOME} belongs to user {name}" in said
    assert f"sudo -u {name} untold serve" in said
    assert {path: path.read_bytes() for path in crashed.rglob("*") if path.is_file()} == before


def test_a_user_without_a_name_is_told_by_number(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    owner = (crashed / HOME).stat().st_uid
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(UntoldError, match=rf"sudo -u '#{owner}' untold"):
        check_owner(crashed)


def test_an_address_holds_as_long_as_the_collector_runs(tmp_path: Path) -> None:
    assert whereabouts(tmp_path) is None
    with told(tmp_path, "http://127.0.0.1:1"):
        assert whereabouts(tmp_path) == "http://127.0.0.1:1"
    assert not (tmp_path / "address").exists()


def test_a_person_at_a_terminal_is_told_what_to_do_next(tmp_path: Path) -> None:
    server = Server(tmp_path / "r")
    command = [sys.executable, "-m", "untold.cli", "serve", str(server.plan_file), "--data", str(tmp_path / "r")]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command, "--port", str(server.port)], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    try:
        said, end = "", time.monotonic() + 60
        while "Ctrl-C" not in said and time.monotonic() < end:
            if select.select([ours], [], [], 1)[0]:
                said += os.read(ours, 4096).decode()
    finally:
        process.terminate()
        code = process.wait(60)
        os.close(ours)
    url = f"http://127.0.0.1:{server.port}"
    assert f"into {tmp_path / 'r'} at {url}" in said
    assert f"{url}/ with the token that `untold serve token analyst --data {tmp_path / 'r'}` prints" in said
    assert "stop       Ctrl-C" in said
    assert code == 0
    quiet = Server(tmp_path / "q")  # whose output is no terminal: one JSON object a line, and nothing else
    quiet.start()
    quiet.stop()
    assert all(line.startswith("{") for line in quiet.said().splitlines())


def test_the_fixture_has_what_a_collector_would_have_left(tmp_path: Path) -> None:
    """The same log, written by a collector that is killed."""
    server = Server(tmp_path / "r", ("--segment-seconds", "3600"))
    server.start()
    try:
        token = f"Bearer {server.tokens.role('gateway')}"
        kind = "application/vnd.untold.reports"
        server.request("POST", "/reports", body([0, 1, 2]), Content_Type=kind, Authorization=token)
    finally:
        server.kill()
    folder = Folder.open(tmp_path / "r")
    assert waiting(folder.path, folder.plan, folder.manifest) == {("people", 0): 3}
    with pytest.raises(StoreError, match="3 reports that a collector acknowledged"):
        untold.perturb(PLAN, "people", TABLE, out=tmp_path / "r")
    with open_collector(tmp_path / "r") as collector:
        assert send(collector, [0, 1, 2]).repeated == 3
