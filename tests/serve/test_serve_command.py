"""`untold serve` as people run it: one process, signals, a full disk, epochs from the command line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.bodies import body, name
from benchmarks.collector.server import Server

from helpers.inside import open_collector, send, stored
from untold import cli
from untold.store.epoch_dates import read_dates
from untold.store.writer import LEDGER

BINARY = "application/vnd.untold.reports"


def post(server: Server, users: range) -> tuple[int, dict[str, object]]:
    token = f"Bearer {server.tokens.role('gateway')}"
    status, answer = server.request("POST", "/reports", body(np.array(users)), Content_Type=BINARY, Authorization=token)
    return status, json.loads(answer)


def events(server: Server) -> list[str]:
    return [json.loads(line)["event"] for line in server.said().splitlines()]


def test_a_full_disk_ends_the_collector_without_an_acknowledgement(tmp_path: Path) -> None:
    """The kernel itself refuses to let files grow: the next write is cut short, then fails."""
    server = Server(tmp_path / "r")
    server.start()
    try:
        assert post(server, range(100))[1]["counted"] == 100
        assert server.process is not None
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (2500, 2500))
        status, answer = post(server, range(100, 300))
        assert (status, answer["error"]) == (503, "stopping")
        assert server.process.wait(30) == 1
        assert "failed" in events(server)
        server.start()
        again = post(server, range(300))[1]
        assert (again["counted"], again["repeated"]) == (200, 100)
        assert server.stop() == 0
    finally:
        server.kill()
    assert sorted(stored(tmp_path / "r")["uid"].to_pylist()) == [name(user) for user in range(300)]


def test_a_second_instance_is_refused_in_words_and_a_stop_is_graceful(tmp_path: Path) -> None:
    server = Server(tmp_path / "r", ("--segment-seconds", "3600"))
    server.start()
    try:
        command = [
            sys.executable,
            "-m",
            "untold.cli",
            "serve",
            str(server.plan_file),
            "--data",
            str(tmp_path / "r"),
            "--port",
            "1",
        ]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert second.returncode == 2
        assert "busy: another process is writing reports into it" in second.stderr
        assert post(server, range(50))[1]["counted"] == 50
        url = f"http://127.0.0.1:{server.port}"
        dated = ["open", "1", "--from", "2026-11-01", "--data", str(tmp_path / "r"), "--url", url]
        assert cli.main(["serve", "epoch", *dated]) == 0
        assert read_dates(tmp_path / "r") == {1: date(2026, 11, 1)}
        assert json.loads(server.get("/epochs")[1]) == {
            "open": [0, 1],
            "closed": [],
            "start": {"1": "2026-11-01"},
        }
        assert post(server, range(50, 60))[1]["counted"] == 10
    finally:
        code = server.stop()
    assert code == 0
    assert stored(tmp_path / "r").num_rows == 60  # no log is left behind
    assert not list((tmp_path / "r" / ".collector" / "log").iterdir())
    assert events(server)[-2:] == ["segments", "stopped"]


def test_tokens_of_a_folder_that_a_database_writes_to_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / LEDGER).write_text("untold_1")
    assert cli.main(["serve", "token", "gateway", "--data", str(tmp_path)]) == 2
    assert "write --ledger postgresql://" in capsys.readouterr().err


def test_epochs_and_tokens_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "r")
    assert cli.main(["serve", "token", "gateway", "--data", folder]) == 2
    assert "start the collector once" in capsys.readouterr().err
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1])
    assert cli.main(["serve", "epoch", "open", "1", "--data", folder]) == 0
    assert "open: 0, 1; closed: none" in capsys.readouterr().out
    assert cli.main(["serve", "epoch", "close", "0", "--data", folder]) == 0
    assert "open: 1; closed: 0" in capsys.readouterr().out
    for epoch, day in (("2", "2026-11-01"), ("3", "2026-12-01")):
        assert cli.main(["serve", "epoch", "open", epoch, "--from", day, "--data", folder]) == 0
    assert cli.main(["serve", "epoch", "open", "4", "--from", "2026-11-15", "--data", folder]) == 2
    assert "epoch 4 must begin after epoch 3" in capsys.readouterr().err
    assert cli.main(["epoch", folder, "1", "--from", "2026-10-01"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "epoch 1 began on 2026-10-01"
    assert read_dates(tmp_path / "r") == {1: date(2026, 10, 1), 2: date(2026, 11, 1), 3: date(2026, 12, 1)}
    assert cli.main(["serve", "epoch", "open", "0", "--data", folder]) == 2
    assert "closed for good" in capsys.readouterr().err
    assert cli.main(["serve", "token", "device", "u-1", "--data", folder]) == 0
    assert capsys.readouterr().out.strip() == collector.tokens.device("text", "u-1")
    assert cli.main(["serve", "token", "operator", "--data", folder]) == 0
    assert capsys.readouterr().out.strip() == collector.tokens.role("operator")
    assert cli.main(["serve", "token", "device", "--data", folder]) == 2
    assert cli.main(["serve", "shop.toml", "--data", folder, "--public", "os"]) == 2
