"""JavaScript devices, a real collector, an analyst: over HTTP, into segments, out of a query."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from vectors_plans import plan_of

import tacit

ROOT = Path(__file__).parents[2]
PEOPLE = 40
PATIENCE = 60  # seconds

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@pytest.fixture(params=["auto", "olh"])
def collected(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[dict[str, int], Path]:
    """What became of the reports, and the folder that they are in, after the collector was stopped."""
    (tmp_path / "plan.json").write_text(plan_of("hio", request.param, 2.0, slots=2).to_json())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder, url = tmp_path / "reports", f"http://127.0.0.1:{port}"
    command = [
        sys.executable,
        "-m",
        "tacit.cli",
        "serve",
        str(tmp_path / "plan.json"),
        "--data",
        str(folder),
        "--enrol",
    ]
    with (tmp_path / "log").open("w") as log:
        collector = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log)
    try:
        wait_for(f"{url}/health", collector)
        crowd = subprocess.run(
            ["node", "test/crowd.js", url, str(PEOPLE)],
            cwd=ROOT / "clients" / "js",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=os.environ,
        )
        assert crowd.returncode == 0, crowd.stderr + (tmp_path / "log").read_text()
        collector.send_signal(signal.SIGTERM)
        assert collector.wait(timeout=PATIENCE) == 0, (tmp_path / "log").read_text()
    finally:
        collector.kill()
        collector.wait()
    return json.loads(crowd.stdout), folder


def wait_for(url: str, collector: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and collector.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the collector did not start")


def test_every_report_is_counted_once_and_answers(collected: tuple[dict[str, int], Path]) -> None:
    became, folder = collected
    assert became == {"counted": 2 * PEOPLE, "repeated": 0, "refused": 0, "waiting": 0, "again": PEOPLE}
    with tacit.connect(folder) as con:
        answer = con.sql("SELECT COUNT(*) AS n FROM users").df()
        assert float(answer["n"].iloc[0]) == PEOPLE  # everybody has exactly one row: nothing to estimate
        states = con.sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state").df()
        assert float(states["n_se"].min()) > 0  # the rest is an estimate
        apple = con.sql("SELECT COUNT(*) AS n FROM users WHERE os = 'ios'").df()
        assert float(apple["n"].iloc[0]) == PEOPLE / 2  # a public column, as it was sent
