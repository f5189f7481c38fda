"""Draws are exactly what they say.

Chi-square checks reject a true claim once in 10^6 fresh seeds, or once in 10^9 runs where the source has no seed.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from untold.exact import tilt
from untold.randomness import WORD, Exhaustive, Replayed, Secure, Seeded

DICE = tilt(10**9, 3, (WORD - 1) // 4)
QUARTERS = (WORD // 4, WORD // 2, WORD)
DRAWS = {
    "below": lambda rng: rng.below(7),
    "chance": lambda rng: rng.chance(WORD // 3),
    "choose": lambda rng: rng.choose(QUARTERS),
    "tilted": lambda rng: rng.tilted(*DICE, 3, copies=4),
    "several": lambda rng: (rng.below(3), rng.choose(QUARTERS)),
}
SOURCES = {"seeded": (lambda: Seeded(21), 1e-6), "secure": (Secure, 1e-9)}


def p_value(draw, rng, claimed, count=20_000):
    seen = dict.fromkeys(claimed, 0)
    for _ in range(count):
        seen[draw(rng)] += 1
    return stats.chisquare(list(seen.values()), [count * float(claimed[o]) for o in seen]).pvalue


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_sources_follow_the_exact_distribution(source, draw):
    make, alarm = source
    assert p_value(draw, make(), Exhaustive().distribution(draw)) > alarm


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_the_check_notices_a_claim_that_is_off_by_a_fifth(draw):
    claimed = Exhaustive().distribution(draw)
    first, second = list(claimed)[:2]
    moved = min(claimed[first], claimed[second]) / 5
    assert p_value(draw, Seeded(21), claimed | {first: claimed[first] + moved, second: claimed[second] - moved}) < 1e-6


def test_exhaustive_knows_every_draw_exactly():
    heavy, light = DICE
    total = 4 * (heavy + 2 * light)
    walk = Exhaustive()
    assert walk.distribution(lambda rng: rng.below(7)) == {i: Fraction(1, 7) for i in range(7)}
    assert walk.distribution(DRAWS["chance"]) == {False: 1 - Fraction(WORD // 3, WORD), True: Fraction(WORD // 3, WORD)}
    assert walk.distribution(DRAWS["choose"]) == {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 2)}
    assert walk.distribution(DRAWS["tilted"]) == {i: Fraction(light if i % 3 else heavy, total) for i in range(12)}


def test_exhaustive_walks_draws_that_depend_on_draws():
    def triangle(rng):
        return rng.below(1 + rng.below(3))

    expected = {0: Fraction(11, 18), 1: Fraction(5, 18), 2: Fraction(1, 9)}
    assert Exhaustive().distribution(triangle) == expected


def test_exhaustive_of_no_draw_is_certain_and_impossible_outcomes_are_left_out():
    assert Exhaustive().distribution(lambda rng: "always") == {"always": 1}
    assert Exhaustive().distribution(lambda rng: rng.choose((0, WORD))) == {1: 1}


def test_exhaustive_words_are_the_given_salt():
    assert Exhaustive(words=(3, 5, 9)).distribution(lambda rng: rng.word() % 4) == {
        3: Fraction(1, 3),
        1: Fraction(2, 3),
    }


def test_draws_map_words_as_documented():
    heavy, light = DICE
    stretch = heavy + 2 * light
    assert [Replayed([w]).below(4) for w in (0, WORD // 4 - 2, WORD // 4 - 1, WORD - 5)] == [0, 0, 1, 3]
    assert [Replayed([w]).chance(WORD // 4) for w in (0, WORD // 4 - 1, WORD // 4)] == [True, True, False]
    assert [Replayed([w]).choose(QUARTERS) for w in (0, WORD // 4 - 1, WORD // 4, WORD - 1)] == [0, 0, 1, 2]
    edges = (0, heavy - 1, heavy, heavy + light - 1, heavy + light, stretch - 1, stretch, 4 * stretch - 1)
    assert [Replayed([w]).tilted(*DICE, 3, copies=4) for w in edges] == [0, 0, 1, 1, 2, 2, 3, 11]


def test_words_beyond_the_last_full_stretch_are_drawn_again():
    assert Replayed([WORD - 1, 0]).below(3) == 0
    assert Replayed([4 * (DICE[0] + 2 * DICE[1]), WORD - 1, 0]).tilted(*DICE, 3, copies=4) == 0
    with pytest.raises(IndexError):
        Replayed([WORD - 1]).below(3)


def test_replayed_hands_out_arrays_in_order():
    rng = Replayed(np.array([5, WORD - 1], dtype=np.uint64))
    assert [rng.word(), rng.word()] == [5, WORD - 1]


def test_seeded_repeats_itself_and_its_offspring():
    one, two = Seeded(7), Seeded(7)
    assert [one.word() for _ in range(5)] == [two.word() for _ in range(5)]
    children = [[rng.spawn().words((4,)).tolist() for _ in range(2)] for rng in (one, two)]
    assert children[0] == children[1]
    assert (
        len({*map(tuple, children[0]), tuple(Seeded(7).words((4,)).tolist()), tuple(Seeded(8).words((4,)).tolist())})
        == 4
    )


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_words_come_in_any_shape_and_use_all_64_bits(source):
    make, alarm = source
    words = make().words((400, 50))
    assert words.shape == (400, 50)
    assert words.dtype == np.uint64
    ones = np.array([int(np.sum(words >> np.uint64(bit) & np.uint64(1))) for bit in range(64)])
    squares = (ones - words.size / 2) ** 2 / (words.size / 4)
    assert stats.chi2.sf(squares.sum(), df=64) > alarm
    assert make().words((0, 3)).shape == (0, 3)


def test_only_the_system_source_is_secure():
    assert not Secure().insecure
    assert all(rng.insecure for rng in (Seeded(1), Seeded(1).spawn(), Replayed([]), Exhaustive()))
    assert Secure().words((8,)).tolist() != Secure().words((8,)).tolist()
