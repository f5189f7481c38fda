"""Exhaustive enumeration of functions whose number of draws has no bound: unlikely branches are given up and counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from untold.randomness import Exhaustive, Randomness

GIVEN_UP = "given up"


class Unlikely(Exception):
    """A branch below the floor."""


class Bounded(Exhaustive):
    """Gives up branches of probability below `floor`; their mass is the probability of the output GIVEN_UP."""

    def __init__(self, floor: float = 1e-14) -> None:
        super().__init__()
        self._floor = Fraction(floor)

    def choose(self, cumulative: Sequence[int]) -> int:
        self._check()
        return super().choose(cumulative)

    def below(self, n: int) -> int:
        self._check()
        return super().below(n)

    def _check(self) -> None:
        if self._probability < self._floor:
            raise Unlikely


def bounds(
    function: Callable[[Randomness], Hashable], floor: float = 1e-14
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Lower bounds of the probability of every output, and the mass that was given up: true values lie between."""

    def guarded(rng: Randomness) -> Hashable:
        try:
            return function(rng)
        except Unlikely:
            return GIVEN_UP

    found = Bounded(floor).distribution(guarded)
    missing = found.pop(GIVEN_UP, Fraction(0))
    assert sum(found.values()) + missing == 1
    return found, missing
