"""Estimated totals with their covariances, from the moments of a scan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untold.question.model import Floats
from untold.scores.over_time import Sampling
from untold.scores.scan import Moments

EVERYBODY = Sampling()
FEW = 30  # users: an estimated variance may come out negative among so few
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Totals:
    """Estimates of some totals with their covariances: `values[..., i]`, `covariance[..., i, j]`; the axes before are groups.

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
        return np.diagonal(self.covariance, axis1=-2, axis2=-1) if self.alone is None else self.alone

    def at(self, place: Any) -> Totals:
        """Those of one group, or of some."""
        floor, alone = (None if each is None else each[place] for each in (self.floor, self.alone))
        return Totals(self.values[place], self.covariance[place], floor, alone, self.known)

    def variance_of(self, gradient: Floats) -> Floats:
        """Variance of a linear combination in each group, whose weights are the last axis."""
        used = gradient != 0
        alone = np.where(used, gradient**2 * self.variances, 0.0).sum(axis=-1)
        single = (used.sum(axis=-1) == 1) & np.isfinite(gradient).all(axis=-1)
        if single.all():
            return np.asarray(alone)
        return np.where(single, alone, self.joint(gradient[..., None, :])[..., 0, 0])

    def joint(self, gradients: Floats) -> Floats:
        """Covariances of several linear combinations, one in each row: a covariance matrix, and not below its floor."""
        finite = np.isfinite(gradients).all(axis=(-2, -1), keepdims=True)
        slopes = np.where(finite, gradients, 0.0)
        across = np.swapaxes(slopes, -2, -1)
        found = slopes @ self.covariance @ across
        floor = np.zeros_like(found) if self.floor is None else slopes @ self.floor @ across
        return np.where(finite, raised(found, floor), np.nan)


def stacked(totals: Sequence[Totals]) -> Totals:
    """Totals of several groups as one, along a first axis."""

    def each(name: str, other: Callable[[Totals], Floats]) -> Floats | None:
        if all(getattr(one, name) is None for one in totals):
            return None
        return np.stack([other(one) if getattr(one, name) is None else getattr(one, name) for one in totals])

    floor = each("floor", lambda one: np.zeros_like(one.covariance))
    alone = each("alone", lambda one: one.variances)
    values, covariance = np.stack([one.values for one in totals]), np.stack([one.covariance for one in totals])
    return Totals(values, covariance, floor, alone, all(one.known for one in totals))


def raised(covariance: Floats, floor: Floats) -> Floats:
    """The nearest matrix that exceeds a floor by something positive semidefinite, each axis measured in units of its own.

    An estimated covariance is a difference of two sums, and among few reports it may by chance come out lower than any
    data allow, even negative: an error of 0 for a number that is wrong.
    """
    excess = (covariance - floor + np.swapaxes(covariance - floor, -2, -1)) / 2
    sizes = (np.abs(np.diagonal(each, axis1=-2, axis2=-1)) for each in (covariance, floor))
    units = np.sqrt(sum(sizes, start=np.zeros(())))
    units = np.where(units == 0, 1.0, units)
    scale = units[..., :, None] * units[..., None, :]
    if covariance.shape[-1] == 1:
        return np.where(excess / scale < -1e-12, floor, covariance)
    values, vectors = np.linalg.eigh(np.nan_to_num(excess / scale))
    low = values.min(axis=-1, initial=0.0) < -1e-12
    if not low.any():
        return covariance
    mended = floor + (vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -2, -1) * scale
    return np.where(low[..., None, None], mended, covariance)


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
