"""Estimated totals with their covariances, from the moments of a scan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from untold.question.model import Floats
from untold.scores.over_time import Sampling
from untold.scores.scan import Moments

EVERYBODY = Sampling()
FEW = 30  # users: an estimated variance may come out negative among so few
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Totals:
    """Estimates of some totals with their covariances: `values[i]`, `covariance[i, j]`.

    floor   what the covariance is at least, whatever people hold: the noise that devices add. None: unknown
    alone   variances of single totals, where more is known of them than of their combinations. None: the diagonal
    known   whether the values are expected ones, of a forecast, and no estimates: what a product is too large by is then nothing
    """

    values: Floats
    covariance: Floats
    floor: Floats | None = None
    alone: Floats | None = None
    known: bool = False

    @property
    def variances(self) -> Floats:
        """Of each total."""
        return np.diag(self.covariance) if self.alone is None else self.alone

    def variance_of(self, gradient: Floats) -> float:
        """Variance of a linear combination."""
        (used,) = np.nonzero(gradient)
        if len(used) == 1 and np.isfinite(gradient).all():
            return float(gradient[used[0]] ** 2 * self.variances[used[0]])
        return float(self.joint(gradient[None])[0, 0])

    def joint(self, gradients: Floats) -> Floats:
        """Covariances of several linear combinations, one in each row: a covariance matrix, and not below its floor."""
        if not np.isfinite(gradients).all():
            return np.full((len(gradients), len(gradients)), np.nan)
        found = gradients @ self.covariance @ gradients.T
        floor = np.zeros_like(found) if self.floor is None else gradients @ self.floor @ gradients.T
        return raised(found, floor)


def raised(covariance: Floats, floor: Floats) -> Floats:
    """The nearest matrix that exceeds a floor by something positive semidefinite, each axis measured in units of its own.

    An estimated covariance is a difference of two sums, and among few reports it may by chance come out lower than any
    data allow, even negative: an error of 0 for a number that is wrong.
    """
    excess = (covariance - floor + (covariance - floor).T) / 2
    units = np.sqrt(np.abs(np.diag(covariance)) + np.abs(np.diag(floor)))
    units[units == 0] = 1.0
    values, vectors = np.linalg.eigh(excess / np.outer(units, units))
    if values.min(initial=0.0) >= -1e-12:
        return covariance
    return np.asarray(floor + (vectors * np.maximum(values, 0.0) @ vectors.T) * np.outer(units, units))


def totals_from(
    moments: Moments,
    numbers: Sequence[int],
    pairs: Mapping[Pair, int],
    squares: Mapping[Pair, int],
    sampling: Sampling = EVERYBODY,
    noise: Callable[[Pair, Moments], float] | None = None,
    several: Mapping[int, int] | None = None,
) -> Totals:
    """Values and covariances of the totals with these numbers.

    Users are independent, so with z a user's score and w its mean, Cov = sum z_i z_j - sum w_i w_j. The second sum is
    itself a total, estimated as any other (`squares`); where it is not one (several rows per user), (sum z_i)(sum
    z_j) / n takes its place, which never makes the error look smaller than it is on average. A single total of amounts
    f >= 0 allows more: a user's w = sum f over rows has w^2 >= sum f^2, which is a total (`several`).

    Where a share p of people take part, totals are divided by p, the first sum by p^2 and the second, which is one over
    those who do, by p: the sampling is in the error.

    noise   what the covariance of a pair is at least; see scores/noise_floor.py
    """
    values, share = moments.first[list(numbers)], sampling.share
    covariance, floor = (np.zeros((len(numbers), len(numbers))) for _ in range(2))
    alone = np.zeros(len(numbers))
    n = moments.users
    for a, i in enumerate(numbers):
        for b, j in enumerate(numbers[: a + 1]):
            pair = (i, j) if (i, j) in pairs else (j, i)
            if pair not in pairs:
                continue
            together = float(moments.second[pairs[pair]]) / share**2
            least = 0.0 if noise is None else noise(pair, moments) / share**2
            if pair in squares:
                found = together - float(moments.first[squares[pair]]) / share
            else:
                spread = sampling.spread * values[a] * values[b] / (n * share**2) if n > 1 else 0.0
                found = (together - spread) * n / (n - 1) if n > 1 else together
            if a == b:
                alone[a] = found
                if several is not None and i in several and n > 1:
                    alone[a] = max(min(found, together - float(moments.first[several[i]])), least, 0.0)
                found = at_least(found, together, least, n)
                alone[a] = at_least(alone[a], together, least, n)
            covariance[a, b] = covariance[b, a] = found
            floor[a, b] = floor[b, a] = least
    return Totals(values / share, covariance, floor, alone)


def at_least(found: float, together: float, least: float, users: int) -> float:
    """An estimated variance, not below its floor. Among a handful of users a negative one becomes their second moment."""
    if found < 0 and users < FEW:
        return max(together, least)
    return max(found, least)
