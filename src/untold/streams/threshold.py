"""Thresholds by report noisy maximum, from the counts of the first m values per unit.

Every candidate gets a score in whole steps of 1/1024 count, plus geometric noise; the largest wins, the first of
equals. If all scores move the same way by at most one count when a value is exchanged, noise of scale 1/epsilon is
enough: whatever the noise of the others, the winner needs at most one count more. Otherwise the scale is 2/epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from untold.randomness import Randomness
from untold.streams.geometric import Geometric

STEPS = 1024  # score steps per count
Integers = npt.NDArray[np.int64]


def candidates(upper: int, count: int) -> Integers:
    """At most `count` thresholds, evenly spread over 1..upper units.

    >>> candidates(10, 4).tolist()
    [3, 5, 8, 10]
    """
    count = min(count, upper)
    return -(-np.arange(1, count + 1, dtype=np.int64) * upper // count)


def noisy_maximum(scores: Sequence[int], noise: Geometric, rng: Randomness) -> int:
    """Index of the largest noisy score; the first, if several are equal."""
    noisy = [score + noise.draw(rng) for score in scores]
    return noisy.index(max(noisy))


def clipping_scores(counts: Integers, thresholds: Integers, penalty: float, steps: int = STEPS) -> list[int]:
    """-#{v > theta} - penalty * theta, in steps. Exchanging a value moves all scores the same way, by one count at
    most.
    """
    above = int(counts.sum()) - np.cumsum(counts)[thresholds]
    return [-steps * int(c) - round(steps * penalty * int(t)) for c, t in zip(above, thresholds, strict=True)]


def percentile_scores(counts: Integers, thresholds: Integers, percentile: float, steps: int = STEPS) -> list[int]:
    """-|#{v <= theta} - p m|, in steps. Exchanging a value moves a score by one count at most, up or down."""
    below, wanted = np.cumsum(counts)[thresholds], round(steps * percentile / 100 * int(counts.sum()))
    return [-abs(steps * int(c) - wanted) for c in below]


def clipping_threshold(counts: Integers, penalty: float, count: int, nano: int, rng: Randomness) -> int:
    """ToPS's threshold in units, epsilon-private."""
    options = candidates(len(counts) - 1, count)
    noise = Geometric(nano, 1, STEPS)
    return int(options[noisy_maximum(clipping_scores(counts, options, penalty), noise, rng)])


def percentile_threshold(counts: Integers, percentile: float, count: int, nano: int, rng: Randomness) -> int:
    """A percentile in units, epsilon-private."""
    options = candidates(len(counts) - 1, count)
    noise = Geometric(nano, 2, STEPS)
    return int(options[noisy_maximum(percentile_scores(counts, options, percentile), noise, rng)])


def clipping_penalty(epsilon: float, branching: int, horizon: int, warmup: int, excess: float) -> float:
    """kappa: how many clipped values among the first m one unit of threshold is worth.

        kappa = sqrt(2 (b - 1) h^3 / eps^2) * 3 m / (c n),        h = floor(log_b n) + 1

    The noise of a range sum is about theta sqrt(2 (b - 1) h^3) / eps; a range of n/3 values loses n/3 * (share clipped)
    * c when a clipped value lies c above the threshold. The paper's code has c = 60 for its data; here c is a setting.
    """
    height = tree_levels(branching, horizon) + 1
    return sqrt(2 * (branching - 1) * height**3) / epsilon * 3 * warmup / (excess * horizon)


def tree_levels(branching: int, leaves: int) -> int:
    """floor(log_b leaves), in whole numbers.

    >>> tree_levels(16, 2**20), tree_levels(16, 2**20 - 1)
    (5, 4)
    """
    levels = 0
    while branching ** (levels + 1) <= leaves:
        levels += 1
    return levels


def leaf_block(epsilon: float, branching: int, horizon: int) -> int:
    """Values per leaf: b^round(log_b x), x the minimiser of 2 (b - 1) log_b(r/x)^3 / eps^2 + x^2 / 36, 1 <= x <= r.

    >>> leaf_block(0.5, 16, 2**20)
    256
    """
    x = np.geomspace(1, horizon, 4097)
    depth = np.log(horizon / x) / np.log(branching)
    best = x[int(np.argmin(2 * (branching - 1) * depth**3 / epsilon**2 + x**2 / 36))]
    return int(branching ** round(float(np.log(best) / np.log(branching))))
