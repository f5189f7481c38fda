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


def test_the_demo_with_a_relay(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "untold.cli", "demo", "--mixed", "--users", str(DEVICES), "--out", "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=500)
    assert done.returncode == 0, done.stderr
    assert f"{DEVICES} sealed bundles" in done.stdout
    halves = [float(half.replace(",", "")) for half in re.findall(r"epsilon [41]  +\S+ ± (\S+)", done.stdout)]
    assert len(halves) == 6
    assert halves[3] > 4 * halves[2]  # of the first join: no relay against a relay
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
