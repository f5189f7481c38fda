"""The papers' mechanisms side by side: errors to expect, from exact variances with evenly spread records, OLH as published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from benchmarks.queries.tables import SERVICE, categorical, ordinal
from benchmarks.queries.variances import blue_variance, count_variance, random_range
from untold.designs import Design
from untold.plan import Plan

USERS = 1_000_000
QUERIES = 30  # for each point, as in the paper


@dataclass(frozen=True)
class Point:
    """One point of a curve."""

    mechanism: str
    x: float | str
    error: float  # mean absolute error as a share of all users: MNAE of a COUNT


def plan_for(mechanism: str, sizes: Sequence[int], epsilon: float, categories: Sequence[int] = ()) -> Plan:
    """A plan with these ordinal and categorical attributes; "default" is the product's own design."""
    attributes = {f"a{i}": ordinal(0, m - 1) for i, m in enumerate(sizes)}
    attributes |= {f"k{i}": categorical([f"v{v}" for v in range(m)]) for i, m in enumerate(categories)}
    method = {} if mechanism == "default" else {"design": mechanism, "oracle": "olh"}
    service = {"attributes": attributes, **method}
    return Plan.from_dict({"name": "figure", "user_key": "uid", "epsilon": epsilon, "services": {SERVICE: service}})


def absolute_error(variance: float, users: int = USERS) -> float:
    """Mean |error| / n of a normal error with this variance per user."""
    return sqrt(2 / pi * variance / users)


def mean_error(design: Design, sizes: Sequence[int], volume: float, queries: int = QUERIES) -> float:
    """Over random boxes of this volume, all sides equal; greedy covers for the papers' mechanisms, `blue` for the default."""
    rng = np.random.default_rng(5)
    side = volume ** (1 / len(sizes))
    errors = []
    for _ in range(1 if design.name == "mg" else queries):  # of MG every box of a volume has the same error
        factors = [random_range(m, rng, side) for m in sizes]
        if design.name == "tuned":
            errors.append(absolute_error(blue_variance(design, factors)))
        else:
            errors.append(absolute_error(count_variance(design, "greedy", factors)))
    return float(np.mean(errors))


def by_volume(
    mechanisms: Sequence[str], sizes: Sequence[int], epsilon: float, volumes: Sequence[float], queries: int = QUERIES
) -> list[Point]:
    """Figures 4, 7 and 8."""
    designs = {name: plan_for(name, sizes, epsilon).design(SERVICE) for name in mechanisms}
    return [
        Point(name, volume, mean_error(design, sizes, volume, queries))
        for name, design in designs.items()
        for volume in volumes
    ]


def by_epsilon(
    mechanisms: Sequence[str], sizes: Sequence[int], epsilons: Sequence[float], volume: float
) -> list[Point]:
    """Figures 5 and 6."""
    return [
        Point(name, epsilon, mean_error(plan_for(name, sizes, epsilon).design(SERVICE), sizes, volume))
        for name in mechanisms
        for epsilon in epsilons
    ]


def by_type(
    ordinals: Sequence[int], categories: Sequence[int], epsilon: float, types: Sequence[str], selectivity: float
) -> list[Point]:
    """Figures 12 and 14: HIO against SC, relative error of COUNT by type of query, "ranges + categorical conditions"."""
    points = []
    for name in ("hio", "sc"):
        plan = plan_for(name, ordinals, epsilon, categories)
        for kind in types:
            ranges, lists = map(int, kind.split("+"))
            side = selectivity ** (1 / (ranges + lists))
            where = []
            for i, m in enumerate(ordinals[:ranges]):
                inside = max(1, round(m * side))
                low = (m - inside) // 2 + (inside < m)  # not at the edge of a block
                where.append(f"a{i} BETWEEN {low} AND {low + inside - 1}")
            for i, m in enumerate(categories[:lists]):
                values = ", ".join(f"'v{v}'" for v in range(max(1, round(m * side))))
                where.append(f"k{i} IN ({values})")
            sql = f"SELECT COUNT(*) FROM {SERVICE} WHERE {' AND '.join(where)}"
            column = plan.forecast(sql, users=USERS, estimator="greedy").columns[0]
            points.append(Point(name, kind, sqrt(2 / pi) * column.se / column.value))
    return points
