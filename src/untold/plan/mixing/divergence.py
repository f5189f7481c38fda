"""delta at an epsilon, and epsilon at a delta, of pairs of counts: never below the truth (docs/mixing.md, sections 3, 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import exp, expm1, log, sqrt

import numpy as np

from untold.plan.mixing.binomial import UNIT, Floats, chances, rounding
from untold.plan.mixing.pair import Counts, Pairs
from untold.plan.mixing.spread import TAIL, spread

NEAR = 1e-4  # this share below the local epsilon delta is taken from there: it only falls
FINE = 1e-5  # relative: so close is the epsilon that is given to the least one that is proved


def epsilon_at_most(pairs: Pairs, delta: float) -> float:
    """An epsilon with which n mixed reports are (epsilon, delta)-private; the local one at worst.

    >>> from untold.plan.mixing.pair import pairs_of
    >>> round(epsilon_at_most(pairs_of(4.0, 1_000_000), 1e-8), 3)
    0.045
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta: {delta} is not above 0 and below 1")
    found = _least(pairs[0], delta, 0.0)
    above = [(at, i) for i, pair in enumerate(pairs) if (at := _delta(pair, found)) > delta]
    for _, i in sorted(above, reverse=True):
        found = min(
            _least(pairs[i], delta, found) * (1 + FINE), pairs[i].local
        )  # a little more, and the others are below
    return found


def _least(pair: Counts, delta: float, low: float) -> float:
    guess = 6 * (pair.own - pair.other) / sqrt(2 * max(pair.each, 1e-30) * pair.people)  # six standard deviations
    return least_epsilon(partial(_delta, pair), delta, pair.local, guess, low)


def least_epsilon(curve: Callable[[float], float], delta: float, most: float, guess: float, low: float = 0.0) -> float:
    """The least epsilon from `low` on at which a falling curve is at most `delta`, or a little more; `most` at worst.

    sqrt(-log delta) is nearly a straight line in epsilon, so a few steps do.
    """
    at_low = curve(low)
    if at_low <= delta:
        return low
    high, at_high = min(max(guess, 1.1 * low), most), 0.0
    while high < most and (at_high := curve(high)) > delta:
        low, at_low, high = high, at_high, min(2 * high, most)
    at_high = curve(high) if high == most else at_high
    goal, steps = sqrt(-log(delta)), 0
    while high - low > 3 * FINE * high:
        steps += 1
        left, right = (sqrt(-log(min(max(at, 1e-300), 1.0))) for at in (at_low, at_high))
        part = min(max((goal - left) / (right - left), 0.02), 0.98) if right > left else 0.5
        found = low + part * (high - low)
        middle = found + FINE * found * (1 if part < 0.5 else -1)
        if not low < middle < high or steps % 3 == 0:  # a curve with a jump is no line
            middle = (low + high) / 2
        at = curve(middle)
        low, at_low, high, at_high = (low, at_low, middle, at) if at <= delta else (middle, at, high, at_high)
    return high


def delta_at_most(pairs: Pairs, epsilon: float) -> float:
    """At least max_S P(S) - e^epsilon Q(S), the same for both directions, for whichever pair is the worst."""
    return max(_delta(pair, epsilon) for pair in pairs)


def _delta(pair: Counts, epsilon: float) -> float:
    """
        delta = (u - v)(1 + E)/(n r) sum over k, m of Pr[Bin(n, 2 r) = k] Pr[Bin(n - k, c/(1 - 2 r)) = m] E[(X_k - t)+]
        E = e^epsilon     X_k ~ Bin(k, 1/2)     t = k/2 + (E - 1)/((u - v)(1 + E)) (k (u + v)/2 + m w r/c)

    m, the number of bundles of the sort "common", makes t larger and so helps; `spread` takes some values of it for all.
    """
    if epsilon < 0:
        raise ValueError(f"epsilon: {epsilon} is below 0")
    if epsilon >= pair.local or pair.own <= pair.other:
        return 0.0
    n, r, u, v = pair.people, pair.each, pair.own, pair.other
    above = expm1(min(epsilon, pair.local * (1 - NEAR)))  # E - 1
    k, relative, nodes = spread(n, r, pair.shared, _nodes(pair))
    dilution = max(1 - u - v - 8 * UNIT, 0.0) * r / pair.shared if pair.shared else 0.0
    slope = above / ((u - v) * (2 + above))
    total = 0.0
    for m, weights in nodes:
        gain, slack = _mean_excess(k, slope * (k * (u + v) / 2 + m * dilution))
        total += float(weights @ gain) + float(weights @ slack) + 2 * relative * float(weights @ (np.abs(gain) + slack))
    found = (u - v) * (2 + above) / (n * r) * total
    return min(max(found, 0.0) * (1 + 1e-12) + TAIL, 1.0)


def _nodes(pair: Counts) -> int:
    """More values of m where it varies more, in comparison with all that is counted."""
    return min(10, 4 + int(600 * sqrt(max(1 - pair.own - pair.other, 0.0) * exp(pair.local) / pair.people)))


def _mean_excess(k: Floats, beyond: Floats) -> tuple[Floats, Floats]:
    """E[(X_k - t)+] for X_k ~ Bin(k, 1/2), t = k/2 + beyond, for consecutive k; and a bound on its rounding.

    With j the first whole number above t and T_k = Pr[X_k >= j]:

        E[(X_k - t)+] = j/2 Pr[X_k = j] - beyond T_k
        T_(k+1) = T_k + Pr[X_k = j - 1]/2  if j stays,    T_k - Pr[X_k = j]/2  if j grows by one
    """
    first = np.floor(k / 2 + beyond) + 1  # j
    below = chances(k, first - 1, 0.5)
    at = below * (k - first + 1) / first
    steps = np.where(np.diff(first) > 0.5, -at[:-1] / 2, below[:-1] / 2)
    upwards = beyond[0] / np.sqrt(max(k[0], 1)) > beyond[-1] / np.sqrt(max(k[-1], 1))  # begin at the smaller tail
    start = 0 if upwards else -1
    seed = _tail(float(k[start]), float(first[start]))
    signed = steps if upwards else -steps[::-1]
    tails = np.concatenate(([seed], seed + np.cumsum(signed)))
    relative = rounding(float(np.max(first - k / 2)))
    sizes = np.concatenate(([seed], np.abs(signed)))
    slack = 2 * (relative * np.cumsum(sizes) + UNIT * np.cumsum(np.abs(tails) + sizes))
    if not upwards:
        tails, slack = tails[::-1], slack[::-1]
    leading = first / 2 * at
    return leading - beyond * tails, beyond * slack + 2 * relative * (leading + beyond * np.abs(tails))


def _tail(k: float, first: float) -> float:
    """Pr[Bin(k, 1/2) >= first] for first > k/2; what is left out is less than 1e-20 of it."""
    last = min(k, first + 5 * np.sqrt(k) + 10)
    return float(np.sum(chances(k, np.arange(first, last + 1), 0.5)))
