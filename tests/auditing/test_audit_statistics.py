"""Bounds hold as often as they say, and an excess is found as often as the power says."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, inf, log

import numpy as np
import pytest

from untold.auditing.bounds import at_least, highest, least_log_ratio, lowest
from untold.auditing.power import finds, least_found, runs_needed


@pytest.mark.parametrize(("k", "n", "p"), [(3, 10, 0.25), (0, 5, 0.5), (40, 60, 0.5), (60, 60, 0.9)])
def test_tails_are_those_of_the_binomial(k: int, n: int, p: float) -> None:
    exact = sum(comb(n, i) * Fraction(p) ** i * (1 - Fraction(p)) ** (n - i) for i in range(k, n + 1))
    assert at_least(k, n, p) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.9])
def test_bounds_of_clopper_and_pearson_fail_at_most_as_often_as_they_say(p: float) -> None:
    """Exactly, over all counts."""
    n, alpha = 50, 0.05
    chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    assert 0 < sum(c for k, c in enumerate(chances) if lowest(k, n, alpha) > p) <= alpha
    assert sum(c for k, c in enumerate(chances) if highest(k, n, alpha) < p) <= alpha


def test_a_ratio_at_its_bound_is_rarely_accused() -> None:
    """Exactly, over all pairs of counts of 40 runs."""
    n, alpha, p, q = 40, 0.1, exp(1) / (1 + exp(1)), 1 / (1 + exp(1))
    chance = [[comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(n + 1)] for x in (p, q)]
    wrong = sum(
        chance[0][k] * chance[1][j]
        for k in range(n + 1)
        for j in range(n + 1)
        if least_log_ratio(k, j, n, alpha) > log(p / q)
    )
    assert 0 < wrong <= alpha


@pytest.mark.parametrize(("bound", "runs"), [(0.5, 1000), (1.0, 2000), (2.0, 2000)])
def test_power_is_as_stated(bound: float, runs: int) -> None:
    """2,000 simulated comparisons: the share found has a standard error below 1%; 72 to 88% is 8 of them to either side."""
    alpha = 1e-4
    spent = least_found(bound, runs, alpha)
    rng, p = np.random.default_rng(1), 1 / (1 + exp(-spent))
    counts = rng.binomial(runs // 2, [[p, 1 - p]] * 2000)
    found = np.mean([least_log_ratio(int(a), int(b), runs // 2, alpha) > bound for a, b in counts])
    assert 0.72 < found < 0.88


def test_runs_and_excess_agree() -> None:
    needed = runs_needed(1.5, 1.0, 1e-4)
    assert needed is not None
    assert least_found(1.0, needed, 1e-4) == pytest.approx(1.5, abs=0.02)
    assert not finds(inf, 8.0, 400, 1e-4)
    assert least_found(8.0, 400, 1e-4) == inf
    assert runs_needed(1.0001, 1.0, 1e-4) is None
