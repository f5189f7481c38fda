"""`untold demo --mixed`: devices, relay and collector as processes of their own, and a join beside today's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

import untold
from untold.store import Folder

DEVICES = 300


def half_of(answer: str) -> float:
    """Half of an interval, as it is printed: 1,160 ± 450 or 900 (0 to 2,000)."""
    numbers = [float(each.replace(",", "")) for each in re.findall(r"-?[\d,.]+", answer)]
    return numbers[1] if "±" in answer else (numbers[2] - numbers[1]) / 2


def test_the_demo_with_a_relay(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "untold.cli", "demo", "--mixed", "--users", str(DEVICES), "--out", "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=500)
    assert done.returncode == 0, done.stderr
    assert f"{DEVICES} sealed bundles" in done.stdout
    halves = [half_of(line) for line in re.findall(r"local epsilon [41]  +(.+)", done.stdout)]
    assert len(halves) == 6
    assert (
        halves[3] + halves[5] > halves[2] + halves[4]
    )  # of the joins: no relay, cut to what is possible, against a relay
    folder = Folder.open(tmp_path / "demo" / "reports")
    names = {
        service: {uid for path in folder.paths(service) for uid in pq.read_table(path)["uid"].to_pylist()}
        for service in ("users", "transactions")
    }
    assert names["users"] == names["transactions"]
    assert len(names["users"]) == DEVICES
    assert not any(name.startswith("u-") for name in names["users"])  # the keys of people stay at the relay
    with untold.connect(tmp_path / "demo" / "reports") as con:
        assert con.sql("SELECT COUNT(*) AS n FROM users").scalar().value == DEVICES
        assert not con.folder.insecure
