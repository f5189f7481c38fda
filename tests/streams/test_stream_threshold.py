"""Privacy of the threshold steps: the noisy maximum walked down every branch, smooth sensitivity against its definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from bounded import bounds

from untold.exact import exp_at_most
from untold.kernels.stream_smooth import smooth_sensitivity_of_rank
from untold.randomness import Seeded
from untold.streams import PAK
from untold.streams.exact_noise import cauchy
from untold.streams.geometric import Geometric
from untold.streams.smooth_sensitivity import Calibration, smooth_threshold
from untold.streams.threshold import (
    candidates,
    clipping_scores,
    clipping_threshold,
    leaf_block,
    noisy_maximum,
    percentile_scores,
    percentile_threshold,
)

Integers = npt.NDArray[np.int64]
UPPER, STEPS = 2, 2  # values 0..2, two candidates, scores in half counts
Scores = Callable[[Integers, Integers], list[int]]


def histogram(values: tuple[int, ...]) -> Integers:
    return np.bincount(values, minlength=UPPER + 1)


def worst_ratio(scores: Scores, noise: Geometric, values: int = 2) -> tuple[Fraction, Fraction]:
    """Upper bounds of the worst ratio of probabilities over all data sets that differ in one value."""
    options = candidates(UPPER, UPPER)
    found = {
        data: bounds(lambda rng, d=data: noisy_maximum(scores(histogram(d), options), noise, rng), 1e-12)
        for data in combinations_with_replacement(range(UPPER + 1), values)
    }
    worst, missing = Fraction(0), Fraction(0)
    for (data, (mine, lost)), (other, (theirs, _)) in product(found.items(), found.items()):
        missing = max(missing, lost)
        if any(sorted([*other[:i], *other[i + 1 :], x]) == list(data) for i in range(values) for x in range(UPPER + 1)):
            worst = max([worst, *((p + lost) / theirs[output] for output, p in mine.items())])
    return worst, missing


def small(nano: int, divisor: int) -> Geometric:
    return Geometric(nano, divisor, STEPS, base=3, span=11)


def clipping(counts: Integers, options: Integers) -> list[int]:
    return clipping_scores(counts, options, 0.3, STEPS)


def percentile(counts: Integers, options: Integers) -> list[int]:
    return percentile_scores(counts, options, 60.0, STEPS)


@pytest.mark.parametrize("nano", [10**9, 7 * 10**8])
def test_clipping_threshold_is_private_on_every_small_data_set(nano: int) -> None:
    worst, missing = worst_ratio(clipping, small(nano, 1))
    assert missing < 1e-8
    assert worst <= exp_at_most(nano)
    assert worst > exp_at_most(nano * 3 // 4)  # and the budget is used


def test_percentile_threshold_is_private_on_every_small_data_set() -> None:
    worst, _ = worst_ratio(percentile, small(10**9, 2))
    assert worst <= exp_at_most(10**9)


def test_half_the_noise_is_noticed() -> None:
    worst, _ = worst_ratio(clipping, small(2 * 10**9, 1))
    assert worst > exp_at_most(10**9)


def test_scores_that_move_both_ways_need_twice_the_noise() -> None:
    worst, _ = worst_ratio(lambda c, t: [int(2 * c[0]), int(2 * c[1])], small(10**9, 1))
    assert worst > exp_at_most(10**9)


def test_all_clipping_scores_move_the_same_way_by_one_count() -> None:
    rng = np.random.default_rng(3)
    options = candidates(40, 13)
    for _ in range(200):
        values = rng.integers(0, 41, 30)
        moved = values.copy()
        moved[0] = rng.integers(0, 41)
        change = np.subtract(*(clipping_scores(np.bincount(v, minlength=41), options, 0.7) for v in (moved, values)))
        assert np.abs(change).max() <= 1024
        assert (change >= 0).all() or (change <= 0).all()


def test_thresholds_find_what_they_look_for() -> None:
    values = np.random.default_rng(1).exponential(50, 60_000).astype(int).clip(max=1000)
    counts = np.bincount(values, minlength=1001)
    found = percentile_threshold(counts, 99.0, 1000, 10**9, Seeded(1))
    assert abs(found - np.percentile(values, 99)) < 5
    low, high = (clipping_threshold(counts, penalty, 1000, 10**9, Seeded(1)) for penalty in (20.0, 0.5))
    assert low < high  # noise that costs more clips lower


def test_leaf_blocks_grow_as_epsilon_falls() -> None:
    blocks = [leaf_block(epsilon, 16, 2**20) for epsilon in (5.0, 0.5, 0.01)]
    assert blocks == [16, 256, 4096]


def smooth_by_definition(ordered: list[int], rank: int, upper: int, decay: float) -> float:
    """max over all data sets of (local sensitivity there) * e^(-decay * distance), by trying them all."""
    count, best = len(ordered), 0.0
    for other in combinations_with_replacement(range(upper + 1), count):
        distance = count - sum(min(ordered.count(x), other.count(x)) for x in set(ordered))
        local = 0
        for i, x in product(range(count), range(upper + 1)):
            changed = sorted([*other[:i], *other[i + 1 :], x])
            local = max(local, abs(changed[rank - 1] - other[rank - 1]))
        best = max(best, local * exp(-decay * distance))
    return best


@pytest.mark.parametrize("ordered", [[0, 1, 1, 2], [0, 0, 5, 5], [1, 2, 3, 4], [5, 5, 5, 5]])
@pytest.mark.parametrize("rank", [1, 3, 4])
@pytest.mark.parametrize("decay", [0.1, 1.0])
def test_smooth_sensitivity_is_that_of_the_definition(ordered: list[int], rank: int, decay: float) -> None:
    fast = smooth_sensitivity_of_rank(np.array(ordered), rank, 5, decay)
    slow = smooth_by_definition(ordered, rank, 5, decay)
    assert fast >= slow - 1e-12  # never below what privacy needs
    assert fast == pytest.approx(slow)


def hockey_stick(noise: str, slide: float, stretch: float, epsilon: float) -> float:
    """The smallest delta for noise that may be moved by `slide` and stretched by e^stretch, by numerical integration."""
    z = np.linspace(-40, 40, 80_001)
    density = (
        (lambda x: np.exp(-np.abs(x)) / 2) if noise == "laplace" else (lambda x: np.exp(-x * x / 2) / sqrt(2 * np.pi))
    )
    worst = 0.0
    for scale, move in product((exp(-stretch), 1.0, exp(stretch)), (-slide, 0.0, slide)):
        excess = np.maximum(density(z) - exp(epsilon) * scale * density(scale * z + move), 0.0)
        worst = max(worst, float(excess.sum() * (z[1] - z[0])))
    return worst


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_smooth_noise_has_the_stated_delta(noise: str, epsilon: float, delta: float) -> None:
    c = Calibration(noise, epsilon, delta)
    assert hockey_stick(noise, c.slide, c.stretch, epsilon) <= delta


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_the_gaussian_printed_in_the_appendix_has_a_larger_delta(epsilon: float) -> None:
    delta = 1e-6
    assert hockey_stick("gaussian", epsilon / sqrt(-log(delta)), epsilon / (-2 * log(delta)), epsilon) > 5 * delta


def test_smooth_threshold_lies_above_its_percentile_nearly_always() -> None:
    """beta = 0.006: more than 8 of 300 below happens once in 10^4."""
    values = np.random.default_rng(5).integers(0, 60, 20_000)
    counts, c = np.bincount(values, minlength=501), Calibration("laplace", 2.0, 1e-6)
    found = [smooth_threshold(counts, 90.0, 0.006, c, Seeded(i)) for i in range(300)]
    assert sum(theta < np.percentile(values, 90) for theta in found) <= 8
    assert len(set(found)) > 1


def test_a_beta_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no smooth bound"):
        smooth_threshold(np.array([5, 5, 5]), 90.0, 1e-9, Calibration("laplace", 1.0, 0.5), Seeded(1))


def worst_of_cauchy(slide: float, stretch: float) -> float:
    """The largest log ratio of a Cauchy density to one that is moved by `slide` and stretched by e^stretch, over a fine grid."""
    z = np.concatenate([-np.logspace(-6, 8, 40_000)[::-1], [0.0], np.logspace(-6, 8, 40_000)])
    worst = 0.0
    for scale, move in product((exp(-stretch), 1.0, exp(stretch)), (-slide, 0.0, slide)):
        there = scale / (1 + (scale * z + move) ** 2)
        worst = max(worst, float(np.abs(np.log((1 + z * z) * there)).max()))
    return worst


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("miss", [0.006, 0.2])
def test_cauchy_needs_no_delta(epsilon: float, miss: float) -> None:
    c = Calibration("cauchy", epsilon, 0.0, miss)
    assert c.slide + c.stretch <= epsilon
    assert worst_of_cauchy(c.slide, c.stretch) <= epsilon
    assert worst_of_cauchy(c.slide, c.stretch) > 0.9 * min(epsilon, 2 * np.arcsinh(c.slide / 2))  # the budget is used
    assert (
        worst_of_cauchy(1.2 * c.slide + epsilon / 8, c.stretch) > epsilon or epsilon > 1
    )  # too little noise is noticed


def test_cauchy_draws_are_cauchy() -> None:
    """4,000 draws against their distribution: a Kolmogorov distance above 0.0432 happens once in 10^6."""
    rng = Seeded(11)
    found = np.sort([float(cauchy(rng)) for _ in range(4000)])
    distance = np.abs(np.arctan(found) / np.pi + 0.5 - (np.arange(4000) + 0.5) / 4000).max()
    assert distance < 0.0432
    assert np.abs(np.arctan(1.15 * found) / np.pi + 0.5 - (np.arange(4000) + 0.5) / 4000).max() > distance


def test_every_point_of_the_half_disc_is_as_likely() -> None:
    """All draws with two bits: a slope comes exactly as often as grid points have it."""
    radius, points = 4, Counter[Fraction]()
    for across, up in product(range(1, radius + 1), range(-radius, radius + 1)):
        points[Fraction(up, across)] += across**2 + up**2 <= radius**2
    mine, lost = bounds(lambda rng: cauchy(rng, bits=2), 1e-3)
    assert lost < Fraction(1, 4)
    assert {mine[slope] / count for slope, count in points.items() if count} == {(1 - lost) / points.total()}


def test_pak_with_cauchy_noise_is_private_without_delta() -> None:
    values = np.random.default_rng(5).integers(0, 60, 20_000).astype(float)
    stream = PAK(2.0, 500.0, noise="cauchy", warmup=10_000, horizon=10_000, rng=Seeded(3))
    assert stream.privacy.delta == 0.0
    assert len(stream.push(values)) == 10_000
    assert stream.threshold is not None
    assert stream.threshold > np.percentile(values, 99.5)
