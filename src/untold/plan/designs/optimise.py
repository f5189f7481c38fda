"""Chooses the share of reports for each view: the shares with the least mean log variance of what is asked.

With a_l = 1 / (k_l v_l) what one report of view l tells, Lambda_j = sum over views l >= j of pi_l a_l, and c_j(A) the
mean energy in band j of queries over the attributes A, the variance of the best linear estimate is in proportion to

    V_A = sum_j c_j(A) / Lambda_j

The sum over A of W_A log V_A (shares W_A, together 1) is minimised by the fixed point of

    g_l = a_l sum_{j <= l} c_j / Lambda_j^2,   c_j = sum_A (W_A / V_A) c_j(A),   pi_l <- pi_l sqrt(g_l), normalised.

The logarithm is concave, so the step for fixed weights W_A / V_A never makes the objective worse. At the minimum no g_l
exceeds 1. Against any other design on the same views (V', Lambda') this gives, by Cauchy and Schwarz,

    1 >= sum_l pi'_l g_l = sum_A (W_A / V_A) sum_j c_j(A) Lambda'_j / Lambda_j^2 >= sum_A W_A V_A / V'_A

so queries with a share W have on average at most 1 / W times the variance of a design made for them alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

STEPS = 400
QUICK = 60  # steps that are enough to compare fan-outs
SETTLED = 1e-6  # by how much a g_l may exceed 1
NEGLIGIBLE = 0.004  # a type of view that adds less than this to every band it reaches is left out


@dataclass(frozen=True)
class Problem:
    """Views, what they tell about which band, and what each set of attributes asks of which band: sparse tables."""

    views: Integers  # of each pair (view, band), in the order of views
    bands: Integers
    told: Floats  # what a report picked among the views of this type tells about the band
    sets: Integers  # of each pair (set, band)
    asked: Integers
    energy: Floats
    shares: Floats  # W of each set, together 1
    lost: float = 0.0  # the share of all energy that no view reaches

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many views and bands there are."""
        return int(self.views.max()) + 1, int(self.bands.max()) + 1

    def precision(self, pi: Floats) -> Floats:
        """Lambda of every band."""
        return _sums(self.bands, pi[self.views] * self.told, self.size[1])

    def variances(self, precision: Floats) -> Floats:
        """V of every set."""
        return _sums(self.sets, self.energy / precision[self.asked], len(self.shares))

    def gains(self, precision: Floats, variances: Floats) -> Floats:
        """g of every view."""
        needed = _sums(self.asked, self.energy * (self.shares / variances)[self.sets], self.size[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(needed > 0, needed / precision**2, 0.0)
        return _sums(self.views, self.told * worth[self.bands], self.size[0])

    def cost(self, pi: Floats) -> float:
        """The mean log variance."""
        return float(self.shares @ np.log(self.variances(self.precision(pi))))

    def only(self, kept: npt.NDArray[np.bool_]) -> Problem:
        """The same with fewer views; every band that is asked for must stay within reach."""
        number = np.cumsum(kept) - 1
        held = kept[self.views]
        return replace(self, views=number[self.views[held]], bands=self.bands[held], told=self.told[held])


def _sums(places: Integers, values: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(places, values, count), dtype=np.float64)


def optimise(problem: Problem, steps: int = STEPS, start: Floats | None = None) -> Floats:
    """The probabilities pi."""
    many = problem.size[0]
    pi = np.full(many, 1 / many) if start is None else start
    for _ in range(steps):
        precision = problem.precision(pi)
        gains = problem.gains(precision, problem.variances(precision))
        if gains.max() <= 1 + SETTLED:
            break
        pi = pi * np.sqrt(gains)
        pi /= pi.sum()
    return pi


def worth_keeping(problem: Problem, pi: Floats) -> npt.NDArray[np.bool_]:
    """Views that give a noticeable share of what is known in at least one band that is asked for."""
    wanted = np.zeros(problem.size[1], dtype=bool)
    wanted[problem.asked] = True
    precision = np.where(wanted, problem.precision(pi), np.inf)
    share = pi[problem.views] * problem.told / precision[problem.bands]
    most = np.zeros(len(pi))
    np.maximum.at(most, problem.views, share)
    return np.asarray(most > NEGLIGIBLE)
