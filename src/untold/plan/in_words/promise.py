"""Explains epsilon in plain words."""

from __future__ import annotations

from math import exp

from untold.exact import percent_range

GUESS = 0.1  # how likely somebody thinks a statement about a person is, before they see any report


def after_seeing(epsilon: float, guess: float = GUESS) -> tuple[float, float]:
    """The range in which a guess about a person can end after seeing reports of this epsilon: odds change by e^epsilon at most.

    >>> [round(share, 3) for share in after_seeing(2.0)]
    [0.015, 0.451]
    """
    odds = guess / (1 - guess)
    low, high = odds * exp(-epsilon), odds * exp(epsilon)
    return low / (1 + low), high / (1 + high)


def guess_in_words(epsilon: float) -> str:
    """What that means, as a sentence."""
    low, high = percent_range(*after_seeing(epsilon))
    return (
        f"Whoever thinks a statement about a person is {GUESS:.0%} likely can, after seeing this, "
        f"think it {low} to {high} likely"
    )
