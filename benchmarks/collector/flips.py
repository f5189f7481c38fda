"""One bit of one stored file is changed; is it noticed? Over folders that ended well, and over one that was cut short."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from benchmarks.collector.bodies import body
from benchmarks.collector.server import PLAN
from untold.errors import StoreError
from untold.serve.collector import collector_over
from untold.serve.reports.jobs import Job, LogLimits
from untold.serve.verify import faults
from untold.store import Folder


def make_folder(path: Path) -> Path:
    """Segments, runs, settings, secrets, and logs that are no segments yet: a copy of a folder that is in use."""
    live = path.with_name(path.name + ".live")
    with collector_over(PLAN, live, limits=LogLimits(log_seconds=1e9)) as collector:
        for first in range(0, 600, 100):
            job = Job(collector.reader.read_binary(body(np.arange(first, first + 100))).blocks)
            collector.committer.submit(job)
            job.done.result(30)
            if first in (100, 300):
                collector.flush().result(30)
        shutil.copytree(live, path)
    return path


def noticed(path: Path) -> bool:
    """Whether `untold verify` finds anything wrong."""
    try:
        folder = Folder.open(path)
        folder.verify()
    except StoreError:
        return True
    return bool(faults(path, folder.plan))


def flip(path: Path, count: int, seed: int) -> tuple[int, dict[str, int]]:
    """Change one bit `count` times, each time of a file as it was; returns how many went unnoticed, and flips by kind of file."""
    rng = np.random.default_rng(seed)
    every = sorted(each for each in path.rglob("*") if each.is_file())
    missed = 0
    kinds: dict[str, int] = {}
    for number in range(count):
        file = every[number % len(every)]
        good = file.read_bytes()
        changed = bytearray(good)
        changed[rng.integers(len(good))] ^= 1 << int(rng.integers(8))
        file.write_bytes(changed)
        if not noticed(path):
            missed += 1
            print(f"unnoticed: {file.relative_to(path)}")
        file.write_bytes(good)
        kinds[file.suffix] = kinds.get(file.suffix, 0) + 1
    assert not noticed(path)
    return missed, kinds
