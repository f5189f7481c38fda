"""Poisson resamples of counts: the bootstrap of people who are only counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from untold.randomness import BulkRandomness

Floats = npt.NDArray[np.float64]
SMALL = 30.0  # above, a rounded normal is as good


def poisson(means: Floats, rng: BulkRandomness) -> Floats:
    """Independent Poisson numbers with these means, by inversion for small ones."""
    words = rng.words((2, means.size)) >> np.uint64(11)
    first, second = ((words.astype(np.float64) + 0.5) * 2.0**-53).reshape(2, *means.shape)
    normal = np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second)
    large = np.maximum(np.rint(means + np.sqrt(means) * normal), 0.0)
    few = np.minimum(means, SMALL)
    chance = np.exp(-few)
    below, small, k = chance.copy(), np.zeros_like(means), 0
    while (above := first > below).any() and k < 200:
        small += above
        k += 1
        chance = chance * few / k
        below += chance
    return np.asarray(np.where(means < SMALL, small, large))
