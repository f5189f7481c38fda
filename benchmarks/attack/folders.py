"""Folders from strangers: every file of a folder of reports is changed in ways that mean harm, sealed anew, and opened."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.collector.bodies import body
from benchmarks.collector.server import PLAN
from untold.ask.connection import connect
from untold.errors import UntoldError
from untold.serve.collector import collector_over
from untold.serve.reports.jobs import Job, LogLimits
from untold.store import Folder

NASTY: tuple[Any, ...] = (
    "../../precious/file", "/etc/passwd", "people/../../precious/file", "", "x" * 5000, "\0", "people", -1, 2**63, 2**64, 1e400,
    True, None, [], {}, [[]] * 50, {"a": {"b": []}}, "people/0-0000000000000000.parquet", "0x10", "1" * 400, "\ud800",
)  # fmt: skip

FILES = (
    "manifest.json",
    "plan.json",
    "epochs.json",
    ".staged-manifest.json",
    ".ledger",
    ".collector/settings.json",
    ".collector/secrets.json",
    ".collector/analysts.json",
)


def sealed(value: Any) -> bytes:
    """As the folder's own files carry their checksum, written without its code."""
    text = json.dumps({k: v for k, v in value.items() if k != "sha256"})
    digest = sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f'{text[:-1]}, "sha256": "{digest}"}}\n'.encode(errors="replace")


def mutate(value: Any, rng: random.Random) -> Any:
    """The same with one place changed."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        return {**value, key: mutate(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return [*value[:place], mutate(value[place], rng), *value[place + 1 :]]
    return rng.choice(NASTY)


def made(good: Path) -> Path:
    """A folder of reports, nothing wrong with it."""
    import numpy as np

    with collector_over(PLAN, good, limits=LogLimits(log_seconds=1e9)) as collector:
        for part in range(3):
            job = Job(collector.reader.read_binary(body(np.arange(50 * part, 50 * part + 50))).blocks)
            collector.committer.submit(job)
            job.done.result(60)
            collector.flush().result(60)
    return good


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Returns how often an error was not one of ours, and how often something outside was touched."""
    rng = random.Random(seed)
    good = made(scratch / "good")
    precious = scratch / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    ways: tuple[Callable[[Path], object], ...] = (read, write)
    found = {"rounds": 0, "refused": 0, "raw errors": 0, "outside touched": 0}
    for number in range(rounds):
        bad = scratch / "bad"
        shutil.copytree(good, bad)
        spoil(bad, rng)
        try:
            ways[number % 2](bad)
        except UntoldError:
            found["refused"] += 1
        except Exception as error:  # what an analyst would see as a traceback
            found["raw errors"] += 1
            print(f"folders, round {number} (seed {seed}): {type(error).__name__}: {str(error)[:200]}", flush=True)
        found["rounds"] += 1
        found["outside touched"] += os.listdir(precious) != ["file"] or (precious / "file").read_text() != "mine"
        shutil.rmtree(bad)
    return found


def spoil(bad: Path, rng: random.Random) -> None:
    """One file of the folder becomes another one, or a link, or a folder, or noise."""
    file = bad / rng.choice(FILES)
    kind = rng.choice(["field", "field", "field", "noise", "deep", "folder", "link", "segment"])
    source = file if file.exists() else bad / "manifest.json"
    if kind == "field":
        value = json.loads(source.read_text())
        for _ in range(rng.randint(1, 2)):
            value = mutate(value, rng)
        data = sealed(value) if isinstance(value, dict) else json.dumps(value).encode(errors="replace")
        file.write_bytes(data)
    elif kind == "noise":
        noisy = bytearray(source.read_bytes())
        for _ in range(rng.randint(1, 30)):
            noisy[rng.randrange(len(noisy))] = rng.randrange(256)
        file.write_bytes(noisy)
    elif kind == "deep":
        file.write_text("[" * 100_000 if rng.random() < 0.5 else '{"a":' * 100_000)
    elif kind == "folder":
        file.unlink(missing_ok=True)
        file.mkdir()
    elif kind == "link":
        file.unlink(missing_ok=True)
        file.symlink_to(bad.parent / "precious" / "file")
    else:
        segment = rng.choice(sorted(bad.glob("people/*.parquet")))
        flipped = bytearray(segment.read_bytes())
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        segment.write_bytes(flipped[: rng.randrange(len(flipped))] if rng.random() < 0.3 else flipped)


def read(bad: Path) -> None:
    """As an analyst does. A changed bit in a segment is for `verify` to find, so that comes first."""
    Folder.open(bad).verify()
    with connect(bad, summaries=False) as con:
        con.sql("SELECT COUNT(*) AS n FROM people WHERE age > 5").fetchall()


def write(bad: Path) -> None:
    """As an operator does who was handed the folder."""
    with collector_over(PLAN, bad, limits=LogLimits(log_seconds=1e9)) as collector:
        collector.close_epoch(0).result(60)
        collector.flush().result(60)
