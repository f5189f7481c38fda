"""Exact errors of COUNT over boxes of a given volume, for the paper's mechanisms, evenly spread records and OLH as published."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, pi, sqrt

import numpy as np

from benchmarks.queries.tables import SERVICE, ordinal
from benchmarks.queries.variances import blue_variance, count_variance, random_range
from untold.plan import Plan
from untold.plan.designs import Design

NAMES = {"mg": "MG", "hi": "HI", "hio": "HIO", "sc": "SC", "default": "default"}


@lru_cache(maxsize=8)
def design(mechanism: str, sizes: tuple[int, ...], epsilon: float) -> Design:
    """The paper's mechanism, or the product's own, for ordinal attributes of these sizes."""
    attributes = {f"a{i}": ordinal(0, m - 1) for i, m in enumerate(sizes)}
    method = {} if mechanism == "default" else {"design": mechanism, "oracle": "olh"}
    service = {"attributes": attributes, **method}
    plan = {"name": "figure", "user_key": "uid", "epsilon": epsilon, "services": {SERVICE: service}}
    return Plan.from_dict(plan).design(SERVICE)


def box_error(mechanism: str, sizes: Sequence[int], epsilon: float, volume: float, users: float, seed: int) -> float:
    """MNAE to expect of a random box with equal sides: mean |error| / n of a normal error with the exact variance."""
    rng = np.random.default_rng([5, seed])
    factors = [random_range(m, rng, volume ** (1 / len(sizes))) for m in sizes]
    own = design(mechanism, tuple(sizes), epsilon)
    variance = blue_variance(own, factors) if mechanism == "default" else count_variance(own, "greedy", factors)
    return sqrt(2 / pi * variance / users)


def fives(m: int, low: int, high: int, b: int = 5) -> list[int]:
    """Nodes of each level, from the blocks below the root down to single values, in the fewest-node cover of [low, high] by
    a tree of fan-out b over 0 .. b^h - 1, the least power that holds m values.

    >>> fives(25, 3, 17)
    [2, 5]
    """
    h = 1
    while b**h < m:
        h += 1
    found, left, right = [0] * h, low, high + 1
    for level in range(h - 1, -1, -1):  # from the leaves up: what does not fill a block of the next level
        if left >= right:
            break
        if level == 0:
            found[0] = right - left
            break
        up, down = -(-left // b), right // b
        if up > down or (up == down and left % b + (right - left) <= b and not (left % b == 0 and right % b == 0)):
            found[level] = right - left
            break
        found[level] = (up * b - left) + (right - down * b)
        left, right = up, down
    return found


def fives_error(m: int, epsilon: float, low: int, high: int, users: float, root: bool) -> float:
    """MNAE of one-dimensional HIO on a tree of fives; `root`: a level is spent on the root, as in Algorithm 2's h + 1."""
    nodes = fives(m, low, high)
    levels, share = len(nodes) + root, (high - low + 1) / m
    noise = 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    variance = (
        levels * (sum(nodes) * noise + 2 * share) - share
    )  # a true cell has variance noise + 1, and is squared too
    return sqrt(2 / pi * variance / users)
