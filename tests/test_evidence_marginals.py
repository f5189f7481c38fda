"""What the evidence book measures of CALM is what the product computes, and PriView's server sees n people and no more."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.evidence.ccs18 import collected, priview
from benchmarks.evidence.ccs18.collected import People, calm, designed, planned, queries

from untold.marginals.asked import marginals_from

PEOPLE = People("pizzas", 8, 1 << 16)


@pytest.mark.parametrize(("weights", "nonnegative"), [("published", "ripple"), ("blue", "norm-sub")])
def test_the_short_way_gives_the_tables_of_the_product(weights: str, nonnegative: str) -> None:
    design = designed(PEOPLE.sizes, 0.6, PEOPLE.n, 3, "published")
    found = calm(PEOPLE, design, np.random.default_rng(1), weights, nonnegative)
    service = planned(PEOPLE.sizes, 1.0, 1 << 16, 3).service("people")
    counts = collected.counted(PEOPLE, design, np.random.default_rng(1))
    product = marginals_from(service, design, counts, PEOPLE.n, weights, nonnegative).releaser
    for query in queries(8, 3, 6, 0):
        np.testing.assert_allclose(found(query), product.table(query)[0], atol=1e-7)


def test_a_trusted_server_adds_the_noise_that_its_epsilon_asks_for() -> None:
    """One view of all eight attributes: the SSE of a table of pairs is 4 cells of 64 Laplace numbers of scale 1 / (epsilon n).

    Small n, so that clearing negative cells is what moves the result; hence the band, and not a z-score."""
    people = People("pizzas", 8, 1 << 16)
    epsilon, sums = 0.01, []
    expected = 4 * 64 * 2 / (epsilon * people.n) ** 2
    for seed in range(20):
        ask = priview.priview(people, epsilon, np.random.default_rng(seed))
        sums += [((ask(pair) - people.share(pair)) ** 2).sum() for pair in queries(8, 2, 5, seed)]
    assert 0.05 * expected < np.mean(sums) < 1.5 * expected
    exact = priview.priview(people, None, np.random.default_rng(0))
    assert max(np.abs(exact(pair) - people.share(pair)).max() for pair in queries(8, 2, 5, 0)) < 1e-9
