"""UA, UWA and the population's weights."""

from __future__ import annotations

import numpy as np
import pytest

from untold import fuse
from untold.fusion import slow
from untold.numeric import HM, PM, SR, SW, Laplace

FOUR = {"a": SR(1.0), "b": Laplace(1.0), "c": PM(1.0), "d": SW(1.0)}


def unequal(scale=1.0):
    return {"a": SR(0.4 * scale), "b": Laplace(0.3 * scale), "c": PM(0.2 * scale), "d": SW(0.1 * scale)}


@pytest.mark.parametrize("method", ["ua", "population"])
def test_unbiased_and_error_bars_hold(collect, beta, method):
    """40 collections of 4,000 people:

    the mean of z-scores within 4 sd of 0, their variance within 4 sd of 1: about 1 in 10^4.
    """
    u = beta(4000)
    scores = []
    for seed in range(40):
        found = fuse.mean(collect(u, unequal(5), seed), method)
        scores.append((found.value - (2 * u.mean() - 1)) / found.standard_error)
    assert abs(np.mean(scores)) < 4 / np.sqrt(40)
    assert abs(np.var(scores) - 1) < 4 * np.sqrt(2 / 40)


def test_uwa_is_biased_where_population_is_not(collect):
    """One number for all, 0.9, at epsilon 2: UWA is off by more than 5 standard errors, population by less than 4."""
    services = {"a": SR(2.0), "b": Laplace(2.0), "c": PM(2.0), "d": SW(2.0)}
    reports = collect(np.full(100_000, 0.95), services, 1)
    uwa, ours = fuse.mean(reports, "uwa"), fuse.mean(reports)
    assert abs(ours.value - 0.9) < 4 * ours.standard_error
    assert uwa.value - 0.9 < -5 * uwa.standard_error


def test_uwa_matches_its_slow_twin(collect, beta):
    services = {**FOUR, "e": HM(2.0), "f": SW(3.0)}
    at = {name: np.random.default_rng(j).random(4000) < 0.7 for j, name in enumerate(services)}
    at["a"] |= ~np.any(list(at.values()), axis=0)
    reports = collect(beta(4000), services, 2, at)
    fast, twin = fuse.mean(reports, "uwa"), slow.user_weighted(reports)
    assert fast.value == pytest.approx(twin.mean(), abs=0.1 * fast.standard_error)


def test_population_weights_are_inverse_variances(collect, beta):
    reports = collect(beta(50_000), unequal(), 3)
    weights = fuse.mean(reports).weights
    expected = {
        name: 1 / float(m.variance(m.low + m.span * beta(2000)).mean() / m.span**2) for name, m in unequal().items()
    }
    total = sum(expected.values())
    for name, weight in weights.items():
        assert weight == pytest.approx(expected[name] / total, rel=0.02)


def test_population_beats_the_best_service_and_ua(collect, beta):
    """By its own error bars, which the tests above hold to account."""
    reports = collect(beta(20_000), unequal(), 4)
    fused = fuse.mean(reports).standard_error
    alone = [fuse.mean(reports.only(name)).standard_error for name in reports.services]
    assert fused < 0.9 * min(alone)
    assert fused < fuse.mean(reports, "ua").standard_error


def test_a_mean_that_is_worse_than_one_service_says_so(collect, beta):
    """One report in two is of next to no worth: to count both alike doubles the error of the good one."""
    reports = collect(beta(4000), {"good": PM(3.0), "poor": Laplace(0.2)}, 5)
    alike, ours = fuse.mean(reports, "ua"), fuse.mean(reports)
    best = fuse.mean(reports.only("good")).standard_error
    assert ours.standard_error <= 1.001 * best < alike.standard_error
    assert not ours.notes
    assert "Service 'good' alone tells the mean better" in alike.notes[0]
    assert any("biased" in note for note in fuse.mean(reports, "uwa").notes)


def test_equal_services_are_better_together_and_there_is_no_note(collect, beta):
    reports = collect(beta(4000), {"a": PM(1.0), "b": PM(1.0)}, 5)
    assert not fuse.mean(reports, "ua").notes
    half = {"a": np.arange(4000) % 2 == 0, "b": np.ones(4000, bool)}
    assert not fuse.mean(collect(beta(4000), {"a": PM(4.0), "b": PM(1.0)}, 5, half), "ua").notes


def test_weights_that_look_at_their_own_noise_are_noticed(collect):
    """The check of unbiasedness can fail: weights by each person's own report pull the mean."""
    reports = collect(np.full(50_000, 0.95), {"a": Laplace(1.0), "b": PM(1.0)}, 5)
    a, b = reports.values
    peeking = np.where(np.abs(a) < np.abs(b), a, b)
    assert abs(peeking.mean() - 0.9) > 5 * peeking.std() / np.sqrt(50_000)


def test_pooled_and_linked_agree_when_everybody_is_everywhere(collect, beta):
    reports = collect(beta(20_000), FOUR, 6)
    linked, pooled = fuse.mean(reports), fuse.mean(reports.pooled())
    assert linked.value == pytest.approx(pooled.value, abs=1e-9)
    assert linked.standard_error == pytest.approx(pooled.standard_error, rel=1e-6)


def test_scale_and_absence(collect, beta):
    u = beta(30_000)
    at = {"a": np.arange(30_000) % 3 > 0, "c": np.arange(30_000) % 3 < 2}
    reports = collect(u, {"a": SR(2.0), "c": PM(2.0)}, 7, at)
    in_euros = fuse.Reports(reports.services, reports.values, True, 0.0, 5000.0)
    found = fuse.mean(in_euros)
    assert abs(found.value - 5000 * u.mean()) < 4 * found.standard_error
    low, high = found.interval(0.99)
    assert low < found.value < high
    with pytest.raises(ValueError, match="allowed: population, ua, uwa"):
        fuse.mean(reports, "median")
