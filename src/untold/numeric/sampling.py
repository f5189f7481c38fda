"""Many numbers of one person: report one of them, picked at random, with the whole budget."""

from __future__ import annotations

from collections.abc import Sequence

from untold.numeric.base import Numeric
from untold.randomness import Randomness


def encode_sampled(mechanism: Numeric, numbers: Sequence[float], rng: Randomness) -> tuple[int, int]:
    """(dimension, answer): the dimension is uniform and independent of the data, so the loss is that of one answer.

    Splitting epsilon over d dimensions instead multiplies the variance of each by about d^2, sampling by d [fusion
    paper, section 6.3].
    """
    dimension = rng.below(len(numbers))
    return dimension, mechanism.encode(numbers[dimension], rng)
