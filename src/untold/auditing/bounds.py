"""What counts of an event say about its probabilities, with a stated confidence and no approximation."""

from __future__ import annotations

from functools import lru_cache
from math import inf, log

import numpy as np
import numpy.typing as npt

STEPS = 50  # halvings of [0, 1]


@lru_cache(maxsize=8)
def _log_choose(n: int) -> npt.NDArray[np.float64]:
    """log C(n, k) for k in 0..n."""
    sums = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    return np.asarray(sums[n] - sums - sums[::-1])


def at_least(k: int, n: int, p: float) -> float:
    """The probability of k or more successes among n of probability p."""
    if k <= 0 or p >= 1:
        return 1.0
    if p <= 0:
        return 0.0
    counts = np.arange(k, n + 1)
    return min(1.0, float(np.exp(_log_choose(n)[k:] + counts * log(p) + (n - counts) * np.log1p(-p)).sum()))


def lowest(k: int, n: int, alpha: float) -> float:
    """The bound of Clopper and Pearson: a probability below it gives k or more of n with a probability below alpha.

    >>> round(lowest(10, 10, 0.05), 4), lowest(0, 10, 0.05)
    (0.7411, 0.0)
    """
    if k == 0:
        return 0.0
    low, high = 0.0, k / n
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_least(k, n, middle) < alpha else (low, middle)
    return low


def highest(k: int, n: int, alpha: float) -> float:
    """The bound from above.

    >>> round(highest(0, 10, 0.05), 4)
    0.2589
    """
    return 1.0 - lowest(n - k, n, alpha)


def log_ratio(k: int, other: int, n: int) -> float:
    """The log of the ratio of two counts among n."""
    return -inf if k == 0 else inf if other == 0 else log(k / other)


def least_log_ratio(k: int, other: int, n: int, alpha: float) -> float:
    """Below the log-ratio of the two probabilities with a confidence of at least 1 - alpha: alpha/2 for either of them."""
    low, high = lowest(k, n, alpha / 2), highest(other, n, alpha / 2)
    return -inf if low <= 0 else log(low / high)
