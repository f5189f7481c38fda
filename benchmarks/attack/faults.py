"""Calls of the operating system that fail, do half of their work, or are the last ones: what was acknowledged stays."""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.collector.bodies import body, name
from benchmarks.collector.server import PLAN, ROOT, free_port
from untold.errors import UntoldError
from untold.serve.settings import Secrets
from untold.store import Folder

CALLS = {  # and how each may go wrong
    "fsync": ("5", "28", "dies"),
    "fdatasync": ("5", "28", "dies"),
    "write": ("5", "28", "short", "dies"),
    "rename": ("5", "28", "13", "dies"),
    "unlink": ("5", "13", "dies"),
}


def compiled(scratch: Path) -> Path:
    """The library that is loaded before the others."""
    library = scratch / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Rounds on one folder, each with another fault; returns what was found."""
    rng, library = random.Random(seed), compiled(scratch)
    plan = scratch / "plan.json"
    plan.write_text(PLAN.to_json())
    folder, acknowledged, found = scratch / "reports", set[int](), {"rounds": 0, "hit": 0, "no start": 0}
    for number in range(rounds):
        call = rng.choice(list(CALLS))
        fault = {
            "FAULT_CALL": call,
            "FAULT_HOW": rng.choice(CALLS[call]),
            "FAULT_AT": str(int(rng.expovariate(1 / 6))),
        }
        environment = {**os.environ, **fault, "LD_PRELOAD": str(library), "FAULT_BELOW": str(folder)}
        with Running(plan, folder, environment) as one:
            found["rounds"] += 1
            found["no start"] += not one.answers()
            fresh = range(1000 * number, 1000 * number + 400)
            for first in range(fresh[0], fresh[-1] + 1, 40):
                acknowledged |= one.send(range(first, first + 40))
            found["hit"] += one.process.poll() is not None
    with Running(plan, folder, dict(os.environ)) as last:
        assert last.answers(), "it does not start after all faults"
        again = last.send(sorted(acknowledged)[:4000])
        assert again <= acknowledged
    return {**found, **count(folder, acknowledged)}


def count(folder: Path, acknowledged: set[int]) -> dict[str, int]:
    """What is lost, doubled or unsound."""
    there = Folder.open(folder)
    there.verify()
    users = [uid for file in there.paths("people") for uid in pq.read_table(file)["uid"].to_pylist()]
    lost = {name(user) for user in acknowledged} - set(users)
    return {"acknowledged": len(acknowledged), "lost": len(lost), "doubled": len(users) - len(set(users))}


class Running:
    """A collector with a fault in it, until it ends or the block does."""

    def __init__(self, plan: Path, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.port = folder, free_port()
        words = ["serve", str(plan), "--data", str(folder), "--port", str(self.port), "--segment-seconds", "0.2"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "untold.cli", *words], env=environment, cwd=ROOT, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for staged in self.folder.glob(".staged-*-gone"):
            shutil.rmtree(staged, ignore_errors=True)

    def answers(self) -> bool:
        """Whether it takes requests before it ends."""
        deadline = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/health")
                return connection.getresponse().status in (200, 503)
            except OSError:
                time.sleep(0.05)
        return False

    def send(self, users: object) -> set[int]:
        """The users whose reports were acknowledged."""
        import numpy as np

        some = np.array(list(users), dtype=np.int64)  # type: ignore[call-overload]
        try:
            token = Secrets.load(self.folder / ".collector").tokens.role("gateway")
            head = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {token}"}
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            connection.request("POST", "/reports", body(some), head)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            if answer.status == 200 and not said["refused"]:
                return set(some.tolist())
        except (OSError, http.client.HTTPException, ValueError, UntoldError):
            pass
        return set()
