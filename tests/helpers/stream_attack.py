"""The attack on a stream that is stopped and started: is any noise released twice?

All values are 0 and a block is one value, so what is released *is* the noise (and for `topl`, a report that the noise
decides). Neighbours that come twice, in whatever run and at whatever position, come from the same key at the same
place: by chance that happens once in 10^6 runs of this attack.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from multiprocessing.reduction import DupFd
from pathlib import Path

OPTIONS = ["--epsilon", "0.01", "--upper", "200", "--threshold", "100"]
FED = 400  # values of a run
WINDOW = {"tops": 2, "topl": 64}  # topl releases few different numbers at this epsilon: longer stretches tell
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["helpers.stream_warm"])


class Attack:
    """One state file, and everything that was ever released from it."""

    def __init__(self, state: Path, method: str) -> None:
        self.state, self.method = state, method
        self.runs: list[list[float]] = []
        self.logs: list[str] = []

    @property
    def released(self) -> list[float]:
        return [x for run in self.runs for x in run]

    def run(self, end: str) -> int | None:
        """Live input of zeros; ended outright, by Ctrl-C, or by closing the input, while output is still coming."""
        options = [*OPTIONS, "--method", self.method, "--state", str(self.state)]
        options += ["--block", "1"] if self.method == "tops" else []
        (source, feed), (out, sink), (errors, log) = os.pipe(), os.pipe(), os.pipe()
        process = FORKS.Process(target=_command, args=(options, [DupFd(fd) for fd in (source, sink, log)]))
        process.start()
        for fd in (source, sink, log):
            os.close(fd)
        for _ in range(FED // 100):
            os.write(feed, b"0\n" * 100)
        with open(out, "rb") as released, open(errors, "rb") as said:
            seen = b""
            if end != "close":
                while seen.count(b"\n") < FED // 2:
                    seen += os.read(out, 100)
                assert process.pid is not None
                os.kill(process.pid, signal.SIGKILL if end == "kill" else signal.SIGINT)
            os.close(feed)
            seen += released.read()
            self.logs.append(said.read().decode())
        process.join(60)
        self.runs.append([float(line) for line in seen.split(b"\n")[:-1]])
        return process.exitcode

    def repeated(self) -> int:
        """Stretches of noise that were released more than once."""
        width = WINDOW[self.method]
        stretches = [tuple(run[i : i + width]) for run in self.runs for i in range(len(run) - width + 1)]
        return len(stretches) - len(set(stretches))


def _command(options: list[str], pipes: list[DupFd]) -> None:
    """`untold stream` with these pipes as its standard streams."""
    from untold.commands.stream import stream_command

    for number, pipe in enumerate(pipes):
        os.dup2(pipe.detach(), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w")  # noqa: SIM115 - they are the process's own
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(stream_command(options))
