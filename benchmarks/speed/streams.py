"""Values a second through the streams, and the memory of a long run.

scripts/bench speed streams [--long 100000000]
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from benchmarks.table import show

from untold.randomness import Secure
from untold.streams import PAK, Stream, ToPL, ToPS

KINDS: dict[str, Callable[[], Stream]] = {
    "ToPS, epsilon 0.5": lambda: ToPS(0.5, 200, rng=Secure()),
    "ToPS, epsilon 5": lambda: ToPS(5.0, 200, rng=Secure()),
    "ToPS, single values as leaves": lambda: ToPS(0.5, 200, block=1, rng=Secure()),
    "PAK, epsilon 0.5": lambda: PAK(0.5, 200, rng=Secure()),
    "ToPL, epsilon 0.5": lambda: ToPL(0.5, 200, rng=Secure()),
}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench speed streams")
    parser.add_argument("--long", type=int, default=100_000_000, help="values of the run whose memory is watched")
    options = parser.parse_args(argv)
    values = np.random.default_rng(1).exponential(8, 1_000_000).round().clip(0, 200)
    rows = [[name, *rates(make, values)] for name, make in KINDS.items()]
    show("speed-streams", "Values a second, one thread", ["stream", "in arrays", "one by one"], rows)
    columns = ["values", "seconds", "peak MB", "state bytes"]
    show("speed-streams-memory", "A long run of ToPS", columns, long_run(options.long))


def rates(make: Callable[[], Stream], values: np.ndarray) -> tuple[float, float]:
    stream = make()
    stream.push(values[:100_000])  # warm-up, and kernels compiled
    best = max(timed(lambda: stream.push(values), len(values)) for _ in range(3))
    single = values[:20_000].tolist()
    return best, max(timed(lambda: [stream.push_one(v) for v in single], len(single)) for _ in range(3))


def timed(work: Callable[[], object], count: int) -> float:
    begun = time.perf_counter()
    work()
    return count / (time.perf_counter() - begun)


def long_run(count: int) -> list[list[int | float]]:
    """Peak memory of the process as a stream grows."""
    stream, part = ToPS(0.5, 200, rng=Secure()), np.random.default_rng(1).exponential(8, 1_000_000)
    begun, rows, step = time.perf_counter(), [], max(1, count // len(part) // 5)
    for i in range(count // len(part)):
        stream.push(part)
        if (i + 1) % step == 0 or i == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append([stream.position, time.perf_counter() - begun, peak, len(stream.state())])
    return rows
