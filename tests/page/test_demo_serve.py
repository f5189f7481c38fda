"""`untold demo --serve`: devices report over HTTP, the pages can be asked, and it stops when told to."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest
from processes import parents
from site_under_test import SHOP

import untold

DEVICES = 600
PATIENCE = 120  # seconds; only to see that it hangs


@pytest.mark.parametrize("stopped_early", [False, True])
def test_the_demo_serves_and_stops(tmp_path: Path, stopped_early: bool) -> None:
    command = [
        sys.executable,
        "-u",
        "-m",
        "untold.cli",
        "demo",
        "--serve",
        "--users",
        str(DEVICES),
        "--out",
        str(tmp_path / "demo"),
    ]
    with subprocess.Popen([*command, "--port", "0", "--minutes", "30"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        ready = "devices have reported" if stopped_early else "Ctrl-C stops it"
        said = "".join(until(lines, ready))
        family = [pid for pid, parent in parents().items() if parent == process.pid]
        assert family
        if not stopped_early:
            assert f"{2 * DEVICES:,} reports of {DEVICES} devices" in said
            port = int(re.search(r"http://127\.0\.0\.1:(\d+)/survey", said)[1])  # type: ignore[index]
            for path in ("/", "/survey", "/static/client/index.js"):
                assert status(port, path) == 200
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == (130 if stopped_early else 0)
    assert not set(family) & set(parents())
    if not stopped_early:
        with untold.connect(tmp_path / "demo" / "reports") as con:
            assert con.sql("SELECT COUNT(*) AS n FROM users").scalar().value == DEVICES
            assert not con.folder.insecure


def until(lines: object, wanted: str) -> list[str]:
    """Lines up to one that holds this text."""
    seen: list[str] = []
    for line in lines:  # type: ignore[attr-defined]
        seen.append(line)
        if wanted in line:
            return seen
    raise AssertionError("".join(seen))


def status(port: int, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path)
    found = connection.getresponse().status
    connection.close()
    return found


@pytest.mark.parametrize("arguments", [["demo", "--serve"], ["serve", "SHOP", "--data", "d"]])
def test_missing_libraries_are_said(arguments: list[str], tmp_path: Path) -> None:
    program = "import sys; sys.modules['uvicorn'] = None; from untold.cli import main; sys.exit(main(sys.argv[1:]))"
    given = [str(SHOP) if word == "SHOP" else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-c", program, *given], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert 'pip install "untold[serve]"' in done.stderr
    assert list(tmp_path.iterdir()) == []
