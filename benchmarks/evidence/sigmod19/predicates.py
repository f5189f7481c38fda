"""Relative errors of HIO and SC by type of query, "ranges + categorical conditions", in closed form.

A range holds its share of evenly spread people; the asked value of a category is held by the same share. SC reports every level of
every attribute with epsilon / (number of levels); its score of a conjunction is the product of those of the attributes, so with
p nodes for an attribute, noise v and second moment v + c of the true cell,

    E[z^2] = prod over asked attributes of (p v + share c)                                    [SIGMOD'19, section 5.3]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi, prod, sqrt

import numpy as np

from benchmarks.evidence.hierarchies import noises, tree_of
from benchmarks.queries.variances import random_range
from untold.ask.scores.decompose import greedy

ZERO_HOURS, HOURS, SPREAD = (
    0.35,
    40.0,
    12.0,
)  # a made-up public measure: weekly hours of work, 0 for a third of all people
MEAN = (1 - ZERO_HOURS) * HOURS
SQUARE = (1 - ZERO_HOURS) * (HOURS**2 + SPREAD**2)


@dataclass(frozen=True)
class Kind:
    """How many ranges and how many categorical conditions; "2+1" has two and one."""

    ranges: int
    points: int

    @classmethod
    def read(cls, text: str) -> Kind:
        ranges, points = map(int, text.split("+"))
        return cls(ranges, points)


@lru_cache(maxsize=4096)
def nodes(m: int, share: float, seed: int) -> int:
    """Nodes of the cover of a random range that holds this share."""
    tree = tree_of(m)
    found = random_range(m, np.random.default_rng([7, seed]), share)
    return int(sum(level.sum() for level in greedy(tree, found).values()))


def sides(kind: Kind, m: int, selectivity: float, seed: int) -> tuple[list[int], float]:
    """Nodes of every asked attribute, and the share of people that each condition keeps."""
    share = selectivity ** (1 / (kind.ranges + kind.points))
    return [*(nodes(m, share, 10 * seed + i) for i in range(kind.ranges)), *[1] * kind.points], share


def hio_moment(
    kind: Kind, m: int, ordinals: int, categories: int, epsilon: float, selectivity: float, seed: int
) -> float:
    """E[z^2] of one report."""
    v, c = noises(epsilon)
    views = (tree_of(m).height + 1) ** ordinals * 2**categories
    return views * (v * prod(sides(kind, m, selectivity, seed)[0]) + c * selectivity)  # type: ignore[no-any-return]


def sc_moment(kind: Kind, m: int, levels: int, epsilon: float, selectivity: float, seed: int) -> float:
    """E[z^2] of one report that divides epsilon over so many levels."""
    v, c = noises(epsilon / levels)
    found, share = sides(kind, m, selectivity, seed)
    return prod(p * v + share * c for p in found)


def sum_error(moment: float, selectivity: float, users: float) -> float:
    """MRE of SUM of the public measure: mean |error| / answer."""
    return sqrt(2 / pi * SQUARE * (moment - selectivity) / users) / (selectivity * MEAN)


def average_error(moment: float, selectivity: float, users: float) -> float:
    """MRE of its AVG: only what differs from the mean adds noise."""
    return sqrt(2 / pi * (SQUARE - MEAN**2) * (moment - selectivity) / users) / (selectivity * MEAN)
