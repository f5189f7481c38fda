"""Buckets from strangers: what is in them is changed in ways that mean harm, sealed anew, and read through a local copy."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.attack.folders import made, spoil
from benchmarks.collector.buckets import Buckets
from untold.ask.connection import connect
from untold.errors import UntoldError
from untold.serve.reports.jobs import Away
from untold.store.bucket import Bucket
from untold.store.mirror import CACHE


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Returns how often an error was not one of ours, and how often something outside the local copy was touched."""
    rng, server = random.Random(seed), Buckets()
    os.environ.update(server.environment)
    os.environ[CACHE] = str(scratch / "cache")
    good, precious = made(scratch / "good"), scratch / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    found = {"rounds": 0, "refused": 0, "raw errors": 0, "outside touched": 0}
    try:
        for number in range(rounds):
            place = f"{server.make(f'bucket-{number}')}/shop"
            bad = scratch / "bad"
            shutil.copytree(good, bad)
            spoil(bad, rng)
            put(bad, Bucket(place))
            tried(lambda place=place: ask(place), number, seed, found)  # type: ignore[misc]
            there = sorted(each.name for each in scratch.iterdir())
            unchanged = os.listdir(precious) == ["file"] and (precious / "file").read_text() == "mine"
            found["outside touched"] += not unchanged or there != ["bad", "cache", "good", "precious"]
            shutil.rmtree(bad)
            shutil.rmtree(scratch / "cache")
    finally:
        server.stop()
    return found


def put(folder: Path, bucket: Bucket) -> None:
    """All files of a folder as objects; a link or a folder in the place of a file is an object that is not there."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            bucket.create(file.relative_to(folder).as_posix(), file.read_bytes())


def ask(place: str) -> None:
    """Twice: the second time over the local copy of the first."""
    for _ in range(2):
        with connect(place, summaries=False) as con:
            con.sql("SELECT COUNT(*) AS n FROM people WHERE age > 5").fetchall()


def tried(work: Callable[[], None], number: int, seed: int, found: dict[str, int]) -> None:
    """Count what comes of it."""
    try:
        work()
    except (UntoldError, Away):
        found["refused"] += 1
    except Exception as error:  # what somebody would see as a traceback
        found["raw errors"] += 1
        print(f"round {number} (seed {seed}): {type(error).__name__}: {str(error)[:200]}", flush=True)
    found["rounds"] += 1
