"""Totals of all groups with their covariances, from sums of scores and of products of scores that come as arrays over groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from untold.decoded.products import Together
from untold.estimates.estimate import EVERYBODY, FEW, Totals
from untold.estimates.rows import Measured
from untold.question.model import Floats
from untold.scores.grouped import Grouped, GroupedQuestion, GroupedTerm
from untold.scores.over_time import Sampling

First = Callable[[GroupedTerm], Floats]  # sum of scores over reports, broadcastable to the groups
Second = Callable[[GroupedTerm, GroupedTerm, tuple[Together, ...]], Floats]  # the sum of products of two


@dataclass(frozen=True, eq=False)
class GroupedMoments:
    """For each group (flat, in the order of the keys): sums of scores, of products, and of w_i w_j where they can be estimated.

    They scale with the number of users.
    """

    values: Floats  # (groups, totals)
    second: dict[tuple[int, int], Floats]
    squares: dict[tuple[int, int], Floats]

    def times(self, users: float) -> GroupedMoments:
        """The same for so many users, each as these are on average."""
        second, squares = ({at: users * x for at, x in each.items()} for each in (self.second, self.squares))
        return GroupedMoments(users * self.values, second, squares)

    def covariances(self, users: float, sampling: Sampling = EVERYBODY) -> Floats:
        """Covariances of the totals, (groups, totals, totals); see `totals_from`."""
        groups, totals = self.values.shape
        out = np.zeros((groups, totals, totals))
        share = sampling.share
        for (i, j), second in self.second.items():
            together = second / share**2
            if (i, j) in self.squares:
                found = together - self.squares[i, j] / share
            else:
                taken = sampling.spread * self.values[:, i] * self.values[:, j] / (max(users, 1) * share**2)
                found = (together - taken) * users / (users - 1) if users > 1 else together
            if i == j:  # a handful of users, by chance: their whole second moment bounds it
                found = np.where(found < 0, together if users < FEW else 0.0, found)
            out[:, i, j] = out[:, j, i] = found
        return out


def grouped_moments(asked: GroupedQuestion, first: First, second: Second) -> GroupedMoments:
    """Sums over the terms of every total."""
    shape, meeting = asked.shape, asked.together

    def added(total: Grouped) -> Floats:
        out = np.zeros(shape)
        for term in total:
            out += term.coefficient * first(term)
        return out.reshape(-1)

    def multiplied(i: int, j: int) -> Floats:
        out = np.zeros(shape)
        for a in asked.totals[i]:
            for b in asked.totals[j]:
                out += a.coefficient * b.coefficient * second(a, b, meeting[i])
        return out.reshape(-1)

    columns = [added(total) for total in asked.totals]
    values = np.stack(columns, axis=1) if columns else np.zeros((int(np.prod(shape)), 0))
    together = {(i, j): multiplied(i, j) for i, j in asked.pairs}
    return GroupedMoments(values, together, {at: added(total) for at, total in asked.squares.items()})


def measured_groups(
    asked: GroupedQuestion,
    moments: GroupedMoments,
    users: int,
    key: tuple[object, ...] = (),
    sampling: Sampling = EVERYBODY,
) -> list[Measured]:
    """Totals of every combination of sensitive labels, among the rows of one combination of public keys."""
    covariances, scaled = moments.covariances(users, sampling), moments.values / sampling.share
    every = product(*(group_key.labels for group_key in asked.keys))
    return [
        Measured(key, number, labels, Totals(values, covariance))
        for number, (labels, values, covariance) in enumerate(zip(every, scaled, covariances, strict=True))
    ]
