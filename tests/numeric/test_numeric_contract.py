"""One contract for every numeric mechanism:

exact privacy, unbiased mean, declared variance, one arithmetic in two encoders.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from untold.errors import BadRecord
from untold.exact import exp_at_most, to_nano
from untold.numeric import BY_NAME, MECHANISMS, PM, SW, Laplace
from untold.randomness import Exhaustive, Randomness, Replayed, Secure, Seeded

EPSILONS = (0.1, 0.3, 0.61, 1.0, 2.0, 5.0, 8.0)
TINY = {"laplace": 3, "sr": 1, "pm": 12, "hm": 6, "sw": 12}


def tiny(mechanism, epsilon):
    """A grid small enough to enumerate; Laplace keeps its own number of cells a scale."""
    return mechanism(epsilon, TINY[mechanism.name])


def distributions(mechanism):
    """The exact distribution of the shipped scalar code, for every knot."""
    return [
        Exhaustive().distribution(lambda rng, k=knot: mechanism.respond(k, rng)) for knot in range(mechanism.knots + 1)
    ]


def worst_ratio(found) -> Fraction | float:
    """The largest ratio of two probabilities of the same answer; infinite if one input can not give it."""
    answers = set().union(*found)
    worst: Fraction | float = Fraction(0)
    for answer in answers:
        chances = [d.get(answer, Fraction(0)) for d in found]
        worst = max(worst, math.inf if not min(chances) else max(chances) / min(chances))
    return worst


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_spends_no_more_than_epsilon(mechanism, epsilon):
    assert worst_ratio(distributions(tiny(mechanism, epsilon))) <= exp_at_most(to_nano(epsilon))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_spends_nearly_all_of_epsilon(mechanism, epsilon):
    """Rounding in favour of privacy is not an excuse for a weak mechanism."""
    assert worst_ratio(distributions(tiny(mechanism, epsilon))) >= Fraction(math.exp(epsilon) * (1 - 1e-6))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_usual_grid_is_private_by_its_declared_probabilities(mechanism, epsilon):
    m, bound = mechanism(epsilon), exp_at_most(to_nano(epsilon))
    knots = sorted({0, 1, m.knots // 3, m.knots // 2, m.knots})
    answers = sorted({*range(0, m.indexes, max(1, m.indexes // 60)), m.indexes - 1})
    for answer in answers:
        chances = [m.probability(answer, knot) for knot in knots]
        assert 0 < max(chances) <= bound * min(chances)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_declared_probabilities_are_those_of_the_code(mechanism, epsilon):
    m = tiny(mechanism, epsilon)
    for knot, found in enumerate(distributions(m)):
        for answer in range(m.indexes):
            assert found.get(answer, 0) == m.probability(answer, knot)
        exact = np.cumsum([0.0, *(float(found.get(answer, 0)) for answer in range(m.indexes))])
        assert np.allclose(m.cumulative(np.arange(m.indexes + 1), knot), exact, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mean_and_variance_are_exact(mechanism, epsilon):
    m = tiny(mechanism, epsilon)
    for number in np.linspace(m.low, m.high, 7):
        found = Exhaustive().distribution(lambda rng, v=float(number): m.encode(v, rng))
        unbiased = {y: float(m.unbias(m.value(y))) for y in found}
        mean = sum(float(p) * unbiased[y] for y, p in found.items())
        variance = sum(float(p) * (unbiased[y] - mean) ** 2 for y, p in found.items())
        scale = max(abs(z) for z in unbiased.values())
        assert mean == pytest.approx(number, abs=1e-9 * scale)
        assert variance == pytest.approx(float(m.variance(number)), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0])
def test_variances_are_the_papers(epsilon):
    """On the usual grid, within 1.5% of the continuous formulas (section 2 of the paper, SW with corrected
    constants).
    """
    e, half, v = math.exp(epsilon), math.exp(epsilon / 2), np.linspace(-1, 1, 9)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    p, q, u = e / (2 * b * e + 1), 1 / (2 * b * e + 1), (v + 1) / 2
    wave = q * (b**3 - (b + u) ** 3 - (b - u) ** 3 + (b + 1) ** 3) / 3
    wave += -((q + 2 * b * q + 4 * b * (p - q) * u) ** 2) / 4 + 2 * b * p * (b**2 + 3 * u**2) / 3
    square_wave = wave / (2 * b * (p - q)) ** 2
    assert np.allclose(BY_NAME["laplace"](epsilon).variance(v), 8 / epsilon**2, rtol=0.015)
    assert np.allclose(BY_NAME["sr"](epsilon).variance(v), ((e + 1) / (e - 1)) ** 2 - v**2, rtol=1e-6)
    assert np.allclose(
        BY_NAME["pm"](epsilon).variance(v), v**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2), rtol=0.015
    )
    assert np.allclose(BY_NAME["sw"](epsilon).variance(u), square_wave, rtol=0.015)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bulk_repeats_scalar(mechanism, epsilon):
    m, n = mechanism(epsilon), 300
    numbers = np.random.default_rng(5).uniform(m.low, m.high, n)
    numbers[:3] = m.low, m.high, (m.low + m.high) / 2

    class Fixed(Seeded):
        def words(self, shape):
            self.given = super().words(shape)
            return self.given

    rng = Fixed(11)
    bulk = m.encode_many(numbers, rng)
    assert [m.encode(v, Replayed(rng.given[:, i])) for i, v in enumerate(numbers.tolist())] == bulk.tolist()


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bulk_mean_and_variance(mechanism, epsilon):
    """|z| < 5 for a mean, and for a variance by its own fourth moment:

    false alarms about once in 10^5 runs; the seed is fixed.
    """
    m, n = mechanism(epsilon), 200_000
    for number in (m.low, m.low + 0.3 * m.span, m.high):
        z = m.unbias(m.value(m.encode_many(np.full(n, number), Seeded(3))))
        variance = float(m.variance(number))
        assert abs(z.mean() - number) < 5 * math.sqrt(variance / n)
        squares = (z - number) ** 2
        assert abs(squares.mean() - variance) < 5 * squares.std() / math.sqrt(n) + 1e-9 * variance


def test_the_mean_check_notices_a_forgotten_unbiasing():
    m, n = SW(0.5), 200_000
    raw = m.value(m.encode_many(np.full(n, 1.0), Seeded(3)))
    assert abs(raw.mean() - 1.0) > 5 * math.sqrt(float(m.variance(1.0)) / n)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_values_and_indexes_match(mechanism):
    m = mechanism(1.0)
    answers = np.arange(m.indexes)
    assert np.array_equal(m.index_of(m.value(answers)), answers)
    edges = m.bin_edges(16)
    bins = m.bin_probabilities(np.linspace(m.low, m.high, 5), edges)
    assert edges[0] == 0
    assert edges[-1] == m.indexes
    assert np.allclose(bins.sum(axis=0), 1.0)


@pytest.mark.parametrize("mechanism", [PM, SW, Laplace])
def test_density_integrates_to_one(mechanism):
    m = mechanism(1.0)
    x = m.value(np.arange(m.indexes))
    assert float(np.sum(m.density(x, m.high)) * (x[1] - x[0])) == pytest.approx(1.0)
    assert float(m.density(float(x[-1]) + 1.0, m.high)) == 0.0


def test_square_wave_constants_do_not_cancel():
    from untold.numeric.square_wave import wave_width

    assert wave_width(1e-9) == pytest.approx(1 - 2e-9 / 3, abs=1e-12)
    tiny_direct = (1e-7 * math.exp(1e-7) - math.exp(1e-7) + 1) / (math.exp(1e-7) * (math.exp(1e-7) - 1 - 1e-7))
    assert abs(tiny_direct - 1) > 1e-3  # what the formula as written gives
    assert abs(wave_width(1e-7) - 1) < 1e-6
    assert wave_width(2.0) == pytest.approx(wave_width(2.0 + 1e-12))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_refuses_what_it_can_not_take(mechanism):
    m = mechanism(1.0)
    for number in (m.low - 1e-9, m.high + 1e-9, math.nan, math.inf):
        with pytest.raises(BadRecord, match="outside of"):
            m.encode(number, Secure())
        with pytest.raises(BadRecord, match="row 1"):
            m.encode_many([m.low, number], Secure())
    for epsilon in (0.0, -1.0, math.nan, math.inf, 100.0):
        with pytest.raises(ValueError, match="epsilon"):
            mechanism(epsilon)


class OneCellTooMany(PM):
    """A window one cell wider than its weights were made for."""

    def respond(self, knot: int, rng: Randomness) -> int:
        heavy, light = self.weights
        pair, lie = divmod(rng.tilted(heavy, light, 2, self.width * self.knots), 2)
        far, near = divmod(pair, self.width)
        return (knot + (1 - lie) * near + lie * (self.width - 1 + far)) % self.indexes


class Unclamped(Laplace):
    """Noise that ends where the input says."""

    def respond(self, knot: int, rng: Randomness) -> int:
        return knot + rng.choose(self.noise) - self.knots


class RoundedUp(PM):
    """Weights rounded in favour of accuracy."""

    @property
    def weights(self) -> tuple[int, int]:
        heavy, light = PM(self.epsilon, self.knots).weights
        return heavy + 2, light - 2


@pytest.mark.parametrize("mutant", [OneCellTooMany(1.0, 12), Unclamped(1.0, 3), RoundedUp(1.0, 12)])
def test_privacy_check_notices(mutant):
    assert worst_ratio(distributions(mutant)) > exp_at_most(to_nano(1.0))


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_numbers_between_knots_are_private_too(mechanism, epsilon):
    m = tiny(mechanism, epsilon)
    numbers = [m.low, m.low + 0.0137 * m.span, m.low + 0.37 * m.span, m.low + 0.99 * m.span, m.high]
    found = [Exhaustive().distribution(lambda rng, v=number: m.encode(v, rng)) for number in numbers]
    assert worst_ratio(found) <= exp_at_most(to_nano(epsilon))


def test_devices_need_neither_numba_nor_arrow():
    import subprocess
    import sys

    code = (
        "import sys, untold.fuse; from untold.numeric import PM; from untold.randomness import Secure; "
        "PM(1.0).encode(0.3, Secure()); "
        "assert not {'numba', 'pyarrow', 'altair', 'pandas', 'scipy'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
