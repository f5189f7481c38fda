"""What an audit of so many runs can find, and what it cannot."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, log, sqrt

from untold.auditing.bounds import least_log_ratio

LIKELY = 0.84  # standard deviations that a count may fall on the wrong side: an excess is found 8 times out of 10
FIRST, LAST = 100, 1 << 22  # runs on either side that are thought of


@lru_cache(maxsize=4096)
def finds(spent: float, bound: float, runs: int, alpha: float) -> bool:
    """Whether a client that spends `spent` is most likely caught where `bound` is allowed.

    Taken is an answer of yes or no under randomised response: the event `yes` has the probabilities e^s / (1 + e^s) and
    1 / (1 + e^s). Other events of the same ratio are rarer and need more runs.
    """
    n = runs // 2  # the other half chooses the event
    p = 1 / (1 + exp(-spent)) if spent < inf else 1.0
    apart = LIKELY * sqrt(n * p * (1 - p))
    seen = int(n * p - apart / sqrt(2))
    other = int(n * (1 - p) + apart / sqrt(2) + 0.999)
    return least_log_ratio(seen, min(other, n), n, alpha) > bound


def least_found(bound: float, runs: int, alpha: float) -> float:
    """The least that a client must spend to be caught 8 times out of 10; inf if even bare values are not."""
    if not finds(inf, bound, runs, alpha):
        return inf
    low, high = bound, bound + 1.0
    while high < bound + 64 and not finds(high, bound, runs, alpha):
        high += 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if finds(middle, bound, runs, alpha) else (middle, high)
    return high


def runs_needed(spent: float, bound: float, alpha: float) -> int | None:
    """How many runs on either side catch a client that spends `spent`; None if more than four million."""
    low, high = FIRST, FIRST
    while not finds(spent, bound, high, alpha):
        low, high = high, high * 2
        if high > LAST:
            return None
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if finds(spent, bound, middle, alpha) else (middle, high)
    return high


def least_bare_share(bound: float, runs: int, alpha: float) -> float | None:
    """A client that is honest but for some records, which it sends bare: the least share of these that is caught 8 times out
    of 10, where each run draws its own records; None if not even all of them are."""
    if not finds(inf, bound, runs, alpha):
        return None
    honest = 1 / (1 + exp(-bound))
    for percent in range(1, 101):
        share = percent / 100
        lies = (1 - share) * (1 - honest)
        if finds(log((1 - lies) / lies) if lies else inf, bound, runs, alpha):
            return share
    return None
