"""OUE, and Norm-Sub: what all of these methods are made of."""

from __future__ import annotations

import numpy as np

from untold.ask.decoded.norm_sub import norm_sub

Floats = np.ndarray


def oue_shares(cells: Floats, count: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Shares of people in each cell, as estimated from one OUE report of each.

    A report supports the true cell with probability 1/2, each other one with 1 / (e^eps + 1).
    """
    people, q = len(cells), 1 / (np.exp(epsilon) + 1)
    true = np.bincount(cells, minlength=count)
    supports = rng.binomial(true, 0.5) + rng.binomial(people - true, q)
    return np.asarray((supports / max(people, 1) - q) / (0.5 - q))


def oue_variance(people: float, epsilon: float) -> float:
    """Of one share near 0."""
    return float(4 * np.exp(epsilon) / (people * (np.exp(epsilon) - 1) ** 2))


def without_negatives(shares: Floats) -> Floats:
    """Norm-Sub: the nearest shares that are not negative and add up to 1."""
    flat = np.asarray(shares, dtype=float).reshape(1, -1)
    return np.asarray(norm_sub(flat + (1 - flat.sum()) / flat.size)[0]).reshape(np.shape(shares))


def groups_of(people: int, count: int, rng: np.random.Generator) -> list[Floats]:
    """People in random groups of equal size."""
    return np.array_split(rng.permutation(people), count)
