"""Estimated totals with their covariances: the one rule for the variance of an answer.

Users are independent, so with z a user's score and w its mean, Cov = sum z_i z_j - sum w_i w_j. The second sum is itself a
total, estimated as any other (`squares`); where it is not one (several rows per user), (sum z_i)(sum z_j) / n takes its place,
which never makes the error look smaller than it is on average. A single total of amounts f >= 0 allows more: a user's
w = sum f over rows has w^2 >= sum f^2, which is a total (`several`).

Where a share p of people take part, totals are divided by p, the first sum by p^2 and the second, which is one over those who
do, by p: the sampling is in the error. No variance is below its floor, the noise that devices add; among a handful of users
an estimate that is negative becomes their second moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from untold.ask.question.model import Floats
from untold.ask.scores.over_time import Sampling

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


class TotalsAsked(Protocol):
    """Totals in the form that a route works with, for all groups of the sensitive keys at once.

    pairs     of totals that formulas combine
    squares   (i, j) -> the total of w_i w_j; nothing where only the spread between users is known
    several   i -> the total of f^2 over rows, where a user may have several and no f is below zero
    """

    @property
    def count(self) -> int:
        """Of groups."""

    @property
    def totals(self) -> Sequence[Any]: ...
    @property
    def pairs(self) -> Sequence[Pair]: ...
    @property
    def squares(self) -> Mapping[Pair, Any]: ...
    @property
    def several(self) -> Mapping[int, Any]: ...


class Evidence(Protocol):
    """What some reports, or a plan alone, say about a question: one number for each group."""

    @property
    def users(self) -> float: ...
    def first(self, total: Any) -> Floats:
        """Sums of scores."""

    def second(self, left: Any, right: Any) -> Floats:
        """Sums of products of scores."""

    def noise(self, left: Any, right: Any) -> Floats | None:
        """What the design draws for totals of zero: no covariance is less. None: unknown."""

    def between(self, totals: Sequence[Any], weights: Floats) -> Floats | None:
        """Sums of products of scores of two groups each, (groups, groups): a score is the sum of those of totals, each times its
        weight in the group, (groups, totals). None: unknown."""

    def leaning(self, totals: Sequence[Any], weights: Floats) -> Floats | None:
        """Of each group the sum of third powers of such scores over that of their squares: how a variance grows with its number.
        None: unknown."""

    def score_size(self, total: Any) -> Floats | None:
        """The size of the scores that carry a total, for the note on few reports. None: no few of them carry a number."""


@dataclass
class MeanSize:
    """The size of scores z, each as often as its square says: E|z|^3 / E[z^2], at most max |z|.

    Messages of a view are taken to be equally likely: a rare large score counts however few reports there are.
    """

    cubes: Floats | float = 0.0
    squares: Floats | float = 0.0

    def add(self, scores: Floats, chance: float) -> None:
        """The scores of the messages of a view (the last axis), and how often that is picked."""
        sizes = np.abs(scores)
        self.cubes = self.cubes + chance * (sizes**3).mean(axis=-1)
        self.squares = self.squares + chance * (sizes**2).mean(axis=-1)

    @property
    def mean(self) -> Floats:
        """0 where all scores are."""
        squares = np.asarray(self.squares, dtype=np.float64)
        return np.divide(self.cubes, squares, out=np.zeros_like(squares), where=squares > 0)


def totals(asked: TotalsAsked, evidence: Evidence, sampling: Sampling = EVERYBODY, known: bool = False) -> Totals:
    """Of all groups, with covariances: the only rule for variances. `known`: they are expected ones, of a forecast."""
    users, share, size = evidence.users, sampling.share, len(asked.totals)
    values = np.zeros((asked.count, size))
    for i, total in enumerate(asked.totals):
        values[:, i] = evidence.first(total)
    covariance, floor = np.zeros((2, asked.count, size, size))
    alone = np.zeros((asked.count, size))
    for i, j in asked.pairs:
        left, right = asked.totals[i], asked.totals[j]
        together = evidence.second(left, right) / share**2
        noise = evidence.noise(left, right)
        least = np.zeros(asked.count) if noise is None else noise / share**2
        if (i, j) in asked.squares:
            found = together - evidence.first(asked.squares[i, j]) / share
        else:
            taken = sampling.spread * values[:, i] * values[:, j] / (max(users, 1) * share**2)
            found = (together - taken) * users / (users - 1) if users > 1 else together
        if i == j:
            single = found
            if i in asked.several and users > 1:
                single = np.minimum(found, together - evidence.first(asked.several[i]))
            alone[:, i] = _at_least(single, together, least, users)
            found = _at_least(found, together, least, users)
        covariance[:, i, j] = covariance[:, j, i] = found
        floor[:, i, j] = floor[:, j, i] = least
    return Totals(values / share, covariance, floor, alone, known)


def between_groups(asked: TotalsAsked, evidence: Evidence, sampling: Sampling, weights: Floats) -> Floats | None:
    """Covariances of two groups each, of the weighted sums of their totals. Nobody is in two groups, so nothing is taken off.
    None where that is not so, or not known."""
    if any((i, i) not in asked.squares for i in range(len(asked.totals)) if weights[:, i].any()):
        return None
    found = evidence.between(asked.totals, weights)
    return None if found is None else found / sampling.share**2


def leaning_of(asked: TotalsAsked, evidence: Evidence, sampling: Sampling, weights: Floats) -> Floats | None:
    """By how much the variance of each group grows with its number, for the weighted sums of totals; None: unknown."""
    found = evidence.leaning(asked.totals, weights)
    return None if found is None else found / sampling.share


def _at_least(found: Floats, together: Floats, least: Floats, users: float) -> Floats:
    return np.maximum(np.where((found < 0) & (users < FEW), together, found), np.maximum(least, 0.0))
