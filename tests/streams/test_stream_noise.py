"""The samplers draw exactly what they say, and what they say costs no more than epsilon."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt, tanh

import numpy as np
import pytest
from bounded import bounds
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.exact import exp_at_most
from untold.randomness import WORD, Randomness, Replayed, Seeded
from untold.streams import exact_noise
from untold.streams.exact_noise import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    try_gaussian,
    try_laplace,
    uniform_below,
)
from untold.streams.geometric import DiscreteLaplace, Geometric
from untold.streams.keyed import Key

SMALL = [
    Geometric(nano=10**9, divisor=1, shift=20, base=4, span=12),
    Geometric(nano=10**9, divisor=3, shift=2, base=3, span=6),
    Geometric(nano=2 * 10**9, divisor=1, shift=1, base=4, span=8),
]
SHIPPED = [(500_000_000, 3, 25_600), (10_000_000, 20, 102_400), (10_000_000, 1, 1024), (8 * 10**9, 1, 1)]


@pytest.mark.parametrize("noise", SMALL)
def test_geometric_has_its_exact_distribution(noise: Geometric) -> None:
    found, missing = bounds(noise.draw, 1e-12)
    assert missing < 1e-8
    ratio = exp(-noise.rate)
    for k, probability in found.items():
        if k < 2 * 12 / noise.rate:
            assert float(probability) == pytest.approx((1 - ratio) * ratio**k, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("noise", SMALL)
def test_geometric_costs_at_most_epsilon(noise: Geometric) -> None:
    found, _ = bounds(noise.draw, 1e-12)
    bound = exp_at_most(noise.nano, noise.divisor)
    table = len(noise.tables[-1]) - 1
    finished = [found[k] for k in range(noise.places[-1] * table)]  # before any restart these are exact
    for d in range(1, noise.shift + 1):
        for low, high in zip(finished, finished[d:], strict=False):
            assert low <= bound * high
            assert high <= bound * low


def test_the_loss_of_a_sampler_with_a_scale_too_small_is_noticed() -> None:
    honest = Geometric(nano=10**9, divisor=1, shift=20, base=4, span=12)
    found, _ = bounds(honest.draw, 1e-12)
    cheat = exp_at_most(9 * 10**8, 1)  # 0.9 promised, 1.0 spent
    assert any(found[k] > cheat * found[k + 20] for k in range(20))


@pytest.mark.parametrize(("nano", "divisor", "shift"), SHIPPED)
def test_tables_cost_at_most_epsilon_and_nearly_all_of_it(nano: int, divisor: int, shift: int) -> None:
    noise = Geometric(nano, divisor, shift)
    assert Fraction(999_998, 1_000_000) * noise.epsilon < noise.worst_loss() <= noise.epsilon


@given(nano=st.integers(10**6, 10**10), divisor=st.integers(1, 24), shift=st.integers(1, 2**17))
@settings(max_examples=40, deadline=None)
def test_every_table_costs_at_most_epsilon(nano: int, divisor: int, shift: int) -> None:
    assert Geometric(nano, divisor, shift).worst_loss() <= Fraction(nano, divisor * 10**9)


def test_a_table_with_one_wrong_weight_costs_more() -> None:
    noise = Geometric(500_000_000, 3, 1000)
    lowest, *others = noise.tables
    wrong = (lowest[0] + (1 << 50), *lowest[1:])  # one outcome more likely, its neighbour less
    object.__setattr__(noise, "tables", (wrong, *others))
    assert noise.worst_loss() > noise.epsilon


def test_noise_finer_than_the_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="choose a coarser unit"):
        Geometric(nano=1, divisor=1, shift=2**52)


def test_laplace_is_symmetric_and_costs_at_most_epsilon() -> None:
    noise = DiscreteLaplace(Geometric(nano=10**9, divisor=1, shift=4, base=4, span=8))
    found, missing = bounds(noise.draw, 1e-12)
    bound = float(exp_at_most(10**9))
    assert missing < 1e-7
    for z in range(-12, 13):
        assert abs(found[z] - found[-z]) <= missing
        assert float(found[z]) <= bound * float(found[z + 4]) * (1 + 1e-5)
    ratio = exp(-noise.part.rate)
    assert float(found[0]) == pytest.approx((1 - ratio) / (1 + ratio), rel=1e-6)


@pytest.mark.parametrize("part", [SMALL[0], Geometric(10**9, 2, 30, base=3, span=1), Geometric(*SHIPPED[0])])
def test_bulk_matches_the_slow_twin(part: Geometric) -> None:
    noise, key, count = DiscreteLaplace(part), Key.draw(Seeded(5)), 300
    fast = noise.draw_many(key, count, "test", 3)
    words = [int(w) for w in key.words(count * noise.words, "test", 3)]
    slow, restarts = [], 0
    for i in range(2 * count):
        rng = WordsThen(words[i * part.words : (i + 1) * part.words], key.source("more test", 3, i))
        slow.append(part.draw(rng))
        restarts += rng.went_on
    assert fast.tolist() == [a - b for a, b in zip(slow[0::2], slow[1::2], strict=True)]
    if part.span == 1:
        assert restarts > 20  # the rare branch was walked


class WordsThen(Randomness):
    """Given words first, another source after them."""

    def __init__(self, words: list[int], then: Randomness) -> None:
        self._first, self._left, self._then, self.went_on = Replayed(words), len(words), then, False

    def word(self) -> int:
        if self._left:
            self._left -= 1
            return self._first.word()
        self.went_on = True
        return self._then.word()


@pytest.mark.parametrize(("nano", "divisor", "shift"), SHIPPED[:3])
def test_bulk_noise_has_the_stated_variance(nano: int, divisor: int, shift: int) -> None:
    """200,000 draws: the sample variance is off by 5 standard deviations (2%) once in 10^6."""
    noise = DiscreteLaplace(Geometric(nano, divisor, shift))
    drawn = noise.draw_many(Key.draw(Seeded(11)), 200_000, "variance").astype(float)
    assert drawn.var() / noise.variance == pytest.approx(1, abs=0.025)
    assert abs(drawn.mean()) < 5 * (noise.variance / 200_000) ** 0.5
    assert (1.3 * drawn).var() / noise.variance != pytest.approx(1, abs=0.025)  # 30% more noise is noticed


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(0), Fraction(1), Fraction(2**90 + 1, 3**60)])
def test_bernoulli_is_exact(p: Fraction) -> None:
    found, missing = bounds(lambda rng: bernoulli(p, rng), 1e-60)
    assert found.get(True, 0) <= p <= found.get(True, 0) + missing
    assert missing < 1e-38


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(7, 3)])
def test_bernoulli_exp_is_exact(x: Fraction) -> None:
    found, missing = bounds(lambda rng: bernoulli_exp(x, rng), 1e-16)
    assert missing < 1e-13
    assert float(found[True]) == pytest.approx(exp(-x), abs=1e-13)


def test_uniform_below_is_exact_and_reaches_beyond_a_word() -> None:
    found, missing = bounds(lambda rng: uniform_below(5, rng))
    assert (set(found.values()), missing) == ({Fraction(1, 5)}, 0)
    many = [uniform_below(3 << 94, Seeded(i)) for i in range(300)]
    assert max(many) < 3 << 94
    assert 0.8 < np.mean(many) / (3 << 93) < 1.2


@pytest.fixture
def one_draw_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coins of probability e^-x in one draw (to 2^-64): shown exact above, and far fewer branches to walk."""
    coin = lambda x, rng: rng.choose((round(Fraction(exp(-x)) * WORD), WORD)) == 0  # noqa: E731
    monkeypatch.setattr(exact_noise, "bernoulli_exp", coin)


@pytest.mark.usefixtures("one_draw_coins")
@pytest.mark.parametrize("scale", [1, 2, 5])
def test_an_attempt_at_laplace_is_exact(scale: int) -> None:
    found, missing = bounds(lambda rng: try_laplace(scale, rng), 1e-12)
    kept = float(1 - found[None])
    assert missing < 1e-9
    for z in range(-6 * scale, 6 * scale + 1):
        assert float(found[z]) / kept == pytest.approx(laplace(z, scale), rel=1e-8)
    assert float(found[1]) / kept != pytest.approx(laplace(1, 1.02 * scale), rel=1e-8)


@pytest.mark.usefixtures("one_draw_coins")
@pytest.mark.parametrize("scale", [1, 2, 5])
def test_an_attempt_at_gaussian_is_exact(scale: int) -> None:
    found, missing = bounds(lambda rng: try_gaussian(scale, rng), 1e-12)
    kept = float(1 - found[None])
    assert missing < 1e-9
    for z in range(-4 * scale, 4 * scale + 1):
        assert float(found[z]) / kept == pytest.approx(gaussian(z, scale), rel=1e-7)
    assert float(found[1]) / kept != pytest.approx(gaussian(1, 1.02 * scale), rel=1e-7)


def test_attempts_repeat_until_one_succeeds() -> None:
    drawn = [discrete_laplace(3, Seeded(i)) for i in range(200)], [discrete_gaussian(3, Seeded(i)) for i in range(200)]
    for numbers, spread in zip(drawn, (4.2, 3.0), strict=True):
        assert abs(np.mean(numbers)) < 5 * spread / sqrt(200)
        assert 0.6 < np.std(numbers) / spread < 1.5


def laplace(z: int, scale: float) -> float:
    return tanh(1 / (2 * scale)) * exp(-abs(z) / scale)


def gaussian(z: int, scale: float) -> float:
    return exp(-(z**2) / (2 * scale**2)) / sum(exp(-(y**2) / (2 * scale**2)) for y in range(-60, 61))
