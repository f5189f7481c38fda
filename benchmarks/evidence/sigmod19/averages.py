"""One collection of HIO with OLH, and AVG of a public measure under a predicate, drawn from counts of people: the same distribution
as reports of single people would give, for hash functions that are independent from person to person.

A person picks one of V views. The query reads the views of its cover: N_l nodes in view l. A report of view l supports a node that
is not the true one with probability q, the true one with p. So of A people whose true cell is a node and B others, all with view l,

    supports = Binomial(A, p) + Binomial(A (N_l - 1) + B N_l, q)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untold.oracles import OLH


@dataclass(frozen=True)
class Asked:
    """Per view of the cover its number of nodes and the people whose true cell is one of them, by value of the measure; how many
    people are outside, by value; and V."""

    nodes: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]  # [view][value]
    outside: tuple[int, ...]  # [value]
    values: tuple[float, ...]
    views: int

    def truth(self) -> float:
        """R: AVG on the people themselves."""
        counts = np.sum(self.members, axis=0)
        return float(counts @ np.array(self.values) / counts.sum())


def made_up(
    truth: float,
    people: int,
    shares: Sequence[float],
    nodes: Sequence[int],
    views: int,
    values: Sequence[float],
    rest: Sequence[float],
) -> Asked:
    """People with the share `shares[l]` in the nodes of view l. A member's measure is 0 or spread like `rest` over `values`
    (without 0), with mean `truth`; all others are spread so too."""
    weights = np.array(rest) / sum(rest)
    some = truth / float(weights @ np.array(values))
    spread = np.concatenate([[1 - some], some * weights])

    def parted(n: float) -> tuple[int, ...]:
        whole = np.floor(n * spread).astype(int)
        whole[0] += round(n) - whole.sum()
        return tuple(whole.tolist())

    members = tuple(parted(people * share) for share in shares)
    return Asked(tuple(nodes), members, parted(people * (1 - sum(shares))), (0.0, *values), views)


def one_average(asked: Asked, epsilon: float, rng: np.random.Generator) -> float:
    """AVG = S / C from one collection, less its truth R, as (S - R C) / (true C): the same where C is well known, "
    "and with a mean and
    a variance where C may come out near 0."""
    oracle = OLH(epsilon, 1 << 20)
    p, q = float(oracle.p), float(oracle.q)
    read = len(asked.nodes)
    chances = [1 / asked.views] * read + [1 - read / asked.views]
    groups = np.array([*asked.members, asked.outside])  # [view of the true node, or none][value]
    picked = rng.multinomial(groups, chances)[:, :, :read]  # [...][view]
    count = np.zeros(len(asked.values))
    for view, nodes in enumerate(asked.nodes):
        reports = picked[:, :, view]
        own = reports[view]
        others = reports.sum(axis=0) - own
        supports = rng.binomial(own, p) + rng.binomial(own * (nodes - 1) + others * nodes, q)
        count += asked.views * (supports - q * nodes * (own + others)) / (p - q)
    away = np.array(asked.values) - asked.truth()
    return float(count @ away / np.sum(asked.members))
