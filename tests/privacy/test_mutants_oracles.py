"""The exact privacy check can fail: oracles with one deliberate mistake each, all of them caught by it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

import pytest

from helpers.exact import exact_distributions, worst_ratio
from untold.exact import exp_at_most, tilt
from untold.oracles import AGR, GRR, OLH, OUE, SUE, Hadamard, Message, SubsetSelection
from untold.randomness import WORD


class LastBitForgotten(OUE):
    def encode(self, cell, rng):
        last = self.domain_size - 1
        bits = super().encode(cell, rng).extra[0] & ~(1 << last)
        return Message(0, (bits | (cell == last) << last,))


class RoundedTheWrongWay(GRR):
    """Floor and ceil swapped: each lie one unit lighter, and the truth heavier by what they lost."""

    @cached_property
    def weights(self):
        heavy, light = tilt(self.nano, self.domain_size, WORD - 1)
        return heavy + (self.domain_size - 1), light - 1


class OneLieMissing(GRR):
    def encode(self, cell, rng):
        offset = min(rng.tilted(*self.weights, self.domain_size), self.domain_size - 2)
        return Message((cell + offset) % self.domain_size)


class RareBitsRoundedDown(OUE):
    @cached_property
    def weights(self):
        return WORD // 2, tilt(self.nano, 2, WORD)[1] - 1


class EpsilonForEveryBit(SUE):
    @cached_property
    def weights(self):
        return tilt(self.nano, 2, WORD)


class FewerDrawsForTheTruth(SubsetSelection):
    """The right sets with the right probabilities, but the truth is told by one draw less."""

    def encode(self, cell, rng):
        k, w = self.domain_size, self.chosen
        lie = rng.choose((self.truth, WORD))
        others = [c for c in range(k) if c != cell]
        drawn = [others.pop(rng.below(len(others))) for _ in range(w - 1 + lie)]
        return Message(0, (sum(1 << c for c in drawn + [cell] * (1 - lie)),))


class SmallerSetForTheTruth(SubsetSelection):
    def encode(self, cell, rng):
        bits = super().encode(cell, rng).extra[0]
        lowest = (bits & ~(1 << cell)) & -(bits & ~(1 << cell))
        return Message(0, (bits ^ lowest * (bits >> cell & 1),))


class EpsilonTwice(Hadamard):
    @cached_property
    def weights(self):
        return tilt(2 * self.nano, 2, (WORD - 1) // self.rows)


class DirectionFromTheCell(AGR):
    def encode(self, cell, rng):
        direction, offset = divmod(rng.tilted(*self.weights, self.sides, self.directions), self.sides)
        direction = min(direction + cell, self.directions - 1)
        return Message(direction * self.sides + (self.project(direction, cell) + offset) % self.sides)


class SeedFromTheCell(OLH):
    def encode(self, cell, rng):
        rng.word()
        a, b = 2654435761 * (cell + 1) % 2**32, 12345
        return Message((self.hashed(a, b, cell) + rng.tilted(*self.weights, self.sides)) % self.sides, (a, b))


GIVES_AWAY = (  # with sizes at which the mistake can show: sets of two and more cells, more than one direction
    (LastBitForgotten, 1.0, 6),
    (LastBitForgotten, 8.0, 2),
    (OneLieMissing, 1.0, 6),
    (OneLieMissing, 0.1, 3),
    (FewerDrawsForTheTruth, 1.0, 6),
    (FewerDrawsForTheTruth, 4.0, 3),
    (SmallerSetForTheTruth, 0.5, 6),
    (DirectionFromTheCell, 0.5, 6),
    (DirectionFromTheCell, 2.0, 30),
    (SeedFromTheCell, 1.0, 6),
    (SeedFromTheCell, 4.0, 2),
)
SPENDS_MORE = (RoundedTheWrongWay, RareBitsRoundedDown, EpsilonForEveryBit, EpsilonTwice)


@pytest.mark.parametrize(("mutant", "epsilon", "size"), GIVES_AWAY)
def test_check_notices_an_output_that_gives_a_cell_away(mutant, epsilon, size):
    assert worst_ratio(exact_distributions(mutant(epsilon, size))) == inf


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("mutant", SPENDS_MORE, ids=lambda m: m.__name__)
def test_check_notices_a_ratio_above_epsilon(mutant, epsilon):
    m = mutant(epsilon, 4)
    worst = worst_ratio(exact_distributions(m))
    assert exp_at_most(m.nano) < worst < inf


def test_check_notices_one_part_in_two_to_the_sixty():
    m = RoundedTheWrongWay(1.0, 2)
    excess = worst_ratio(exact_distributions(m)) / exp_at_most(m.nano) - 1
    assert 0 < excess < Fraction(1, 2**60)


def test_fewer_draws_are_seen_only_by_counting_draws():
    """Without the number of draws this mutant looks like the honest oracle: the count is what catches it."""
    honest, hasty = SubsetSelection(1.0, 6), FewerDrawsForTheTruth(1.0, 6)

    def messages_only(oracle):
        merged = []
        for distribution in exact_distributions(oracle):
            merged.append({})
            for (message, _), chance in distribution.items():
                merged[-1][message] = merged[-1].get(message, 0) + chance
        return merged

    assert messages_only(hasty) == messages_only(honest)


@dataclass(frozen=True)
class Honest(GRR):
    """A subclass without a mistake passes: what is caught is the mistake, not the subclassing."""


def test_check_passes_an_honest_subclass():
    m = Honest(1.0, 4)
    assert worst_ratio(exact_distributions(m)) <= exp_at_most(m.nano)
