"""Several batches together: held against the product of pairs, written out."""

from collections import Counter
from itertools import combinations_with_replacement
from math import exp, factorial, prod

import numpy as np
import pytest

from mixing.enumerated import exact_parameters, probabilities
from untold.plan.mixing import delta_at_most, epsilon_over_epochs, pairs_of
from untold.plan.mixing.epochs import convex_minorant, loss_distribution


def product_delta(n, local, epochs, epsilon):
    """Over all multisets of outcomes of one epoch, since their order tells nothing."""
    one = [(float(p), float(q)) for p, q in probabilities(n, *exact_parameters(local, 1.0))]
    total = 0.0
    for chosen in combinations_with_replacement(range(len(one)), epochs):
        ways = factorial(epochs) / prod(factorial(c) for c in Counter(chosen).values())
        p, q = (prod(one[i][side] for i in chosen) for side in (0, 1))
        total += ways * max(p - exp(epsilon) * q, 0.0)
    return total


@pytest.mark.parametrize(("n", "local", "epochs"), [(4, 1.0, 2), (3, 4.0, 3)])
@pytest.mark.parametrize("delta", [0.1, 0.01, 1e-4])
def test_never_below_the_product(n, local, epochs, delta):
    pairs = pairs_of(local, n)
    epsilon = epsilon_over_epochs(pairs, epochs, delta)
    assert product_delta(n, local, epochs, epsilon) <= delta
    assert epsilon == 0 or product_delta(n, local, epochs, 0.9 * epsilon) > 0.9 * delta or epsilon == epochs * local


def test_the_figures_of_a_million_people():
    """dp-accounting 0.6.0 says 0.165, 0.357 and 0.994."""
    pairs = pairs_of(4.0, 10**6)
    assert [round(epsilon_over_epochs(pairs, epochs, 1e-8), 3) for epochs in (12, 52, 365)] == [0.166, 0.358, 0.998]
    assert 3.1 < epsilon_over_epochs(pairs, 3650, 1e-8) < 4.5  # by moments


def test_the_dots_dominate():
    pairs = pairs_of(2.0, 10**5, 0.3)
    step, chance, beyond = loss_distribution(pairs)
    losses = step * (np.arange(len(chance)) - len(chance) // 2)
    assert chance.sum() + beyond == pytest.approx(1)
    for epsilon in np.linspace(0, losses[-1], 11):
        above = losses > epsilon
        from_dots = chance[above] @ -np.expm1(epsilon - losses[above]) + beyond
        assert from_dots >= delta_at_most(pairs, epsilon) * (1 - 1e-7) - 1e-15


def test_the_greatest_convex_function_below_points():
    x = np.array([0.0, 1, 2, 3, 4])
    assert convex_minorant(x, np.array([4.0, 3, 1, 1.5, 0])).tolist() == [4, 2.5, 1, 0.5, 0]


def test_epochs_have_bounds():
    for wrong in (0, 10_001):
        with pytest.raises(ValueError, match="epochs"):
            epsilon_over_epochs(pairs_of(1.0, 100), wrong, 1e-8)
