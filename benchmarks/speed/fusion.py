"""How long fusion takes: ULE, UWA and population at 1e6 and 1e7 people, against the slow twin and the paper's table 1.

    python -m benchmarks speed fusion [--quick]

Every case runs in a process of its own, so that peak memory is its own; kernels are compiled before the clock starts.
Times are of the whole call on checked reports in memory; reading a table of 1e7 people is timed apart.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.evidence.vldb25.counts import js
from benchmarks.evidence.vldb25.people import MIDDLES, density

from untold import fuse
from untold.fusion.reports import Reports
from untold.numeric import PM, SR, SW, Laplace, Numeric
from untold.randomness import Seeded

THREE, FOUR = (SR, PM, SW), (SR, Laplace, PM, SW)
PAPER = {
    "uwa 1e6 m=4": 3.45,
    "ule 1e6 m=3": 124.05,
    "ule 1e6 m=15": 141.16,
    "ule 1e7 m=3": 12620.94,
    "uwa 1e7 m=4": 349.37,
}


def clock(work: Callable[[], object], repeat: int = 3) -> dict[str, float]:
    """The best of a few runs: seconds on the wall and on all cores together. On a busy machine the second says more."""
    times, used = [], []
    for _ in range(repeat):
        start, spent = time.perf_counter(), time.process_time()
        work()
        times.append(time.perf_counter() - start)
        used.append(time.process_time() - spent)
    return {"s": min(times), "cpu_s": min(used)}


def beta_sin(n: int, seed: int) -> np.ndarray:
    """People's numbers, in [0, 1]."""
    return np.random.default_rng(seed).choice(MIDDLES, n, p=density("Beta+Sin"))


def collect(u: np.ndarray, services: Mapping[str, Numeric], seed: int) -> Reports:
    """Everybody's number, perturbed by every service."""
    rng = Seeded(seed)
    return Reports(services, tuple(m.value(m.encode_many(m.low + m.span * u, rng)) for m in services.values()))


def histogram(u: np.ndarray, buckets: int) -> np.ndarray:
    """The true distribution over buckets."""
    return np.histogram(u, buckets, (0, 1))[0] / len(u)


def people(
    n: int, kinds: Sequence[type[Numeric]], epsilon: float, count: int | None = None
) -> tuple[np.ndarray, Reports]:
    u = beta_sin(n, 1)
    services = {f"s{j}": kinds[j % len(kinds)](epsilon) for j in range(count or len(kinds))}
    return u, collect(u, services, 1)


def warm_up() -> None:
    """Compile every kernel (or load it from the cache)."""
    _, reports = people(2000, FOUR, 1.0)
    for method in fuse.MEANS:
        fuse.mean(reports, method)
    for engine in ("tensor", "intervals"):
        fuse.distribution(reports, 64, engine=engine)


def case_ule(n: int, epsilon: float, count: int, smoothing: str) -> dict[str, Any]:
    """Distribution of n people at `count` services, over 1024 buckets to convergence."""
    u, reports = people(n, THREE, epsilon, count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = fuse.distribution(reports, 1024, smoothing=smoothing, bootstrap=0)
    timing = clock(lambda: fuse.distribution(reports, 1024, smoothing=smoothing, bootstrap=0), 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    score = js(found.probabilities, histogram(u, 1024))
    return {
        **timing,
        "steps": found.steps,
        "js": score,
        "engine": found.notes["engine"],
        "gb": peak / 1e6,
        "gb_before": before / 1e6,
    }


def case_mean(n: int, method: str, count: int) -> dict[str, Any]:
    """Mean of n people at `count` services."""
    u, reports = people(n, FOUR, 0.1, count)
    timing = clock(lambda: fuse.mean(reports, method))
    error = (fuse.mean(reports, method).value - (2 * u.mean() - 1)) / fuse.mean(reports, method).standard_error
    return {**timing, "z": error, "gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}


def case_load(n: int, shape: str) -> dict[str, Any]:
    """Reading and checking a table of n people at three services."""
    import pyarrow as pa

    _, reports = people(n, THREE, 0.3)
    names = list(reports.services)
    if shape == "wide":
        table = pa.table(dict(zip(names, reports.values, strict=True)))
    else:
        codes = np.repeat(np.arange(3, dtype=np.int8), n)
        users, values = np.tile(np.arange(n), 3), np.concatenate(reports.values)
        table = pa.table({"user": users, "service": pa.DictionaryArray.from_arrays(codes, names), "value": values})
    services = reports.services
    del reports
    return {
        **clock(lambda: fuse.load(table, services), 2),
        "gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def case_twin(n: int, epsilon: float) -> dict[str, Any]:
    """The plain n x l EM with the same smoothing:

    seconds, and JS beside that of the fast ways (mean of three collections).
    """
    rows: dict[str, list[float]] = {}
    for seed in range(3):
        u = beta_sin(n, seed)
        reports = collect(u, {m.name: m(epsilon) for m in THREE}, seed)
        for name, engine, smoothing in (
            ("twin", "rows", "ems"),
            ("tensor", "tensor", "ems"),
            ("spline", "tensor", "spline"),
            ("twin spline", "rows", "spline"),
        ):
            start = time.perf_counter()
            found = fuse.distribution(reports, 256, smoothing=smoothing, engine=engine, bootstrap=0)
            rows.setdefault(f"{name} s", []).append(time.perf_counter() - start)
            rows.setdefault(f"{name} js", []).append(js(found.probabilities, histogram(u, 256)))
    return {key: float(np.mean(values)) for key, values in rows.items()}


def case_perturb(n: int) -> dict[str, Any]:
    """Nanoseconds a report, words from a seeded generator."""
    u = beta_sin(n, 1)
    return {m.name: clock(lambda m=m: collect(u, {m.name: m(0.5)}, 1))["s"] / n * 1e9 for m in FOUR}


CASES = {"ule": case_ule, "mean": case_mean, "load": case_load, "twin": case_twin, "perturb": case_perturb}


def alone(name: str, *arguments: object) -> dict[str, Any]:
    """Run one case in a fresh process."""
    call = json.dumps([name, *arguments])
    program = [sys.executable, "-m", "benchmarks.speed.fusion", "--case", call]
    settings = {"OPENBLAS_NUM_THREADS": "1", **os.environ}  # small products: two threads wait for each other when busy
    done = subprocess.run(program, capture_output=True, text=True, check=False, env=settings)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    cells = "  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
    print(f"{name} {arguments}: {cells}", flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run all cases; 0 if every limit is kept."""
    parser = argparse.ArgumentParser(prog="benchmarks speed fusion", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 1e7 people")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--out", default="bench-results/fusion_speed.json")
    o = parser.parse_args(argv)
    if o.case:
        name, *arguments = json.loads(o.case)
        warm_up()
        print(json.dumps(CASES[name](*arguments), default=float))
        return 0
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    limits: list[tuple[str, float, float, str]] = []
    ule = [alone("ule", 1_000_000, e, 3, s) for e in (0.1, 0.3, 0.6) for s in ("spline", "ems")]
    limits.append(
        ("ULE (spline), n = 1e6, m = 3, eps 0.1 to 0.6", max(float(r["s"]) for r in ule[::2]), 3, "ule 1e6 m=3")
    )
    limits.append(
        ("ULE (EMS), n = 1e6, m = 3, eps 0.1 to 0.6", max(float(r["s"]) for r in ule[1::2]), 3, "ule 1e6 m=3")
    )
    many = alone("ule", 1_000_000, 0.3, 15, "spline")
    limits.append(("ULE, n = 1e6, m = 15 (intervals)", float(many["s"]), 141, "ule 1e6 m=15"))
    limits.append(("UWA, n = 1e6, m = 4", float(alone("mean", 1_000_000, "uwa", 4)["s"]), 3.45, "uwa 1e6 m=4"))
    if not o.quick:
        big = [alone("ule", 10_000_000, e, 3, s) for e, s in ((0.1, "spline"), (0.6, "spline"), (0.3, "ems"))]
        limits.append(("ULE, n = 1e7, m = 3", max(float(r["s"]) for r in big), 10, "ule 1e7 m=3"))
        limits.append(("ULE, n = 1e7: peak memory, GB, reports included", max(float(r["gb"]) for r in big), 4, ""))
        for method in ("uwa", "population"):
            got = alone("mean", 10_000_000, method, 4)
            limits.append((f"{method}, n = 1e7, m = 4", float(got["s"]), 5, "uwa 1e7 m=4"))
        for shape in ("wide", "long"):
            got = alone("load", 10_000_000, shape)
            limits.append((f"reading a {shape} table, n = 1e7, m = 3", float(got["s"]), 10, ""))
    alone("perturb", 1_000_000)
    twins = [alone("twin", 20_000, e) for e in (0.1, 0.3, 0.6)]
    print("\nlimits")
    kept = True
    for text, value, most, paper in limits:
        kept &= value < most
        beside = f", paper {PAPER[paper]:,} s: {PAPER[paper] / value:,.0f}x" if paper else ""
        print(f"  {'yes' if value < most else 'NO '}  {text}: {value:.2f} (limit {most}{beside})")
    for name in ("tensor", "spline"):
        worst = max(float(t[f"{name} js"]) / float(t["twin js"]) for t in twins)
        kept &= worst <= 1.02
        word = "yes" if worst <= 1.02 else "NO "
        print(f"  {word}  JS of {name} over JS of the slow twin (EMS), n = 20,000: {worst:.3f} at most")
    Path(o.out).parent.mkdir(parents=True, exist_ok=True)
    Path(o.out).write_text(json.dumps({"limits": limits, "twins": twins}, indent=1))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
