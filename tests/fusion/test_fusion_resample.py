"""Poisson numbers from words."""

from __future__ import annotations

import numpy as np
import pytest

from untold.fusion.resample import poisson
from untold.randomness import Seeded


@pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 29.0, 31.0, 900.0])
def test_mean_and_variance(mean):
    """Within 5 standard errors: false alarms about once in 10^6 runs; the seed is fixed."""
    drawn = poisson(np.full(40_000, mean), Seeded(1))
    assert abs(drawn.mean() - mean) <= 5 * np.sqrt(mean / 40_000)
    assert abs(drawn.var() - mean) <= 5 * np.sqrt((2 * mean**2 + mean) / 40_000) + 0.1
    assert np.array_equal(drawn, np.rint(drawn))
    assert (drawn >= 0).all()
