"""A star join over few things: how often its interval holds, computed exactly by going through all that they may say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from untold.ask.star.few import NORMAL, Laws, stretch

WRONG = [0.3, 0.146, 0.05, 0.0025]


def yes_or_no(wrong: float) -> Laws:
    """Things that say yes or no, and are wrong so often; scores are unbiased."""
    slope = 1 - 2 * wrong
    return Laws(np.array([[-wrong / slope, (1 - wrong) / slope]]), np.array([[1 - wrong, wrong], [wrong, 1 - wrong]]))


def held(laws: Laws, people: np.ndarray, truth: np.ndarray, longer: float) -> float:
    """The probability that the interval holds."""
    noise = (people**2).sum() * float(laws.chances[0] @ laws.scores[0] ** 2)  # the same for both answers
    reach, chance = longer * NORMAL * np.sqrt(noise), 0.0
    for said in product((0, 1), repeat=len(people)):
        error = (people * (laws.scores[0, list(said)] - truth)).sum()
        chance += (abs(error) <= reach) * laws.chances[truth, list(said)].prod()
    return chance


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "people", [np.full(6, 5.0), np.array([5.0, 4.0, 4.5, 1.0, 6.0, 5.5])], ids=["equal", "unequal"]
)
def test_the_interval_holds_whatever_is_true_of_six_things(wrong, people):
    laws = yes_or_no(wrong)
    longer = stretch(laws, people[:, None], 0.0)
    chances = [held(laws, people, np.array(truth), longer) for truth in product((0, 1), repeat=6)]
    assert min(chances) >= 0.93
    assert np.mean(chances) >= 0.95 - 1e-9


def test_without_it_it_holds_too_rarely():
    chance = held(yes_or_no(0.146), np.full(6, 5.0), np.array([1, 1, 1, 0, 0, 0]), 1.0)
    assert 0.92 < chance < 0.93


def test_where_errors_are_normal_nothing_is_stretched():
    assert stretch(yes_or_no(0.3), np.full((100, 1), 5.0), 0.0) < 1.01
    assert stretch(yes_or_no(0.146), np.ones((6, 1)), 100.0) < 1.01
    assert stretch(yes_or_no(0.0025), np.ones((6, 1)), 0.0) == 1.0  # a jump is rarer than 5%


def test_nobody_is_no_error():
    assert stretch(yes_or_no(0.3), np.zeros((6, 1)), 0.0) == 1.0
