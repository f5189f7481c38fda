"""What oracles promise of their noise, against every message that they can send: v, products of scores, single scores."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from helpers.exact import exact_distributions
from untold.exact import to_nano
from untold.oracles import AGR, GRR, OLH, ORACLES, Message, oracles_named
from untold.oracles.agr import _noise
from untold.plan.designs.base import oracle_for
from untold.randomness import Seeded

WALKED = [oracle for oracle in ORACLES if oracle is not OLH]  # seeds cannot be enumerated
GRID = [(k, epsilon) for k in (2, 3, 4, 5, 6, 8, 9, 12, 28, 60) for epsilon in (0.1, 0.5, 1.0, 2.0, 3.0, 4.0)]


def listed_messages(oracle):
    """Probability of every message for evenly spread users, and which cells it supports: messages first."""
    supports = np.array(
        [[oracle.supports(Message(y), c) for c in range(oracle.domain_size)] for y in range(oracle.indexes)], float
    )
    p, each = float(oracle.p), supports.sum(axis=0)[0]
    assert (supports.sum(axis=0) == each).all()  # every cell is supported by equally many messages
    outside = 0.0 if oracle.indexes == each else (1 - p) / (oracle.indexes - each)
    return np.mean(supports * (p / each) + (1 - supports) * outside, axis=1), supports


@cache
def enumerated_noise(make, size, epsilon):
    """The mean of a squared score over unit coefficients with sum zero: the trace of its form without that of g = 1."""
    oracle = make(epsilon, size)
    chances, supports = listed_messages(oracle)
    form = (supports.T * chances) @ supports / float(oracle.p - oracle.q) ** 2
    return (np.trace(form) - form.sum() / size) / (size - 1)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 3.0])
@pytest.mark.parametrize("make", WALKED, ids=lambda m: m.name)
def test_noise_is_exact_down_every_branch(make, epsilon):
    for size in (2, 3, 4, 5):
        oracle = make(epsilon, size)
        p, q, total = oracle.p, oracle.q, Fraction(0)
        for distribution in exact_distributions(oracle):
            for (message, _), chance in distribution.items():
                supported = sum(oracle.supports(message, c) for c in range(size))
                total += chance * (supported - Fraction(supported**2, size)) / size
        assert float(total / ((size - 1) * (p - q) ** 2)) == pytest.approx(oracle.noise, rel=1e-9)


@pytest.mark.parametrize(("size", "epsilon"), GRID)
def test_noise_of_listed_messages_is_exact(size, epsilon):
    for make in (GRR, AGR):
        assert make(epsilon, size).noise == pytest.approx(enumerated_noise(make, size, epsilon), rel=1e-9)
    oracle = AGR(epsilon, size)
    assert _noise(oracle.nano, oracle.sides, size) == pytest.approx(oracle.noise, rel=0.015)


def test_a_padded_field_is_not_taken_as_full():
    """Five values hold four cells: as if all were filled, v would be 12% too small, and "auto" would take AGR."""
    oracle = AGR(2.0, 4)
    assert (oracle.sides, oracle.digits) == (5, 1)
    full = oracle.sides ** (oracle.digits - 1) / (oracle.indexes * float(oracle.p - oracle.q) ** 2)
    assert full < GRR(2.0, 4).noise < 0.92 * oracle.noise


@pytest.mark.parametrize(("g", "size"), [(2, 3), (2, 6), (3, 5), (3, 8), (5, 6), (7, 5)])
def test_noise_of_a_field_is_the_mean_over_all_orders_of_its_cells(g, size):
    """Every choice of places for the cells is as likely: E[N^2] is the mean over all of them."""
    oracle = AGR(1.5, size, g, scrambled=False)
    vectors, total = g**oracle.digits, Fraction(0)
    lie, chosen = (1 - oracle.p) / (g - 1), list(combinations(range(vectors), size))
    whole = AGR(1.5, vectors, g, scrambled=False)
    supports = np.array([[whole.supports(Message(y), c) for c in range(vectors)] for y in range(whole.indexes)], int)
    for places in chosen:
        supported = supports[:, list(places)].sum(axis=1)
        squares, cubes = int((supported**2).sum()), int((supported**3).sum())
        total += (lie * squares + (oracle.p - lie) * Fraction(cubes, size)) / oracle.directions
    assert oracle.squared_support_by_pairs() == total / len(chosen)
    of_mean = replace(oracle, scrambled=True)
    vars(of_mean)["squared_support"] = total / len(chosen)
    assert _noise(oracle.nano, g, size) == pytest.approx(of_mean.noise, rel=1e-9)


@pytest.mark.parametrize(("size", "epsilon"), [(4, 2.0), (8, 3.0)])
def test_auto_takes_grr_where_padding_costs_ten_percent(size, epsilon):
    assert isinstance(oracle_for("auto", to_nano(epsilon), size), GRR)
    assert AGR(epsilon, size).noise / GRR(epsilon, size).noise == pytest.approx(1.10, abs=0.015)


def test_auto_takes_the_better_one_everywhere():
    taken = set()
    for size, epsilon in GRID:
        oracle = oracle_for("auto", to_nano(epsilon), size)
        taken.add(type(oracle))
        least = min(enumerated_noise(each, size, epsilon) for each in oracles_named("auto"))
        assert enumerated_noise(type(oracle), size, epsilon) <= least * (1 + 1e-9)
    assert taken == {GRR, AGR}


def test_no_other_prime_has_clearly_less_noise():
    for size, epsilon in GRID:
        oracle = AGR(epsilon, size)
        others = [AGR(epsilon, size, g).noise for g in (2, 3, 5, 7, 11, 13, 17, 23, 61)]
        assert oracle.noise <= 1.0101 * min(others)


def test_a_field_has_a_prime_number_of_elements():
    with pytest.raises(ValueError, match="prime must be a prime"):
        AGR(1.0, 4, 9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("make", WALKED, ids=lambda m: m.name)
def test_products_of_scores_have_their_exact_mean(make, epsilon):
    """Forecasts rest on it; users are spread unevenly, and coefficients do not sum to zero."""
    for size in (1, 2, 3, 5):
        oracle, rng = make(epsilon, size), np.random.default_rng(size)
        a, b, share = rng.normal(size=size), rng.normal(size=size), rng.dirichlet(np.ones(size))
        p, q = oracle.floats
        total = 0.0
        for cell, distribution in enumerate(exact_distributions(oracle)):
            for (message, _), chance in distribution.items():
                phi = np.array([(oracle.supports(message, c) - q) / (p - q) if size > 1 else 1.0 for c in range(size)])
                total += share[cell] * float(chance) * (phi @ a) * (phi @ b)
        assert oracle.mean_product(a, b, share) == pytest.approx(total, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("make", ORACLES, ids=lambda m: m.name)
def test_scores_of_many_messages_match_one_by_one(make):
    for size in (1, 2, 9, 40):
        oracle, beta = make(1.0, size), np.random.default_rng(size).normal(size=size)
        messages = oracle.encode_many(np.arange(200) % size, Seeded(size))
        p, q = oracle.floats
        rows = [messages.row(i) for i in range(200)]
        slow = [
            sum(b * ((oracle.supports(row, c) - q) / (p - q) if size > 1 else 1.0) for c, b in enumerate(beta))
            for row in rows
        ]
        np.testing.assert_allclose(oracle.score_many(messages, beta), slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", ORACLES, ids=lambda m: m.name)
def test_what_was_frozen_is_restored_as_the_very_same_oracle(make):
    oracle = make(1.5, 20)
    assert make.restored(1.5, 20, oracle.parameters()) == oracle


@pytest.mark.parametrize("oracle", [AGR(1.5, 20, 2), OLH(1.5, 20, 64)], ids=["agr", "olh"])
def test_a_frozen_choice_outlives_the_rule_that_made_it(oracle):
    usual = type(oracle)(oracle.epsilon, oracle.domain_size)
    assert usual.parameters() != oracle.parameters()
    assert type(oracle).restored(oracle.epsilon, oracle.domain_size, oracle.parameters()) == oracle
