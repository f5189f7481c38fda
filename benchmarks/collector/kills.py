"""kill -9, at named steps and at random times, under load."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.collector.crowd import Crowd
from benchmarks.collector.server import Server
from benchmarks.collector.warm import Nursery
from untold.store import Folder

PROGRAM = ("-m", "benchmarks.collector.killing")
OPTIONS = ("--segment-seconds", "0.3", "--query-processes", "1")  # nobody asks
COLD = 10


@dataclass
class Toll:
    """How it ended."""

    kills: int = 0
    restarts: list[float] = field(default_factory=list)  # seconds until it answered again, from nothing
    effort: list[float] = field(default_factory=list)  # seconds of processor time that this took
    found: dict[str, int] = field(default_factory=dict)


def kill_at(step: str, folder: Path, after: int = 1, users: int = 2_000_000, patience: float = 600.0) -> Toll:
    """Let it die at a named step, start it again, end it well."""
    server = Server(folder, OPTIONS, PROGRAM)
    toll = Toll()
    merging = step.startswith("merge")  # happens once, when an epoch closes
    server.start(environment={"KILL_AT": step, "KILL_AFTER": str(0 if merging else after)})
    crowd = Crowd(server, users)
    crowd.pause = 0.005  # load enough: the step is named
    try:
        crowd.start()
        assert server.process is not None
        if step == "epoch changed":
            time.sleep(0.5)
            for _ in range(after + 1):
                try:
                    server.operate(f"/epochs/{_ + 1}/open")
                except (OSError, ConnectionError):
                    break
        if merging:
            wait_for_segments(folder, 3, patience)
            crowd.stop()
            with suppress(OSError, ConnectionError):
                server.operate("/epochs/0/close")
        code = server.process.wait(patience)
        assert code == -9, f"it ended with {code} instead of dying at '{step}'"
        toll.kills = 1
        toll.restarts.append(server.start())
        toll.effort.append(server.cpu())
        time.sleep(0.5)
        crowd.stop()
        assert server.stop() == 0
    finally:
        crowd.stop()
        server.kill()
    toll.found = crowd.check(folder)
    return toll


def wait_for_segments(folder: Path, several: int, patience: float) -> None:
    """Until so many are listed, that is, until there is something to merge."""
    end = time.monotonic() + patience
    while len(Folder.open(folder).segments("people")) < several:
        assert time.monotonic() < end, "no segments are made"
        time.sleep(0.05)


def kill_at_random(folder: Path, kills: int, users: int, seed: int, longest: float = 1.0) -> Toll:
    """Kill it again and again, `longest` seconds at most after it began to answer. Most starts come from a nursery, which
    has imported everything; every `COLD`-th start is one from nothing, and these alone are timed."""
    rng = np.random.default_rng(seed)
    server = Server(folder, OPTIONS)
    toll, nursery = Toll(), Nursery()
    server.start()
    crowd = Crowd(server, users, seed=seed)
    try:
        crowd.start()
        for number in range(kills):
            time.sleep(float(rng.uniform(0, longest)))
            server.kill()
            toll.kills += 1
            cold = number % COLD == 0 or number == kills - 1
            server.nursery = None if cold else nursery
            seconds = server.start()
            if cold:
                toll.restarts.append(seconds)
                toll.effort.append(server.cpu())
        crowd.stop()
        assert server.stop() == 0
    finally:
        crowd.stop()
        server.kill()
        nursery.stop()
    toll.found = crowd.check(folder)
    return toll
