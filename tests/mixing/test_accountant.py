"""The accountant is never below what it bounds, and hardly above."""

from math import exp, log, tanh
from time import process_time

import numpy as np
import pytest
from scipy.stats import binom

from mixing.enumerated import diluted_delta, exact_delta, exact_parameters, listed_delta, summed_delta
from untold.plan.mixing import Counts, delta_at_most, epsilon_at_most, fmt21_closed_form, fmt21_pair, pairs_of
from untold.plan.mixing.binomial import chances, window

SMALL = [
    (n, local, share, at)
    for n, local, share in (
        (2, 1.0, 1.0), (2, 6.0, 0.5), (3, 0.1, 0.9), (5, 4.0, 0.9), (9, 2.0, 0.4), (14, 8.0, 0.3), (17, 1.0, 0.6),
        (60, 4.0, 1.0), (80, 2.0, 1.0), (120, 6.0, 1.0),
    )
    for at in (0.0, 0.2, 0.6, 0.95)
]  # fmt: skip
LARGE = [(n, local) for n in (10**4, 10**5, 10**6, 10**7) for local in (1.0, 2.0, 4.0, 6.0)]
# Closed form / numbers of FMT'21 / ours for any randomiser, at delta 1e-8
TABLE = {
    (10**4, 1.0): (0.241, 0.069, 0.056), (10**5, 1.0): (0.082, 0.021, 0.017), (10**6, 1.0): (0.027, 0.006, 0.005),
    (10**7, 1.0): (0.009, 0.002, 0.0015), (10**4, 2.0): (0.555, 0.197, 0.146), (10**5, 2.0): (0.210, 0.059, 0.044),
    (10**6, 2.0): (0.071, 0.018, 0.013), (10**7, 2.0): (0.023, 0.005, 0.004), (10**4, 4.0): (None, 0.755, 0.515),
    (10**5, 4.0): (0.591, 0.215, 0.151), (10**6, 4.0): (0.226, 0.064, 0.045), (10**7, 4.0): (0.077, 0.019, 0.014),
    (10**4, 6.0): (None, 6.0, 5.99), (10**5, 6.0): (None, 0.657, 0.447), (10**6, 6.0): (0.539, 0.190, 0.132),
    (10**7, 6.0): (0.203, 0.057, 0.039),
}  # fmt: skip


@pytest.mark.parametrize(("n", "local", "share", "at"), SMALL)
def test_never_below_the_sum_over_all_counts(n, local, share, at):
    """Forty points, each enumerated with 40 digits."""
    truth = exact_delta(n, exact_parameters(local, share), at * local)
    found = delta_at_most(pairs_of(local, n, share * tanh(local / 2)), at * local)
    assert found >= truth
    assert found <= float(truth) * 1.5 + 2e-18 or at > 0.5


@pytest.mark.parametrize(("n", "local"), [(12, 1.0), (25, 2.0), (40, 4.0), (40, 0.3), (60, 6.0)])
def test_a_smaller_variation_is_covered_too(n, local):
    """A pair for a smaller total variation is not something that is done to the pair for a larger one."""
    for most in (1.0, 0.7):
        pairs = pairs_of(local, n, most * tanh(local / 2))
        for at in (0.1, 0.4, 0.8):
            below = [
                listed_delta(n, local, most * part, at * local) for part in (0.9999, 0.99, 0.95, 0.8, 0.5, 0.2, 0.01)
            ]
            assert delta_at_most(pairs, at * local) >= max(below) * (1 - 1e-9)


@pytest.mark.parametrize(("n", "local"), LARGE)
def test_never_below_a_direct_sum_for_many_people(n, local):
    pairs = pairs_of(local, n)
    epsilon = epsilon_at_most(pairs, 1e-8)
    u, r = exp(local) / (exp(local) + 1), 1 / (exp(local) + 1)
    for at in (epsilon, epsilon / 2):
        assert summed_delta(n, r, u, r, at) <= delta_at_most(pairs, at)
    exact = (Counts(n, r, 0.0, u, r, local),)
    assert 0 <= delta_at_most(exact, epsilon) / summed_delta(n, r, u, r, epsilon) - 1 <= 1e-5
    assert epsilon_at_most(exact, 1e-8) <= epsilon <= 1.01 * epsilon_at_most(exact, 1e-8) or n * r < 100
    assert delta_at_most(pairs, epsilon) <= 1e-8
    assert delta_at_most(pairs, epsilon * (1 - 1e-3)) > 1e-8 or n * r < 100


@pytest.mark.parametrize(("n", "local", "share"), [(10**4, 1.0, 0.4), (10**4, 4.0, 0.6), (10**6, 6.0, 0.6)])
def test_never_below_a_direct_sum_with_something_in_common(n, local, share):
    pairs = pairs_of(local, n, share * tanh(local / 2))
    epsilon = epsilon_at_most(pairs, 1e-8)
    for part in (1.0, 0.9, 0.5):
        assert diluted_delta(n, local, share * part, epsilon) <= 1e-8
    assert diluted_delta(n, local, share, 0.9 * epsilon) > 1e-8


def test_two_counts_are_not_enough():
    """Four answers, randomised response, two people of whom the other holds a third answer z. Which of z and the fourth one
    comes with x0 tells whether the person's own report is one of them. A pair that counts x0 and x1 alone is below that."""
    p, e = exp(1.0), 2.2
    seen = {"x0 x0": (p, 1), "x0 z": (p * p + 1, p + 1), "x0 z'": (p + 1, 2)}
    truth = sum(max(P - e * Q, 0) for P, Q in seen.values()) / (p + 3) ** 2
    two_counts = sum(max(P - e * Q, 0) for P, Q in ((p, 1), (p * p + p + 2, p + 3))) / (p + 3) ** 2
    assert two_counts < truth <= delta_at_most(pairs_of(1.0, 2, (p - 1) / (p + 3)), log(e))


@pytest.mark.parametrize(("n", "local"), LARGE)
def test_the_table(n, local):
    closed, numeric, ours = TABLE[n, local]
    seconds = []
    for _ in range(2):
        start = process_time()
        epsilon_at_most(pairs_of(local, n), 1e-8)
        seconds.append(process_time() - start)
    assert epsilon_at_most(pairs_of(local, n), 1e-8) == pytest.approx(ours, rel=0.05, abs=0.0005)
    assert min(seconds) < 1.0
    assert epsilon_at_most(fmt21_pair(local, n), 1e-8) == pytest.approx(numeric, rel=0.05, abs=0.0005)
    assert fmt21_closed_form(local, n, 1e-8) == pytest.approx(closed or float("inf"), abs=0.0006)


def test_a_smaller_variation_is_a_stronger_promise():
    found = [epsilon_at_most(pairs_of(4.0, 10**5, beta), 1e-8) for beta in (0.1, 0.3, 0.6, 0.9, None)]
    assert found == sorted(found)
    assert found[0] < 0.4 * found[-1]


def test_few_people_get_the_local_promise():
    assert epsilon_at_most(pairs_of(4.0, 2), 1e-30) == 4.0
    assert delta_at_most(pairs_of(4.0, 2), 4.0) == 0.0


def test_what_cannot_be_is_refused():
    for wrong in (0, 1, 10**10):
        with pytest.raises(ValueError, match="people"):
            pairs_of(1.0, wrong)
    with pytest.raises(ValueError, match="delta"):
        epsilon_at_most(pairs_of(1.0, 100), 0.0)
    with pytest.raises(ValueError, match="local"):
        pairs_of(31.0, 100)


def test_chances_of_counts():
    for n, q in ((1, 0.3), (15, 0.5), (16, 0.01), (1000, exp(-3)), (10**7, 0.25)):
        k = np.unique(np.clip(np.rint(n * q + np.linspace(-8, 8, 33) * (n * q * (1 - q)) ** 0.5), 0, n))
        assert chances(n, k, q) == pytest.approx(binom.pmf(k, n, q), rel=1e-7)  # scipy's logarithms err by so much
    assert chances(5, [-1, 6], 0.5).tolist() == [0, 0]


def test_windows_leave_out_no_more_than_they_say():
    for n, q, tail in ((20, 0.1, 1e-3), (999, 0.5, 1e-9), (10**6, 1e-5, 1e-12), (10**7, 0.53, 1e-18)):
        low, high = window(n, q, tail)
        assert binom.cdf(low - 1, n, q) + binom.sf(high, n, q) <= tail
        assert high - low < n or n == 20
