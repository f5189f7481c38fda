"""Means by weights that do not depend on a person's own reports: UA, and the weights of the population.

    z_i = sum_j w_j u_ij / sum_j w_j over the services j that person i is at        the mean of z_i over people

u_ij is the unbiased value, so z_i is unbiased whatever the weights, as long as they do not look at u_ij. UA [section
4.1] takes w_j = 1. The population's weights are w_j = 1 / E_D[var_j], D the distribution of all people estimated from
the same reports: a sum over many people, on which one person's noise has next to no influence.
"""

from __future__ import annotations

from math import inf

import numpy as np

from untold.fusion.binning import in_chunks
from untold.fusion.maximise import maximise
from untold.fusion.reports import Floats, Reports
from untold.fusion.results import FusedMean
from untold.fusion.tensor import midpoints, pooled_tensor

BUCKETS = 100  # of D, for weights and errors only
BINS = 32


def population(reports: Reports) -> Floats:
    """D over 100 buckets, roughly: from histograms of each service, smoothed."""
    return maximise(pooled_tensor(reports, BUCKETS, BINS), smoothing=True, tolerance=0.1, most_steps=300).density


def expected_variances(reports: Reports, density: Floats) -> Floats:
    """E_D[var_j] of every service, for inputs scaled to [0, 1]."""
    scaled = [m.variance(midpoints(m, len(density))) / m.span**2 for m in reports.mechanisms]
    return np.array([float(v @ density) for v in scaled])


def best_service(reports: Reports) -> tuple[str, float]:
    """The service whose own reports tell the mean of everybody best, and the error of its mean; ("", inf) if none has everybody.

    Without keys, each service's people stand for everybody.
    """
    noise = expected_variances(reports, population(reports))
    scale, found = reports.high - reports.low, {"": inf}
    for name, column, own in zip(reports.services, reports.values, noise.tolist(), strict=True):
        if not reports.linked or not np.isnan(column).any():
            found[name] = scale * float(np.sqrt(own / len(column)))
    return min(found.items(), key=lambda each: each[1])


def unbiased_averaging(reports: Reports) -> FusedMean:
    """UA: every report counts alike."""
    return _weighted(reports, np.ones(len(reports.services)), "ua")


def population_weighting(reports: Reports) -> FusedMean:
    """Services weighted by the inverse of their variance in the population:

    unbiased, and at least as accurate as UWA.
    """
    return _weighted(reports, None, "population")


def _weighted(reports: Reports, weights: Floats | None, method: str) -> FusedMean:
    noise = expected_variances(reports, population(reports))
    if weights is None:
        weights = 1 / noise
    total, error = (_linked if reports.linked else _pooled)(reports, weights, noise)
    scale = reports.high - reports.low
    shares = dict(zip(reports.services, (weights / weights.sum()).tolist(), strict=True))
    return FusedMean(reports.low + scale * total, scale * error, method, reports.people, shares)


def _linked(reports: Reports, weights: Floats, noise: Floats) -> tuple[float, float]:
    from untold.kernels.fusion import add_weighted, ratio_moments

    n = reports.people
    sums: list[tuple[float, float, float]] = []

    def work(part: slice) -> None:
        top, bottom, spread = np.zeros((3, part.stop - part.start))
        for j, (mechanism, column) in enumerate(zip(reports.mechanisms, reports.values, strict=True)):
            add_weighted(column[part], *mechanism.unit_line(), weights[j], noise[j], top, bottom, spread)
        sums.append(ratio_moments(top, bottom, spread))

    in_chunks(work, n)
    one, _, three = np.sum(sums, axis=0)
    return float(one) / n, float(np.sqrt(three)) / n


def _pooled(reports: Reports, weights: Floats, noise: Floats) -> tuple[float, float]:
    """Without keys, a service's own mean stands for everybody's: weights times its number of reports."""
    counts = np.array([len(column) for column in reports.values], dtype=np.float64)
    lines = [mechanism.unit_line() for mechanism in reports.mechanisms]
    means = np.array([a + b * float(column.mean()) for (a, b), column in zip(lines, reports.values, strict=True)])
    share = weights * counts / (weights @ counts)
    return float(share @ means), float(np.sqrt(np.sum(share**2 * noise / counts)))
