"""Run the cells that are missing or out of date, one after the other or side by side, and store each as soon as it is done."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.evidence.exhibit import Cell, Exhibit, Numbers, Outcome
from benchmarks.evidence.fingerprint import fingerprint
from benchmarks.evidence.store import FOLDER, Stored, key, load, save

ROUNDING = 1e-9  # of a mean: runs that differ by less are the same
Asked = tuple[str, Cell, Outcome | None, int, float | None]  # the arguments of `further`


def run(
    exhibits: Sequence[Exhibit], runs: int | None, deadline: float | None, jobs: int, folder: Path = FOLDER
) -> Iterator[tuple[Exhibit, Outcome]]:
    """Yields each cell when it is stored. After the deadline (time.monotonic) no further run is begun."""
    for exhibit in exhibits:
        mark, stored, wanted = fingerprint(exhibit), load(exhibit, folder), runs or exhibit.runs
        asked: list[Asked] = []
        for cell in exhibit.cells():
            old = stored.get(key(cell))
            before = old.outcome if old is not None and old.fingerprint == mark else None
            if before is None or before.runs < wanted:
                asked.append((exhibit.id, cell, before, wanted, deadline))
        for outcome in side_by_side(asked, jobs) if jobs > 1 else (further(*each) for each in asked):
            if outcome.runs:
                stored[key(outcome.cell)] = Stored(outcome, mark)
                save(exhibit, stored, folder)
                yield exhibit, outcome


def side_by_side(asked: Sequence[Asked], jobs: int) -> Iterator[Outcome]:
    """In processes of their own, in the order in which they end."""
    with ProcessPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(further, *each) for each in asked]):
            yield done.result()


def further(name: str, cell: Cell, before: Outcome | None, wanted: int, deadline: float | None) -> Outcome:
    """The outcome of `wanted` runs: those that are stored, and the missing ones. In a process of its own, so by name."""
    from benchmarks.evidence.all import EXHIBITS

    exhibit = next(each for each in EXHIBITS if each.id == name)
    outcome = before or Outcome(cell, 0, {}, {}, 0.0)
    while outcome.runs < wanted and (deadline is None or time.monotonic() < deadline):
        start = time.process_time()
        numbers = exhibit.run(cell, outcome.runs)
        outcome = added(outcome, numbers, time.process_time() - start)
    return outcome


def added(outcome: Outcome, numbers: Numbers, seconds: float) -> Outcome:
    """One more run: means and their standard errors brought forward (Welford)."""
    n = outcome.runs + 1
    mean, error = {}, {}
    for name, x in numbers.items():
        old = outcome.mean.get(name, 0.0)
        squares = outcome.error.get(name, 0.0) ** 2 * (n - 1) * (n - 2)  # sum of squares around the mean so far
        mean[name] = old + (x - old) / n
        squares += (x - old) * (x - mean[name])
        own = math.sqrt(max(squares, 0.0) / n / (n - 1)) if n > 1 else 0.0
        error[name] = 0.0 if own < ROUNDING * abs(mean[name]) else own
    return Outcome(outcome.cell, n, mean, error, outcome.seconds + seconds)
