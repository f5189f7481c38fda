"""Processes that start in a moment, for benchmarks that kill hundreds: a nursery has imported everything, and forks.

What it forks is a process like any other, which shares nothing with the nursery but its code, and is killed like any other.
`python -m benchmarks.collector.warm` reads a line of JSON for each child and answers with its number.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]


class Child:
    """One child, with the methods of `subprocess.Popen` that servers use. The nursery's system reaps it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """None while it lives."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def send_signal(self, number: int) -> None:
        """As it says."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)

    def wait(self, patience: float = 60.0) -> int:
        """Until it has ended."""
        deadline = time.perf_counter() + patience
        while self.poll() is None:
            if time.perf_counter() > deadline:
                raise subprocess.TimeoutExpired("a child", patience)
            time.sleep(0.005)
        return 0


class Nursery:
    """Starts collectors; `stop` it when the last one has ended."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "benchmarks.collector.warm"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self._lock = threading.Lock()

    def start(self, words: list[str], errors: Path, environment: dict[str, str]) -> Child:
        """A process that runs `untold` with these words, can be killed at a named step, and writes to a file what it says."""
        with self._lock:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            json.dump([words, str(errors), environment], self._process.stdin)
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            return Child(int(self._process.stdout.readline()))

    def stop(self) -> None:
        """No more."""
        self._process.communicate()


def run(lines: TextIO, out: TextIO) -> None:
    """Fork for every line, until there are no more."""
    import psycopg  # noqa: F401

    import untold.serve.postgres.storage
    import untold.serve.server  # noqa: F401
    from benchmarks.collector import killing

    assert threading.active_count() == 1, "a process with threads is not forked"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in lines:
        words, errors, environment = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.close(0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
            os.environ.update(environment)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            code = 1
            try:
                code = killing.main(words)
            finally:
                os._exit(code)
        out.write(f"{pid}\n")
        out.flush()


if __name__ == "__main__":
    run(sys.stdin, sys.stdout)
