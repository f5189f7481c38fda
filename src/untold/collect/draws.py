"""Uniform random integers in bulk, each below a bound of its own."""

from __future__ import annotations

import numpy as np

from untold.randomness import BulkRandomness, Words


def below_many(bounds: Words, rng: BulkRandomness) -> Words:
    """`Randomness.below` for an array of bounds: exactly uniform among 0..n-1 for each n.

    w // floor((2^64 - 1) / n), where words beyond the last full stretch are drawn again.
    """
    stretch = np.uint64(2**64 - 1) // bounds
    words = rng.words(bounds.shape)
    while (beyond := words >= bounds * stretch).any():
        words = np.where(beyond, rng.words(bounds.shape), words)
    return np.asarray(words // stretch)
