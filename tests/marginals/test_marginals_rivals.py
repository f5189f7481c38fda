"""The rivals spend no more than epsilon, exactly; arrays equal devices draw by draw; and they estimate what they should."""

from itertools import combinations, product
from math import inf

import numpy as np
import pytest
from small_views import people, truth

from untold.errors import UntoldError
from untold.exact import exp_at_most, to_nano
from untold.marginals.fourier import Fourier
from untold.marginals.split_em import SplitEM
from untold.randomness import Exhaustive, Replayed, Seeded

EPSILONS = (0.1, 1.0, 8.0)
SIZES = (2, 3, 2)
RECORDS = list(product(*(range(size) for size in SIZES)))


def rivals(epsilon):
    return {"FT": Fourier(epsilon, SIZES, 2), "EM": SplitEM(epsilon, SIZES)}


def worst_ratio(rival):
    rng = Exhaustive()
    found = [rng.distribution(lambda draw, r=record: rival.encode(r, draw)) for record in RECORDS]
    outputs = set().union(*found)
    assert all(sum(each.values()) == 1 for each in found)
    if any(min(d.get(o, 0) for d in found) == 0 for o in outputs):
        return inf
    return max(max(d[o] for d in found) / min(d[o] for d in found) for o in outputs)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ["FT", "EM"])
def test_a_report_spends_no_more_than_epsilon(name, epsilon):
    worst = worst_ratio(rivals(epsilon)[name])
    assert worst <= exp_at_most(to_nano(epsilon))
    assert worst > exp_at_most(to_nano(epsilon * 0.99))


class WholeEpsilonForEach(SplitEM):
    """What a user must not do: epsilon for every attribute."""

    @property
    def oracles(self):
        return SplitEM(self.epsilon * len(self.sizes), self.sizes).oracles


def test_spending_epsilon_for_each_attribute_is_noticed():
    assert worst_ratio(WholeEpsilonForEach(1.0, SIZES)) > exp_at_most(to_nano(2.9))


class Recorded:
    insecure = True

    def __init__(self, seed):
        self.rng, self.given = Seeded(seed), []

    def words(self, shape):
        self.given.append(self.rng.words(shape))
        return self.given[-1]

    def spawn(self):
        return self


@pytest.mark.parametrize("name", ["FT", "EM"])
def test_arrays_equal_devices(name):
    rival, rng = rivals(1.0)[name], Recorded(3)
    codes = people(200, SIZES)
    columns = rival.encode_many(codes, rng)
    for i in range(200):
        words = [int(words.ravel()[i]) for words in rng.given]
        assert rival.encode([int(c[i]) for c in codes], Replayed(words)) == tuple(int(c[i]) for c in columns)


def test_fourier_refuses_what_it_has_no_coefficients_for():
    rival = Fourier(1.0, (2,) * 4, 2)
    theta = np.zeros(len(rival.masks))
    assert rival.marginal(theta, (1, 3)).shape == (2, 2)
    for asked in [(0, 1, 2), (1, 2, 3), (0, 1, 2, 3)]:
        with pytest.raises(UntoldError, match="at most 2 attributes"):
            rival.marginal(theta, asked)


def test_fourier_is_unbiased():
    """300 collections; the mean of every cell is within 5 standard errors: a false alarm in 60,000 runs."""
    rival, codes = Fourier(2.0, SIZES, 2), people(4000, SIZES)
    found = [
        np.concatenate([rival.marginal(theta, pair).ravel() for pair in combinations(range(3), 2)])
        for theta in (rival.coefficients(rival.encode_many(codes, Seeded(s))) for s in range(300))
    ]
    expected = np.concatenate([truth(codes, pair, SIZES).ravel() for pair in combinations(range(3), 2)])
    z = (np.mean(found, axis=0) - expected) / (np.std(found, axis=0) / 300**0.5)
    assert np.abs(z).max() < 5
    assert np.abs(np.mean(found, axis=0) * 1.1 - expected).max() / np.std(found, axis=0).mean() * 300**0.5 > 5


def test_fourier_without_noise_gives_the_marginal_itself():
    rival, codes = Fourier(20.0, SIZES, 2), people(3000, SIZES)
    theta = np.array(
        [
            np.mean([(-1) ** (rival.packed(r) & int(m)).bit_count() for r in zip(*map(list, codes), strict=True)])
            for m in rival.masks
        ]
    )
    for pair in combinations(range(3), 2):
        np.testing.assert_allclose(rival.marginal(theta, pair), truth(codes, pair, SIZES), atol=1e-12)


def test_fourier_refuses_what_it_cannot_hold():
    with pytest.raises(UntoldError, match="15,033,172 coefficients"):
        Fourier(1.0, (2,) * 32, 8).masks  # noqa: B018


def test_em_finds_the_marginal_where_noise_is_small():
    rival, codes = SplitEM(18.0, SIZES), people(20_000, SIZES)
    found = rival.marginal(rival.encode_many(codes, Seeded(1)), (0, 1))
    np.testing.assert_allclose(found, truth(codes, (0, 1), SIZES), atol=0.01)
    assert np.abs(found - 1 / 6).max() > 0.1


def test_em_raises_the_likelihood():
    rival, codes = SplitEM(2.0, SIZES), people(2000, SIZES)
    reports = rival.encode_many(codes, Seeded(1))
    cells = np.ravel_multi_index([reports[a].astype(int) for a in (0, 1)], (2, 3))
    counts = np.bincount(cells, minlength=6).reshape(2, 3) / 2000
    start = rival.start(counts, (0, 1))
    done = rival.fit(start, counts, (0, 1))

    def likelihood(table):
        return float((counts * np.log(rival._mixed(table, (0, 1)))).sum())

    assert likelihood(done) > likelihood(start)
    assert likelihood(done) >= likelihood(truth(codes, (0, 1), SIZES)) - 1e-9
