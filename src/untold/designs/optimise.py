"""Chooses the share of reports for each view, so that the errors of a workload are as small as possible.

With a_l = 1 / (k_l v_l) what one report of view l tells, and Lambda_j = sum over views l >= j of pi_l a_l, the
variance of the best linear estimate is proportional to sum_j c_j / Lambda_j. Its minimum over pi is the fixed point
of

    pi_l <- pi_l sqrt(a_l sum_{j <= l} c_j / Lambda_j^2),  normalised.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Reach = npt.NDArray[np.bool_]

STEPS = 400
NEGLIGIBLE = 0.004  # a view that adds less than this to every band it reaches is left out


def reach(views: npt.NDArray[np.int64], bands: npt.NDArray[np.int64]) -> Reach:
    """Which view (row) is fine enough for which band (column): l >= j in every attribute."""
    fine = np.ones((len(views), len(bands)), dtype=bool)
    for i in range(views.shape[1]):
        fine &= views[:, i][:, None] >= bands[:, i][None, :]
    return fine


def optimise(information: Floats, reaches: Reach, energy: Floats, steps: int = STEPS) -> Floats:
    """The probabilities pi; `information` is a_l, `energy` is c_j."""
    told = reaches * information[:, None]
    pi = np.full(len(information), 1 / len(information))
    for _ in range(steps):
        precision = pi @ told
        gain = told @ (energy / precision**2)
        grown = pi * np.sqrt(gain)
        grown /= grown.sum()
        if np.abs(grown - pi).max() < 1e-9:
            break
        pi = grown
    return pi


def cost(information: Floats, reaches: Reach, energy: Floats, pi: Floats) -> float:
    """sum_j c_j / Lambda_j."""
    return float((energy / (pi @ (reaches * information[:, None]))).sum())


def worth_keeping(information: Floats, reaches: Reach, pi: Floats) -> npt.NDArray[np.bool_]:
    """Views that give a noticeable share of what is known in at least one band."""
    told = reaches * (pi * information)[:, None]
    return np.asarray((told / told.sum(axis=0)).max(axis=1) > NEGLIGIBLE)
