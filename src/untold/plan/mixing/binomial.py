"""Chances of binomial counts, for numbers of people at which factorials overflow, with a bound on their rounding."""

from __future__ import annotations

from math import factorial, log, log1p, pi
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
EXACT = 16  # below, factorials are taken exactly
TABLE = np.array([0.0] + [log(factorial(n)) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi) for n in range(1, EXACT)])
UNIT = 2.0**-52


def chances(n: Any, k: Any, q: float) -> Floats:
    """Pr[Bin(n, q) = k], element by element; 0 outside 0..n. For 0 < q < 1.

    As Loader has it (Fast and Accurate Computation of Binomial Probabilities, 2000): the deviance of k from n q, and
    Stirling's errors of n, k and n - k.
    """
    n, k = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(k, np.float64))
    inside = (k > 0) & (k < n)
    safe_n = np.where(inside, n, 2.0)
    safe_k = np.where(inside, k, 1.0)
    rest = safe_n - safe_k
    exponent = _stirling(safe_n) - _stirling(safe_k) - _stirling(rest)
    exponent -= _deviance(safe_k, safe_n * q) + _deviance(rest, safe_n * (1 - q))
    middle = np.exp(exponent) * np.sqrt(safe_n / (2 * pi * safe_k * rest))
    ends = np.where(k == 0, np.exp(n * log1p(-q)), 0.0) + np.where((k == n) & (n > 0), np.exp(n * log(q)), 0.0)
    return np.where(inside, middle, np.where((k >= 0) & (k <= n), ends, 0.0))


def rounding(widest: float) -> float:
    """A bound on the relative error of `chances`, for counts up to `widest` from their mean (docs/mixing.md, section 4)."""
    return UNIT * (512 + 32 * widest)


def window(n: int, q: float, tail: float) -> tuple[int, int]:
    """The least and the greatest count, such that Bin(n, q) is outside with probability `tail` at most: Chernoff's bound
    Pr[X >= k] <= exp(-n KL(k/n, q)), and the same below."""
    return _edge(n, q, tail / 2, -1), _edge(n, q, tail / 2, 1)


def _edge(n: int, q: float, tail: float, sign: int) -> int:
    """The count nearest to the mean beyond which, in a direction, the bound is at most `tail`; 0 or n if there is none."""
    limit = -log(tail)
    near, far = int(n * q) + (sign > 0), n if sign > 0 else 0
    if _divergence(n, far, q) < limit * (1 + 1e-9):
        return far
    while abs(far - near) > 1:
        middle = (near + far) // 2
        if _divergence(n, middle, q) < limit * (1 + 1e-9):
            near = middle
        else:
            far = middle
    return near


def _divergence(n: int, k: int, q: float) -> float:
    """n KL(k/n, q)."""
    upper = k * log(k / (n * q)) if k else 0.0
    return upper + ((n - k) * log((n - k) / (n * (1 - q))) if k < n else 0.0)


def _stirling(n: Floats) -> Floats:
    """log n! - log of Stirling's formula."""
    square = 1 / (n * n)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / n
    return np.where(n < EXACT, TABLE[np.minimum(n, EXACT - 1).astype(np.int64)], series)


def _deviance(x: Floats, mean: Floats) -> Floats:
    """x log(x/mean) + mean - x, without cancellation of the large parts."""
    by = (x - mean) / mean
    return np.asarray(x * np.log1p(by) - (x - mean))
