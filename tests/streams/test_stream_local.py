"""ToPL: the distribution is found, the derived objective clips where it should, released values are unbiased."""

from __future__ import annotations

import numpy as np
import pytest

from untold.numeric import HM, SW
from untold.randomness import Secure, Seeded
from untold.streams import Reporter, ToPL
from untold.streams.local_threshold import best_threshold, estimate_distribution, smooth, trim

VALUES = np.random.default_rng(1).exponential(12, 20_000).clip(max=200)
SHARES = np.bincount((VALUES / 200 * 256).astype(int).clip(max=255), minlength=256) / len(VALUES)


def expected_error(theta: float, horizon: int, epsilon: float) -> float:
    """MSE of a random range sum, from the values themselves."""
    noise = HM(epsilon).variance(VALUES.clip(max=theta) * 2 / theta - 1).mean() * theta**2 / 4
    return float(horizon / 3 * noise + horizon**2 / 6 * np.maximum(VALUES - theta, 0).mean() ** 2)


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0])
def test_the_derived_objective_beats_the_published_one_twice_over(epsilon: float) -> None:
    n = 400_000
    derived, published = (200 * best_threshold(SHARES, n, epsilon, name) for name in ("derived", "published"))
    best = min(expected_error(theta, n, epsilon) for theta in np.linspace(2, 100, 80))
    assert expected_error(derived, n, epsilon) < 1.1 * best
    assert expected_error(published, n, epsilon) > 2 * expected_error(derived, n, epsilon)


def test_the_distribution_is_recovered() -> None:
    wave = SW(2.0)
    edges = wave.bin_edges(256)
    reports = wave.encode_many(VALUES / 200, Seeded(2))
    counts = np.bincount(np.searchsorted(edges, reports, side="right") - 1, minlength=len(edges) - 1)
    found = estimate_distribution(counts, wave, edges, 256)
    assert np.abs(np.cumsum(found) - np.cumsum(SHARES)).max() < 0.05
    assert np.abs(np.cumsum(np.full(256, 1 / 256)) - np.cumsum(SHARES)).max() > 0.5  # the start is far from it


def test_smoothing_and_trimming_keep_the_mass() -> None:
    assert smooth(SHARES).sum() == pytest.approx(1)
    trimmed = trim(SHARES)
    assert trimmed.sum() == pytest.approx(1)
    assert trimmed[-1] == 0
    assert trim(np.full(4, 0.25)).tolist() == [0.25] * 4
    assert trim(np.full(4, 1e-9)).tolist() == [1e-9] * 4  # nothing but dust: left as it is


def test_released_values_are_unbiased_for_clipped_ones() -> None:
    """20,000 values: 5 standard errors, a false alarm once in 10^6."""
    released = ToPL(1.0, 200, threshold=10.0, rng=Seeded(4)).push(VALUES)
    tolerance = 5 * released.std() / len(VALUES) ** 0.5
    assert abs(released.mean() - VALUES.clip(max=10).mean()) < tolerance
    assert abs(released.mean() - VALUES.mean()) > tolerance  # the same check rejects the mean of unclipped values


def test_a_collector_needs_no_values() -> None:
    stream = ToPL(1.0, 200, warmup=500, buckets=64, rng=Seeded(1))
    assert isinstance(stream.reporter.mechanism, SW)
    stream.push_reports(stream.reporter.report_many(VALUES[:500], Seeded(2)))
    assert stream.threshold is not None
    assert isinstance(stream.reporter.mechanism, HM)
    reports = np.array([stream.reporter.report(float(v), Secure()) for v in VALUES[500:520]], dtype=np.uint32)
    assert len(stream.push_reports(reports)) == 20


def test_a_warm_up_takes_no_more_reports_than_it_needs() -> None:
    stream = ToPL(1.0, 200, warmup=500, buckets=64, rng=Seeded(1))
    with pytest.raises(ValueError, match="500 more reports, not 501"):
        stream.push_reports(stream.reporter.report_many(VALUES[:501], Seeded(2)))


def test_a_reporter_clips() -> None:
    reporter = Reporter(1.0, 200.0, 50.0)
    assert reporter.scaled(np.array([-3.0, 0.0, 25.0, 50.0, 900.0])).tolist() == [-1.0, -1.0, 0.0, 1.0, 1.0]


def test_unknown_objectives_are_refused() -> None:
    with pytest.raises(ValueError, match="derived, published"):
        ToPL(1.0, 200, objective="best")
    with pytest.raises(ValueError, match="derived, published"):
        best_threshold(SHARES, 10, 1.0, "best")
