"""Stored files know when they were changed; a torn end is cut off, damage stops the collector."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.bodies import body
from benchmarks.collector.flips import flip, make_folder, noticed
from benchmarks.collector.server import PLAN

from helpers.inside import open_collector, send, stored
from untold import cli
from untold.errors import StoreError
from untold.serve.folder.log import Log
from untold.store.logs import FRAME_SIZE, HEAD_SIZE, HOME, existing_logs, log_path, read_log


def test_every_changed_bit_is_noticed(tmp_path: Path) -> None:
    missed, kinds = flip(make_folder(tmp_path / "r"), 600, seed=4)
    assert missed == 0
    assert {".log", ".parquet", ".json", ".run"} <= set(kinds)


def test_the_check_can_miss(tmp_path: Path) -> None:
    """A file that nobody reads may change unnoticed: the check is not blind to that."""
    folder = make_folder(tmp_path / "r")
    (folder / HOME / "notes.txt").write_text("nobody reads this")
    assert flip(folder, 200, seed=1)[0] > 0


def test_verify_says_which_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "r")
    assert cli.main(["verify", str(folder)]) == 0
    log = next((folder / HOME / "log").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    assert cli.main(["verify", str(folder)]) == 2
    assert log.name in capsys.readouterr().err


def logged(path: Path, frames: int) -> Path:
    folder = path / "log"
    folder.mkdir(parents=True)
    log = Log(folder, 1, PLAN.id)
    for i in range(frames):
        log.append([body(np.arange(10 * i, 10 * i + 10))])
    log.close()
    return folder


def test_a_torn_end_is_left_out_wherever_it_is_torn(tmp_path: Path) -> None:
    folder = logged(tmp_path, 3)
    path = log_path(folder, 1)
    whole = path.read_bytes()
    sizes = read_log(folder, 1, PLAN.id, last=True)
    frame = (len(whole) - HEAD_SIZE) // 3
    assert (len(sizes.payloads), sizes.size) == (3, len(whole))
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        kept = max(0, (end - HEAD_SIZE) // frame)
        assert len(read_log(folder, 1, PLAN.id, last=True).payloads) == kept
        if end < HEAD_SIZE or (end - HEAD_SIZE) % frame:
            with pytest.raises(StoreError, match="is damaged at byte"):
                read_log(folder, 1, PLAN.id, last=False)
    for zeros in (1, FRAME_SIZE, 4096):  # a file that had grown before its bytes arrived
        path.write_bytes(whole + bytes(zeros))
        assert len(read_log(folder, 1, PLAN.id, last=True).payloads) == 3


def test_a_wrong_frame_is_damage_even_at_the_end(tmp_path: Path) -> None:
    """It was acknowledged: cutting it off would lose it without a word."""
    folder = logged(tmp_path, 3)
    path = log_path(folder, 1)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with pytest.raises(StoreError, match="Hint: restore the file"):
            read_log(folder, 1, PLAN.id, last=True)


def test_a_missing_log_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    for number in (4, 5, 7):
        log_path(folder, number).touch()
    with pytest.raises(StoreError, match=r"000000000006\.log is missing"):
        existing_logs(folder)


def test_a_damaged_log_stops_the_collector_and_changes_nothing(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "r")
    log = next((folder / HOME / "log").glob("*.log"))
    good = log.read_bytes()
    log.write_bytes(good[:100] + b"\xff" + good[101:])
    with pytest.raises(StoreError, match="is damaged at byte 52"), open_collector(folder):
        pass
    log.write_bytes(good)
    with open_collector(folder) as collector:
        assert send(collector, range(600)).repeated == 600
    assert stored(folder).num_rows == 600
    assert not noticed(folder)


@pytest.mark.parametrize("cut", [7, 400, -20, -60])
def test_a_torn_end_is_kept_aside_and_told(tmp_path: Path, cut: int, capfd: pytest.CaptureFixture[str]) -> None:
    """A crash leaves such an end, and nobody was told that it is stored. A disk that lost the rest leaves the same."""
    folder = make_folder(tmp_path / "r")
    log = next((folder / HOME / "log").glob("*.log"))
    left = log.read_bytes()[:-cut]
    log.write_bytes(left)
    capfd.readouterr()
    for _ in range(2):  # it stays until the operator has looked at it
        with open_collector(folder) as collector:
            text = collector.counts.text({"untold_log_torn": collector.storage.converter.torn})
        assert "untold_log_torn 1\n" in text
    (kept,) = (folder / HOME / "log").glob("*.torn")
    at = int(kept.stem.partition("-from-")[2])
    assert kept.read_bytes() == left[at:] != b""
    assert kept.stat().st_mode & 0o777 == 0o600
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    (torn,) = (each for each in events if each["event"] == "torn log")
    assert (torn["at"], torn["bytes"], torn["kept"]) == (at, len(left) - at, kept.name)
    assert [each["torn"] for each in events if each["event"] == "started"] == [1, 1]


def test_a_torn_log_starts_without_its_end(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "r")
    log = next((folder / HOME / "log").glob("*.log"))
    log.write_bytes(log.read_bytes()[:-7])
    with open_collector(folder) as collector:
        again = send(collector, range(600))
        assert (again.counted, again.repeated) == (100, 500)
    shutil.rmtree(folder / HOME / "index")
    with open_collector(folder) as collector:
        assert send(collector, range(600)).repeated == 600
    assert stored(folder).num_rows == 600
