"""A collector in a process of its own."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from untold.plan import Plan

PATIENCE = 180  # seconds; only to see that it hangs


@contextmanager
def running_collector(plan: Plan, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Its address, and its folder; at the end it is stopped, and everything is in segments."""
    (scratch / "plan.json").write_text(plan.to_json())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder, url, log = scratch / "reports", f"http://127.0.0.1:{port}", scratch / "log"
    command = [
        sys.executable,
        "-m",
        "untold.cli",
        "serve",
        str(scratch / "plan.json"),
        "--data",
        str(folder),
        "--enrol",
    ]
    with log.open("w") as written:
        collector = subprocess.Popen([*command, "--port", str(port)], stdout=written, stderr=written)
    try:
        wait_for(f"{url}/health", collector)
        yield url, folder
        collector.send_signal(signal.SIGTERM)
        assert collector.wait(timeout=PATIENCE) == 0, log.read_text()
    finally:
        collector.kill()
        collector.wait()


def wait_for(url: str, collector: subprocess.Popen[bytes]) -> None:
    """Until it answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and collector.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the collector did not start")
