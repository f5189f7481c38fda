"""One range, the closest plausible answer against blue, with normal noise of the design's size in place of reports.

Contrasts of one attribute are drawn around the truth, so that many answers cost little. Prints the ratio of mean squared errors,
measured in standard errors of blue, after 60 steps of the solver and after 1,000.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.plausible.tables import FIRST, SECOND, coded
from benchmarks.table import show

import untold
from untold.ask.decoded.closest import CERTAIN, STEPS, orthonormal, solved
from untold.ask.decoded.combined import designed, per_contrast

RANGES = 12  # of each attribute


def errors_of(plan: Any, place: int, codes: np.ndarray, n: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Squared errors of blue, of 60 steps and of 1,000, (3, answers)."""
    design, attribute = plan.design("t"), plan.service("t").sensitive[place]
    tree, size = design.space.trees[place], attribute.size
    matrix, truth = orthonormal(tree), np.bincount(codes, minlength=tree.padded) / len(codes)
    weight = np.concatenate([[0.0], per_contrast(designed(design).of((place,)), [tree])])
    weight[0] = CERTAIN * weight.max()
    noise = np.sqrt(1 / weight)
    noise[0] = 0.0
    low = rng.integers(0, size - size // 8, RANGES)
    high = np.minimum(size - 1, low + rng.integers(size // 8, size // 2 + 1, RANGES))
    leaves = np.arange(tree.padded)
    ranges = ((leaves >= low[:, None]) & (leaves <= high[:, None])).astype(float)
    sql = f"SELECT COUNT(*) AS x FROM t WHERE {attribute.name} BETWEEN {low[0]} AND {high[0]}"
    one = plan.forecast(sql, users=n).columns[0].se / n  # weights are known up to a factor
    noise *= one / np.sqrt(((matrix @ ranges[0]) ** 2 * noise**2).sum())
    se = np.sqrt(((ranges @ matrix.T) ** 2 * noise**2).sum(axis=1))
    out = []
    for _ in range(draws):
        found = matrix @ truth + noise * rng.normal(size=len(truth))
        tables = [matrix.T @ found, *(solved(found, weight, [tree], steps) for steps in (STEPS, 1000))]
        out.append([((ranges @ (table - truth)) / se) ** 2 for table in tables])
    return np.concatenate(out, axis=1)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy one_range", description=__doc__)
    parser.add_argument("--draws", type=int, default=25)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[1.0, 2.0])
    parser.add_argument("--people", type=float, nargs="*", default=[1e5, 1e6])
    parser.add_argument("--tables", nargs="*", default=[*FIRST, *SECOND])
    given = parser.parse_args(argv)
    rows: list[list[str | int | float | None]] = []
    for name in given.tables:
        columns, declared = coded(name)
        for epsilon in given.epsilons:
            service = {"t": {"attributes": declared}}
            plan = untold.Plan.from_dict({"name": name, "user_key": "uid", "epsilon": epsilon, "services": service})
            for n in given.people:
                rng = np.random.default_rng(3)
                ordinals = [i for i, a in enumerate(plan.service("t").sensitive) if a.ordered]
                names = [plan.service("t").sensitive[i].name for i in ordinals]
                found = [
                    errors_of(plan, i, columns[a], n, given.draws, rng) for i, a in zip(ordinals, names, strict=True)
                ]
                blue, few, many = np.concatenate(found, axis=1).mean(axis=1)
                rows.append([name, epsilon, int(n), float(blue / few), float(blue / many)])
                print(*rows[-1], sep="\t", flush=True)
    show(
        "one_range",
        "One range: MSE of blue / closest plausible",
        ["table", "epsilon", "people", "60 steps", "1,000"],
        rows,
    )
    return 0
