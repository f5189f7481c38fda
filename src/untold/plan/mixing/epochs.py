"""Central epsilon over several epochs: the privacy loss distribution of a batch, convolved with itself (docs/mixing.md, section 5).

The idea is that of Google's dp-accounting ("connect the dots", Doroshenko et al. 2022). That package asks for attrs < 24
and so cannot be installed beside what untold is pinned to.
"""

from __future__ import annotations

from functools import lru_cache
from math import expm1, log, log1p, sqrt

import numpy as np

from untold.plan.mixing.binomial import UNIT, Floats
from untold.plan.mixing.divergence import delta_at_most, epsilon_at_most, least_epsilon
from untold.plan.mixing.pair import Counts, Pairs

DOTS = 64  # on each side of 0
LEFT_OUT = 1e-15  # about the chance of losses beyond the dots; added to delta
MOST_EPOCHS = 10_000


def epsilon_over_epochs(pairs: Pairs, epochs: int, delta: float) -> float:
    """An epsilon with which `epochs` batches together are (epsilon, delta)-private, whatever the person's rows are in each.

    >>> from untold.plan.mixing.pair import pairs_of
    >>> round(epsilon_over_epochs(pairs_of(4.0, 1_000_000), 12, 1e-8), 3)
    0.166
    """
    if not 1 <= epochs <= MOST_EPOCHS:
        raise ValueError(f"epochs: {epochs} is not in 1..{MOST_EPOCHS}")
    most, one = epochs * pairs[0].local, epsilon_at_most(pairs, delta)
    if epochs == 1:
        return one
    if delta_at_most(pairs, 0.0) * epochs <= delta:
        return 0.0
    step, chance, beyond = loss_distribution(pairs)
    fixed = -expm1(epochs * log1p(-beyond)) if beyond < 1 else 1.0
    if fixed >= delta:
        return most
    return min(
        most, _by_moments(step, chance, epochs, delta - fixed), _by_sums(step, chance, epochs, delta - fixed, most)
    )


def _by_sums(step: float, chance: Floats, epochs: int, delta: float, most: float) -> float:
    """From the whole distribution of the sum of all losses."""
    composed, slack = _convolved(chance, epochs)
    losses = step * (np.arange(len(composed)) - (len(composed) - 1) // 2)

    def curve(epsilon: float) -> float:
        above = losses > epsilon
        return float(composed[above] @ -np.expm1(epsilon - losses[above])) + slack

    return least_epsilon(curve, delta, most, step * DOTS * sqrt(epochs)) if slack < delta else most


def _by_moments(step: float, chance: Floats, epochs: int, delta: float) -> float:
    """From Chernoff's bound, delta <= E[e^(order loss)]^epochs e^(-order epsilon): coarser, but nothing is too long for it."""
    losses = step * np.arange(-DOTS, DOTS + 1)
    orders = np.geomspace(0.01, 300, 400) / (step * DOTS)
    exponents = np.outer(orders, losses) + np.log(np.maximum(chance, 1e-300))
    highest = exponents.max(axis=1)
    moments = highest + np.log(np.exp(exponents - highest[:, None]).sum(axis=1))
    return float(np.min((epochs * moments - log(delta)) / orders)) * (1 + 1e-9)


@lru_cache(maxsize=8)
def loss_distribution(pairs: Pairs) -> tuple[float, Floats, float]:
    """(distance of the dots, chances of the losses -m..m dots, chance of a loss beyond): it dominates the pair.

    delta as a function of E = e^epsilon is convex. The dots are values of ours, which are not below it; the greatest convex
    function through or below the dots is not below it either. Its slope after a dot is minus Q's chance of larger losses.
    """
    reach = min(epsilon_at_most(pairs, LEFT_OUT), pairs[0].local)
    step = reach / DOTS
    dots = np.minimum(step * np.arange(DOTS + 1), pairs[0].local * (1 - UNIT)).tolist()
    right = np.array([delta_at_most(pairs[:1], dot) for dot in dots])
    for pair in pairs[1:]:
        _raise_to(right, pair, dots)
    powers = np.exp(step * np.arange(-DOTS, DOTS + 1))
    left = -np.expm1(-step * np.arange(DOTS, 0, -1)) + powers[:DOTS] * right[:0:-1]
    deltas = convex_minorant(np.concatenate(([0.0], powers)), np.concatenate(([1.0], left, right)))
    larger = np.append(
        -np.diff(deltas) / np.diff(np.concatenate(([0.0], powers))), 0.0
    )  # Q's chance of a loss beyond each dot
    chance = np.maximum(powers * -np.diff(larger), 0.0)
    return step, chance, float(deltas[-1])


def _raise_to(right: Floats, pair: Counts, dots: list[float]) -> None:
    """The larger of two falling curves at every dot. Where one is above what the other was at an earlier dot, it stays so."""
    i = 0
    while i < len(dots):
        found = delta_at_most((pair,), dots[i])
        right[i] = max(right[i], found)
        lower = np.flatnonzero(right[i + 1 :] < found)
        i = i + 1 + int(lower[0]) if len(lower) else len(dots)


def convex_minorant(x: Floats, y: Floats) -> Floats:
    """The greatest convex function that is nowhere above the points, at their x."""
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1 and _above(x, y, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    return np.interp(x, x[hull], y[hull])


def _above(x: Floats, y: Floats, a: int, b: int, c: int) -> bool:
    return bool((y[b] - y[a]) * (x[c] - x[a]) >= (y[c] - y[a]) * (x[b] - x[a]))


def _convolved(chance: Floats, times: int) -> tuple[Floats, float]:
    """The `times`-fold convolution by Fourier's transform, and a bound on what its rounding can add up to.

    A transform of length N errs by 6 UNIT log2(N) of its 2-norm at most (Higham, Accuracy and Stability, section 24.1);
    no factor is larger than 1, so a power errs `times` as much, and a sum over N points sqrt(N) times the 2-norm.
    """
    length = times * (len(chance) - 1) + 1
    size = 1 << (length - 1).bit_length()
    spectrum = np.fft.rfft(chance, size) ** times
    composed = np.maximum(np.fft.irfft(spectrum, size)[:length], 0.0)
    norms = times * float(np.linalg.norm(chance)) + float(np.linalg.norm(composed))
    return composed, sqrt(size) * 6 * UNIT * (log(size, 2) + 2) * norms
