"""How many bundles of the others are of each sort: the numbers that are likely enough, and their chances."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from untold.plan.mixing.binomial import Floats, chances, rounding, window

TAIL = 1e-18  # of what is left out of a sum; added to delta
STRETCHES = 16  # of the numbers k; a quarter of that where they are many
MANY = 100_000
Nodes = tuple[tuple[float, Floats], ...]  # a value of m, and the chance of (k, m) for every k


@lru_cache(maxsize=32)
def spread(n: int, r: float, c: float, nodes: int) -> tuple[Floats, float, Nodes]:
    """All numbers k of bundles "plus" or "minus" that are likely enough; the relative rounding of their chances; and values
    of m, the number in common, with a chance for every k.

    What is summed falls with m and is convex in it. So for a stretch of k's the fewest others stand for all, and a chance
    between two values of m is divided between them so that the mean stays: both can only make the sum larger.
    """
    low, high = window(n - 1, 2 * r, TAIL)
    k = np.arange(low, min(high + 1, n) + 1, dtype=np.float64)
    weights, relative = chances(n, k, 2 * r), rounding(max(high + 1 - 2 * n * r, 2 * n * r - low))
    if not c:
        return k, relative, ((0.0, weights),)
    share = c / (1 - 2 * r)
    edges = np.unique(np.linspace(0, len(k), min(STRETCHES // (1 + 3 * (n > MANY)), len(k)) + 1).astype(int))
    most = n - int(k[0])
    first, last = window(n - int(k[-1]), share, TAIL)[0], window(most, share, TAIL)[1]
    values = np.unique(np.concatenate(([0], np.linspace(first, last, nodes).astype(int))))
    table = np.empty((len(values), len(k)))
    widest = 0.0
    for begin, end in pairwise(edges.tolist()):
        others = n - int(k[end - 1])
        table[:, begin:end] = _divided(others, share, values)[:, None] * weights[begin:end]
        widest = max(widest, abs(values[-1] - others * share), others * share)
    return k, relative + rounding(widest), tuple(zip(values.astype(float).tolist(), table, strict=True))


def _divided(n: int, share: float, values: Floats) -> Floats:
    """Chances of Bin(n, share), divided over neighbouring values; what is beyond the last value counts as the last."""
    if n == 0 or len(values) == 1:
        return np.asarray(values == 0, dtype=np.float64)
    low, high = window(n, share, TAIL)
    m = np.arange(low, high + 1)
    chance = chances(n, m, share)
    place = np.clip(np.searchsorted(values, m, side="right") - 1, 0, len(values) - 2)
    part = np.clip((m - values[place]) / (values[place + 1] - values[place]), 0, 1)
    found = np.bincount(place, chance * (1 - part), len(values)) + np.bincount(place + 1, chance * part, len(values))
    found[0] += TAIL
    return np.asarray(found)
