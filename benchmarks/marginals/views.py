"""What l and m do to the error, and what k does: Figures 7 and 9 of CALM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.marginals.methods import counted, plan
from benchmarks.marginals.tables import people, truth
from untold.designs.calm import of_sets
from untold.designs.choose import Setting, choose
from untold.designs.covering import spread_sets
from untold.exact import to_nano
from untold.plan import Plan

LENGTHS = (1, 2, 3, 4, 6, 8)
COUNTS = (2, 4, 8, 16, 28)


def with_views(compiled: Plan, epsilon: float, d: int, length: int, views: int) -> Plan:
    """The plan with other views."""
    design = of_sets("calm", compiled.service("people"), to_nano(epsilon), spread_sets(d, length, views))
    return replace(compiled, designs=(design,))


def error(data: str, d: int, k: int, n: int, compiled: Plan, runs: int, queries: int) -> float:
    """Mean SSE of random k-way marginals, CALM as published."""
    codes, sizes = people(data, d, n)
    rng = np.random.default_rng(d * 100 + k)
    asked = [tuple(sorted(map(int, rng.choice(d, k, replace=False)))) for _ in range(queries)]
    true = {query: truth(codes, sizes, query) for query in asked}
    found = []
    for run in range(runs):
        releaser = counted(codes, compiled, 31 * run + 5, weights="published", nonnegative="ripple").releaser
        found += [float(((releaser.table(q)[0] - true[q]) ** 2).sum()) for q in asked]
    return float(np.mean(found))


def length_and_count(data: str, runs: int, queries: int) -> Iterator[dict[str, Any]]:
    """d = 8, k = 3, epsilon = 0.6, n = 2^16: every l and m."""
    compiled = plan((2,) * 8, 0.6, 1 << 16, 3, "calm")
    chosen = choose(Setting(1 << 16, 0.6, (2,) * 8, 3))
    for length in LENGTHS:
        for views in COUNTS:
            made = with_views(compiled, 0.6, 8, length, views)
            value = error(data, 8, 3, 1 << 16, made, runs, queries)
            yield {
                "data": data,
                "l": length,
                "across": views,
                "error": value,
                "chosen": (length, views) == _pair(chosen),
            }


def length_and_epsilon(data: str, runs: int, queries: int, views: int = 16) -> Iterator[dict[str, Any]]:
    """d = 8, k = 3, m = 16, n = 2^16: every l and epsilon."""
    for epsilon in (0.2, 0.6, 1.0, 1.4, 2.0, 3.0):
        compiled = plan((2,) * 8, epsilon, 1 << 16, 3, "calm")
        best = choose(Setting(1 << 16, epsilon, (2,) * 8, 3)).length
        for length in LENGTHS:
            value = error(data, 8, 3, 1 << 16, with_views(compiled, epsilon, 8, length, views), runs, queries)
            yield {"data": data, "l": length, "across": epsilon, "error": value, "chosen": length == best}


def by_k(data: str, runs: int, queries: int) -> Iterator[dict[str, Any]]:
    """n = 2^18, d = 16: views chosen for k' = 3 and for k' = k."""
    for epsilon in (0.5, 1.0, 1.5, 2.0):
        for k in (2, 3, 4, 5, 6, 7, 8):
            for name, wanted in (("k' = 3", 3), ("k' = k", k)):
                compiled = plan((2,) * 16, epsilon, 1 << 18, wanted, "calm")
                value = error(data, 16, k, 1 << 18, compiled, runs, queries)
                yield {"data": data, "epsilon": epsilon, "k": k, "views": name, "error": value}


def _pair(choice: Any) -> tuple[int, int]:
    return choice.length, choice.views
