"""The exact privacy loss of shipped code: every branch of its draws walked, in rational arithmetic.

What an observer sees of a report is the message and how long it took to make: a different number of draws counts as a
different output.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import inf

from untold.oracles import Message, Oracle
from untold.randomness import Exhaustive

Distribution = dict[tuple[Message, int], Fraction]


class Watched(Exhaustive):
    """Exhaustive enumeration that can tell how many draws this walk has made."""

    @property
    def draws(self) -> int:
        return len(self._sizes)


def exact_distributions(oracle: Oracle) -> list[Distribution]:
    """For every true cell, the exact probability of every (message, number of draws)."""
    rng = Watched()
    return [
        rng.distribution(lambda draw, cell=cell: (oracle.encode(cell, draw), rng.draws))
        for cell in range(oracle.domain_size)
    ]


def worst_ratio(distributions: Sequence[dict[Hashable, Fraction]]) -> Fraction | float:
    """The largest ratio of the probabilities of one output under two cells; inf if only one of them can produce it."""
    outputs = set().union(*distributions)
    worst = Fraction(1)
    for output in outputs:
        chances = [d.get(output, Fraction(0)) for d in distributions]
        if min(chances) == 0:
            return inf
        worst = max(worst, max(chances) / min(chances))
    return worst


def support_probability(oracle: Oracle, distribution: Distribution, cell: int) -> Fraction:
    """The exact probability that a message from this distribution supports `cell`."""
    return sum((chance for (m, _), chance in distribution.items() if oracle.supports(m, cell)), start=Fraction(0))
