"""Best guesses against published methods on the field's settings: one attribute of 256 values, and pairs among four of 64.

HDG, AHEAD, HaarHRR and SW+EMS are written from their papers' rules (benchmarks/rivals). All have the same people, epsilon and
ranges (10 to 90% of each domain). What untold's reports say is drawn (`benchmarks/plausible/drawn_counts.py`): one service of four
attributes with `max_active = 2` for pairs, of one attribute for the others. MSE x 1e6, of shares of people.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from benchmarks.plausible.drawn_counts import DrawnCounts
from benchmarks.rivals import ahead, haar, hdg, square_wave
from benchmarks.rivals.people import NAMES, people
from benchmarks.table import show

import untold
from untold.ask.decoded.closest import orthonormal
from untold.ask.decoded.products import contract
from untold.ask.sharp.best_table import best_table

Floats = np.ndarray
Attributes = tuple[int, ...]
ONE, PAIRS = 256, 64


def ours(codes: Floats, size: int, epsilon: float, seed: int) -> dict[str, dict[Attributes, Floats]]:
    """Tables of every attribute, or of every pair of several: unbiased, closest and best guess."""
    count = codes.shape[1]
    attributes = {f"a{i}": {"kind": "ordinal", "low": 0, "high": size - 1} for i in range(count)}
    service = {"attributes": attributes, **({"max_active": 2} if count > 1 else {})}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "u", "epsilon": epsilon, "services": {"t": service}})
    counts = DrawnCounts(plan.design("t"), dict(enumerate(codes.T)), len(codes), seed)
    out: dict[str, dict[Attributes, Floats]] = {"unbiased": {}, "closest": {}, "best guess": {}}
    for own in combinations(range(count), min(count, 2)):
        y, known = counts.contrasts(own)
        known[(0,) * known.ndim] = 0.0
        trees = [plan.design("t").space.trees[a] for a in own]
        best = best_table(y / len(codes), len(codes) * y.size * known, trees, (True,) * len(own))
        out["unbiased"][own] = contract(y / len(codes), [orthonormal(tree).T for tree in trees])
        out["closest"][own] = counts.closest(own) / len(codes)
        out["best guess"][own] = best.table
    return out


def theirs(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> dict[str, dict[Attributes, Floats]]:
    """The same by rivals."""
    if codes.shape[1] > 1:
        return {name: each.tables(codes, size, epsilon, rng) for name, each in (("HDG", hdg), ("AHEAD", ahead))}
    alone = codes[:, 0]
    return {
        "AHEAD": {(0,): ahead.table(codes, size, epsilon, rng)},
        "HaarHRR": {(0,): haar.table(alone, size, epsilon, rng)},
        "SW+EMS": {(0,): square_wave.table(alone, size, epsilon, rng)},
    }


def errors(tables: dict[Attributes, Floats], codes: Floats, size: int, queries: int, seed: int) -> float:
    """Mean squared error of ranges, the same for all methods."""
    rng, off = np.random.default_rng(seed), []
    for own, found in tables.items():
        true = np.zeros((size,) * len(own))
        np.add.at(true, tuple(codes[:, a] for a in own), 1 / len(codes))
        apart = found[tuple(slice(0, size) for _ in own)] - true
        for _ in range(queries):
            box = []
            for _ in own:
                width = int(rng.integers(size // 10, size * 9 // 10 + 1))
                low = int(rng.integers(0, size - width + 1))
                box.append(slice(low, low + width))
            off.append(float(apart[tuple(box)].sum()) ** 2)
    return float(np.mean(off))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy rivals", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--queries", type=int, default=100, help="of each attribute or pair")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.5, 1.0, 2.0])
    parser.add_argument("--people", type=float, nargs="*", default=[1e5])
    parser.add_argument("--tables", nargs="*", default=list(NAMES))
    parser.add_argument("--dimensions", type=int, nargs="*", default=[1, 2])
    given = parser.parse_args(argv)
    for dimensions in given.dimensions:
        size, rows = {1: ONE, 2: PAIRS}[dimensions], list[list[Any]]()
        for count, epsilon, name in product(given.people, given.epsilons, given.tables):
            found: dict[str, list[float]] = {}
            for run in range(given.runs):
                rng = np.random.default_rng([run, dimensions])
                codes = people(name, size, int(count), rng)[:, : 1 if dimensions == 1 else 4]
                each = ours(codes, size, epsilon, run) | theirs(codes, size, epsilon, rng)
                for method, tables in each.items():
                    found.setdefault(method, []).append(errors(tables, codes, size, given.queries, run))
            rows.append([name, count, epsilon, *(1e6 * float(np.mean(own)) for own in found.values())])
            print(*(f"{one:.4g}" if isinstance(one, float) else one for one in rows[-1]), sep="\t", flush=True)
        methods = list(found)
        show(f"rivals_{dimensions}", f"MSE x 1e6, {dimensions}-D", ["table", "people", "epsilon", *methods], rows)
        best = 3 + methods.index("best guess")
        for place, method in enumerate(methods, 3):
            ratio = np.exp(np.mean([np.log(row[best] / row[place]) for row in rows]))
            print(
                f"{dimensions}-D: best guess / {method}: {ratio:.2f} (geometric mean of {len(rows)} tables and settings)"
            )
    return 0
