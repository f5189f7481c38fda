"""Means: the error of one service, of UA and of population weights in closed form, that of UWA by simulation.

A service alone, UA and fixed weights are unbiased, so their mean squared error over n people is a mean of the mechanisms'
variances over n. UWA's weights see the noise that they weight: its spread per person and its bias are measured. The bias
is the mean of its difference from fixed weights on the same reports, which hardly varies. All is on [-1, 1].
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.evidence.exhibit import Estimate, Outcome
from benchmarks.evidence.vldb25.people import MIDDLES, Floats
from untold.fusion.reports import Reports
from untold.fusion.user_weighting import weighted_numbers
from untold.numeric import Numeric
from untold.randomness import Seeded

MANY = 1_000_000  # the paper's number of people
SIMULATED = 50_000  # people of a run
MEAN_USES = ("benchmarks.evidence.vldb25.people", "benchmarks.evidence.vldb25.means", "untold.fusion.user_weighting")


def noise(mechanism: Numeric, density: Floats) -> float:
    """E_D[var], for inputs in [-1, 1]."""
    x = mechanism.low + mechanism.span * MIDDLES
    return float(4 * mechanism.variance(x) @ density / mechanism.span**2)


def exact(services: Mapping[str, Numeric], density: Floats) -> dict[str, float]:
    """Mean squared error times n: services alone, UA, and the weights of the population."""
    found = {name: noise(m, density) for name, m in services.items()}
    alone = np.array(list(found.values()))
    return found | {"UA": float(alone.sum() / len(alone) ** 2), "population": float(1 / np.sum(1 / alone))}


def user_weighted(
    services: Mapping[str, Numeric], density: Floats, seed: int, people: int = SIMULATED
) -> dict[str, float]:
    """UWA: the variance per person about the person's number, and the bias."""
    u = np.random.default_rng([25, seed]).choice(MIDDLES, people, p=density)
    rng = Seeded(seed)
    columns = [np.asarray(m.value(m.encode_many(m.low + m.span * u, rng))) for m in services.values()]
    z = weighted_numbers(Reports(services, tuple(columns)))(slice(0, people))
    weights = np.array([1 / noise(m, density) for m in services.values()])
    lines = [m.unit_line() for m in services.values()]
    fixed = sum(w * (a + b * y) for w, (a, b), y in zip(weights, lines, columns, strict=True)) / weights.sum()
    return {"UWA variance": float(4 * np.var(z - u)), "UWA bias": float(2 * np.mean(z - fixed))}


def mse(o: Outcome, name: str, n: int = MANY) -> Estimate:
    """The mean squared error of a method with n people; UWA's has its bias, squared without its own noise."""
    if name != "UWA":
        return Estimate(o.mean[name] / n)
    bias, error = o.mean["UWA bias"], o.error["UWA bias"]
    value = o.mean["UWA variance"] / n + max(bias**2 - error**2, 0.0)
    return Estimate(value, ((o.error["UWA variance"] / n) ** 2 + (2 * bias * error) ** 2) ** 0.5)


def best_single(o: Outcome, services: list[str], n: int = MANY) -> Estimate:
    """The smallest error of one service."""
    return min((mse(o, name, n) for name in services), key=lambda e: e.value)


def gain(o: Outcome, method: str, services: list[str], n: int = MANY) -> Estimate:
    """By which share a method's error is below that of the best service."""
    ratio = mse(o, method, n) / best_single(o, services, n)
    return Estimate(1 - ratio.value, ratio.error)
