"""What the timing scripts share. Runs in the peers' environment: numpy and the standard library only."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

EPSILON = 1.0
REPORTS = {
    20: 2000,
    125: 800,
    1000: 200,
    15625: 20,
}  # cells: reports to count; the peers need about a microsecond for each pair
ENCODED = 5000
REPEATS = 5


def cells(count: int, size: int) -> np.ndarray:
    """Half of the people in cell 0, the others anywhere."""
    rng = np.random.default_rng(7)
    return np.where(np.arange(count) % 2 == 0, 0, rng.integers(0, size, count))


def best_ns(work: Callable[[], Any], units: int) -> float:
    """Nanoseconds per unit, best of several runs after one that is not timed (compilation, caches).

    Of processor time: these libraries use one thread, and a busy machine is not their fault.
    """
    work()
    times = []
    for _ in range(REPEATS):
        start = time.process_time_ns()
        work()
        times.append(time.process_time_ns() - start)
    return min(times) / units


def must_be_near(what: str, estimate: float, truth: float, deviation: float) -> None:
    """A timing of a wrong call is worth nothing: six standard deviations, wrong once in 5e8 runs."""
    if not abs(estimate - truth) < 6 * deviation:
        raise SystemExit(f"{what}: estimated {estimate:.3f} where {truth:.3f} is true; it is not called as intended")


def finish(library: str, measured: dict[str, Any]) -> None:
    """Print everything as JSON."""
    about = {"library": library, "version": version(library), "numpy": np.__version__, "python": sys.version.split()[0]}
    print(json.dumps(about | {"epsilon": EPSILON} | measured))
