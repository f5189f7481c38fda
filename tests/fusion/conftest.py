"""People with a known distribution, perturbed by several services."""

from __future__ import annotations

import numpy as np
import pytest

from untold.fusion.reports import Reports
from untold.randomness import Seeded


@pytest.fixture
def collect():
    """collect(u, services, seed): reports of people whose numbers, scaled to [0, 1], are u; `at` says who is where."""

    def make(u, services, seed, at=None):
        rng, columns = Seeded(seed), []
        for name, m in services.items():
            column = m.value(m.encode_many(m.low + m.span * u, rng))
            columns.append(column if at is None else np.where(at[name], column, np.nan))
        return Reports(services, tuple(columns))

    return make


@pytest.fixture
def beta():
    """beta(n, seed): numbers of a Beta(2, 5)."""
    return lambda n, seed=1: np.random.default_rng(seed).beta(2, 5, n)
