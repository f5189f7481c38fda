"""ULE: engines agree with the slow twin, error bars hold, smoothing helps, plots draw."""

from __future__ import annotations

import numpy as np
import pytest

from untold import fuse
from untold.fusion import slow
from untold.fusion.intervals import intervals
from untold.fusion.log_spline import fit_log_spline, splines
from untold.fusion.maximise import maximise, smooth
from untold.fusion.tensor import pooled_tensor, tensor
from untold.numeric import HM, PM, SR, SW, Laplace

THREE = {"a": SR(1.0), "b": PM(1.0), "c": SW(1.0)}


def divergence(p, q):
    middle = (p + q) / 2
    halves = [np.sum(x[x > 0] * np.log(x[x > 0] / middle[x > 0])) / 2 for x in (p, q)]
    return float(np.sqrt(sum(halves)))


def wasserstein(p, q):
    return float(np.abs(np.cumsum(p - q)).mean())


def scattered(n, services):
    """People at random services, each at one at least."""
    at = {name: np.random.default_rng(j).random(n) < 0.6 for j, name in enumerate(services)}
    at["b"] |= ~np.any(list(at.values()), axis=0)
    return at


@pytest.mark.parametrize("smoothing", ["ems", "spline"])
@pytest.mark.parametrize("engine", ["tensor", "intervals"])
def test_engines_match_the_slow_twin(collect, beta, engine, smoothing):
    services = {**THREE, "d": Laplace(1.0)}
    reports = collect(beta(5000), services, 1, scattered(5000, services))
    fast = fuse.distribution(reports, 64, smoothing=smoothing, engine=engine, bootstrap=0)
    twin = fuse.distribution(reports, 64, smoothing=smoothing, engine="rows", bootstrap=0)
    assert divergence(fast.probabilities, twin.probabilities) < 0.02
    assert fast.mean().value == pytest.approx(twin.mean().value, abs=0.02)


def test_an_engine_that_forgets_a_service_is_noticed(collect, beta):
    reports = collect(beta(5000), THREE, 1)
    twin = fuse.distribution(reports, 64, engine="rows")
    partial = fuse.distribution(reports.only("a", "b"), 64)
    assert divergence(partial.probabilities, twin.probabilities) > 0.02


def test_gradients_of_engines_are_those_of_the_rows(collect, beta):
    reports = collect(beta(2000), THREE, 2, scattered(2000, THREE))
    density = np.linspace(1, 3, 128) / np.linspace(1, 3, 128).sum()
    _, back = slow.rows(reports, 128).step(density)
    for likelihood in (tensor(reports, 128), intervals(reports, 128)):
        value, ours = likelihood.step(density)
        assert ours @ density == pytest.approx(2000)
        assert np.abs(ours - back).max() < 0.03 * back.max()
        tilted = density * (1 + 1e-5 * np.cos(np.arange(128)))
        assert likelihood.step(tilted)[0] - value == pytest.approx(ours @ (tilted - density), rel=1e-3, abs=1e-4)


def test_many_services_use_intervals(collect, beta):
    services = {f"s{j}": (PM, SW, SR)[j % 3](0.5) for j in range(9)}
    u = beta(20_000)
    found = fuse.distribution(collect(u, services, 3), 256)
    truth = np.histogram(u, 256, (0, 1))[0] / len(u)
    assert found.notes["engine"] == "intervals"
    assert divergence(found.probabilities, truth) < 0.1
    crowd = {f"s{j}": Laplace(0.5) for j in range(9)}
    with pytest.raises(ValueError, match="linked=False"):
        fuse.distribution(collect(u[:100], crowd, 3))


def test_squarem_reaches_the_same_place(collect, beta):
    t = tensor(collect(beta(20_000), THREE, 4), 64)
    plain = maximise(t, True, 1e-4, 20_000, accelerate=False)
    quick = maximise(t, True, 1e-4)
    assert plain.converged
    assert quick.converged
    assert quick.steps < plain.steps
    assert divergence(plain.density, quick.density) < 0.01


def test_more_services_are_better_and_so_is_more_epsilon(collect, beta):
    u = beta(50_000)
    truth = np.histogram(u, 256, (0, 1))[0] / len(u)
    reports = collect(u, {"a": SR(0.6), "b": PM(0.6), "c": SW(0.6)}, 5)
    together = wasserstein(fuse.distribution(reports, 256).probabilities, truth)
    alone = [wasserstein(fuse.distribution(reports.only(name), 256).probabilities, truth) for name in "abc"]
    assert together < max(alone)
    generous = collect(u, {"a": SR(3.0), "b": PM(3.0), "c": SW(3.0)}, 5)
    assert wasserstein(fuse.distribution(generous, 256).probabilities, truth) < together


def test_error_bars_of_share_and_quantile(collect, beta):
    """30 collections:

    z-scores of the share below 0.2 and of the median have a mean square below 2 (1 is exact; 1 in 10^3).
    """
    scores = []
    for seed in range(30):
        u = beta(5000, seed)
        found = fuse.distribution(collect(2 * u / 2, THREE, seed), 128)
        share, middle = found.share(-1, -0.6), found.quantile(0.5)
        scores.append((share.value - 0.34464) / share.standard_error)
        scores.append((middle.value - (2 * 0.26445 - 1)) / middle.standard_error)
    assert 0.4 < np.mean(np.square(scores)) < 2


def test_bootstrap_errors_are_of_the_right_size(collect, beta):
    reports = collect(beta(20_000), THREE, 6)
    by_information = fuse.distribution(reports, 128).mean().standard_error
    by_bootstrap = fuse.distribution(reports, 128, smoothing="ems", bootstrap=12).mean().standard_error
    assert 0.4 < by_bootstrap / by_information < 2.5


def test_pooled_needs_no_keys(collect, beta):
    u = beta(50_000)
    reports = collect(u, {"b": PM(0.5), "c": SW(0.5)}, 7)
    truth = np.histogram(u, 256, (0, 1))[0] / len(u)
    pooled = fuse.distribution(reports.pooled(), 256)
    asked = fuse.distribution(reports, 256, method="pooled")
    assert np.allclose(pooled.probabilities, asked.probabilities, atol=1e-9)
    assert divergence(pooled.probabilities, truth) < 0.1
    assert pooled_tensor(reports, 32).people == 100_000


def test_hybrid_and_continuous_reports(collect, beta):
    """Real numbers, as other software sends them: a grid of 2^16 knots stands for them."""
    u, rng = beta(50_000), np.random.default_rng(8)
    e = np.exp(0.5)
    c, v = (e + 1) / (e - 1), 2 * u - 1
    left = (c + 1) * v / 2 - (c - 1) / 2
    inside = left + (c - 1) * rng.random(len(u))
    outside = -c + (c + 1) * rng.random(len(u))
    outside += np.where(outside > left, c - 1, 0)
    sent = np.where(rng.random(len(u)) < e / (e + 1), inside, outside)
    services = {"b": PM(1.0, 1 << 16), "h": HM(1.0)}
    hybrid = collect(u, {"h": HM(1.0)}, 9).values[0]
    reports = fuse.Reports(services, (sent, hybrid))
    truth = np.histogram(u, 256, (0, 1))[0] / len(u)
    found, mean = fuse.distribution(reports, 256), fuse.mean(reports)
    assert divergence(found.probabilities, truth) < 0.08
    assert abs(mean.value - v.mean()) < 4 * mean.standard_error


def test_splines_are_a_partition_and_smoothing_keeps_mass():
    basis = splines(100, 12)
    assert np.allclose(basis.sum(axis=1), 1)
    assert (basis >= 0).all()
    assert np.linalg.matrix_rank(basis) == 12
    assert smooth(np.arange(5.0)).sum() == pytest.approx(10)


def test_evidence_prefers_loose_splines_for_peaks(collect, beta):
    rng = np.random.default_rng(10)
    peaks = np.clip(np.where(rng.random(60_000) < 0.5, 0.25, 0.75) + 0.04 * rng.standard_normal(60_000), 0, 1)
    stiff = fit_log_spline(tensor(collect(beta(60_000), THREE, 11), 128))
    loose = fit_log_spline(tensor(collect(peaks, THREE, 11), 128))
    assert loose.best.smoothness < stiff.best.smoothness
    assert loose.weights.sum() == pytest.approx(1)


def test_result_speaks_arrow_plots_and_refuses_nonsense(collect, beta):
    reports = collect(beta(3000), THREE, 12)
    found = fuse.distribution(reports, 300)
    table = found.arrow()
    assert table.column_names == ["low", "high", "probability", "standard_error"]
    assert sum(table["probability"].to_pylist()) == pytest.approx(1)
    chart = found.plot(reference=found.probabilities).to_dict()
    assert len(chart["layer"]) == 3
    assert "mean" in str(found)
    with pytest.raises(ValueError, match="300"):
        found.plot(reference=[1.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        found.quantile(1.5)
    for wrong in ({"smoothing": "hope"}, {"method": "guess"}, {"engine": "gpu"}, {"buckets": 2}):
        with pytest.raises(ValueError, match=r"allowed|between"):
            fuse.distribution(reports, **wrong)
