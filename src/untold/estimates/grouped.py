"""Totals of all groups with their covariances, from sums of scores and of products of scores that come as arrays over groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from untold.decoded.products import Together
from untold.estimates.measured import Block
from untold.estimates.totals import EVERYBODY, FEW, Totals
from untold.question.model import Floats
from untold.scores.grouped import Grouped, GroupedQuestion, GroupedTerm
from untold.scores.over_time import Sampling

First = Callable[[GroupedTerm], Floats]  # sum of scores over reports, broadcastable to the groups
Second = Callable[[GroupedTerm, GroupedTerm, tuple[Together, ...]], Floats]  # the sum of products of two
Pairs = dict[tuple[int, int], Floats]  # of each group


@dataclass(frozen=True, eq=False)
class GroupedMoments:
    """For each group (flat, in the order of the keys): sums of scores, of products, and of w_i w_j where they can be estimated.

    They scale with the number of users. `several` and `noise` are those of `totals_from`.
    """

    values: Floats  # (groups, totals)
    second: Pairs
    squares: Pairs
    several: dict[int, Floats] = field(default_factory=dict)
    noise: Pairs = field(default_factory=dict)

    def times(self, users: float) -> GroupedMoments:
        """The same for so many users, each as these are on average."""
        second, squares, noise = (
            {at: users * x for at, x in each.items()} for each in (self.second, self.squares, self.noise)
        )
        several = {at: users * x for at, x in self.several.items()}
        return GroupedMoments(users * self.values, second, squares, several, noise)

    def totals(self, users: float, sampling: Sampling = EVERYBODY, known: bool = False) -> Totals:
        """Of all groups, with covariances; see `totals_from`. `known`: they are expected ones, of a forecast."""
        groups, totals = self.values.shape
        covariance, floor = np.zeros((2, groups, totals, totals))
        alone = np.zeros((groups, totals))
        share = sampling.share
        for (i, j), second in self.second.items():
            together = second / share**2
            least = self.noise.get((i, j), np.zeros(groups)) / share**2
            if (i, j) in self.squares:
                found = together - self.squares[i, j] / share
            else:
                taken = sampling.spread * self.values[:, i] * self.values[:, j] / (max(users, 1) * share**2)
                found = (together - taken) * users / (users - 1) if users > 1 else together
            if i == j:
                single = np.minimum(found, together - self.several[i]) if i in self.several and users > 1 else found
                alone[:, i] = _at_least(single, together, least, users)
                found = _at_least(found, together, least, users)
            covariance[:, i, j] = covariance[:, j, i] = found
            floor[:, i, j] = floor[:, j, i] = least
        return Totals(self.values / share, covariance, floor, alone, known)


def _at_least(found: Floats, together: Floats, least: Floats, users: float) -> Floats:
    """`at_least` for all groups."""
    return np.maximum(np.where((found < 0) & (users < FEW), together, found), np.maximum(least, 0.0))


def grouped_moments(
    asked: GroupedQuestion, first: First, second: Second, noise: Second | None = None
) -> GroupedMoments:
    """Sums over the terms of every total."""
    shape, meeting = asked.shape, asked.together

    def added(total: Grouped) -> Floats:
        out = np.zeros(shape)
        for term in total:
            out += term.coefficient * first(term)
        return out.reshape(-1)

    def multiplied(i: int, j: int, product: Second) -> Floats:
        out = np.zeros(shape)
        for a in asked.totals[i]:
            for b in asked.totals[j]:
                out += a.coefficient * b.coefficient * product(a, b, meeting[i])
        return out.reshape(-1)

    columns = [added(total) for total in asked.totals]
    values = np.stack(columns, axis=1) if columns else np.zeros((int(np.prod(shape)), 0))
    return GroupedMoments(
        values,
        {(i, j): multiplied(i, j, second) for i, j in asked.pairs},
        {at: added(total) for at, total in asked.squares.items()},
        {at: added(total) for at, total in asked.several.items()},
        {(i, j): multiplied(i, j, noise) for i, j in asked.pairs} if noise else {},
    )


def measured_groups(
    asked: GroupedQuestion,
    moments: GroupedMoments,
    users: int,
    key: tuple[object, ...] = (),
    sampling: Sampling = EVERYBODY,
    known: bool = False,
) -> Block:
    """Totals of every combination of sensitive labels, among the rows of one combination of public keys."""
    every = list(product(*(group_key.labels for group_key in asked.keys)))
    return Block(key, every, moments.totals(users, sampling, known))
