"""Tails of the binomial distribution, to many digits: how often chance supports a cell so often."""

from __future__ import annotations

from math import lgamma, log, sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SMALL = 1e-12
FAR = 60.0  # standard deviations, beyond any threshold


def tail(least: int, n: int, q: float) -> float:
    """P(X >= least) for X ~ Binomial(n, q): the first term, and how much smaller each next one is.

    >>> round(tail(8, 10, 0.5), 6), tail(0, 10, 0.5)
    (0.054688, 1.0)
    """
    if least <= 0:
        return 1.0
    if least > n:
        return 0.0
    if least <= n * q:
        return 1.0 - (1.0 - _summed(least, n, q) if n < 64 else _below(least, n, q))
    return _summed(least, n, q)


def _below(least: int, n: int, q: float) -> float:
    """P(X < least), as a tail of the failures."""
    return _summed(n - least + 1, n, 1 - q)


def _summed(least: int, n: int, q: float) -> float:
    term = np.exp(lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) + least * log(q) + (n - least) * log(1 - q))
    total, ratio, x = float(term), q / (1 - q), least
    while x < n:
        term *= (n - x) / (x + 1) * ratio
        total += float(term)
        x += 1
        if term < SMALL * total and x > n * q:
            break
    return min(total, 1.0)


def threshold(chance: float, n: int, q: float) -> int:
    """The least number that Binomial(n, q) reaches with at most this chance.

    >>> threshold(0.06, 10, 0.5), threshold(0.05, 10, 0.5)
    (8, 9)
    """
    low = int(n * q)
    high = min(n + 1, int(n * q + FAR * sqrt(n * q * (1 - q)) + FAR))
    while low < high:
        middle = (low + high) // 2
        if tail(middle, n, q) <= chance:
            high = middle
        else:
            low = middle + 1
    return low
