"""The order of AGR's cells: a permutation, and one that leaves sums over neighbours with the noise that is stated."""

from functools import cache

import numpy as np
import pytest

from untold.errors import PlanError
from untold.oracles import AGR, Message
from untold.oracles.cell_order import place_of_cell, places_of_cells
from untold.plan.frozen import oracle_from_dict, oracle_to_dict

FIELDS = [(2, 1), (2, 2), (2, 3), (2, 10), (3, 2), (3, 5), (5, 3), (7, 4), (53, 2), (331, 2), (1009, 1)]


@pytest.mark.parametrize(("g", "t"), FIELDS)
def test_every_place_is_taken_once(g, t):
    places = places_of_cells(g**t, g, t)
    assert (np.sort(places) == np.arange(g**t)).all()
    assert t > 1 or (places == np.arange(g)).all()
    some = np.linspace(0, g**t - 1, 50).astype(int)
    assert [place_of_cell(int(cell), g, t) for cell in some] == places[some].tolist()


@pytest.mark.parametrize(("g", "t", "size"), [(2, 4, 11), (3, 3, 19), (5, 2, 25), (7, 2, 30), (11, 1, 7)])
def test_one_order_for_messages_counts_and_scores(g, t, size):
    oracle, rng = AGR(1.0, size, g), np.random.default_rng(g)
    assert oracle.digits == t
    supports = np.array([[oracle.supports(Message(y), c) for c in range(size)] for y in range(oracle.indexes)], float)
    counts, beta = rng.normal(size=oracle.indexes), rng.normal(size=size)
    np.testing.assert_allclose(oracle.supports_from_counts(counts), counts @ supports, atol=1e-9)
    np.testing.assert_allclose(oracle.gather(beta), supports @ beta, atol=1e-9)


def mean_square(oracle, beta, share):
    """E[z^2], from the chance of every message."""
    return float(oracle.scores(beta) ** 2 @ oracle.chances(share))


def stated_square(oracle, beta, share):
    near, far = oracle.second_moment
    return near * float(beta @ beta) + far * float(share @ beta**2)


@cache
def ratios(epsilon, shape, scrambled):
    """Exact sd / closed form of ranges and sums of the first and last attribute, for people who are even, skewed, alone."""
    cells = int(np.prod(shape))
    oracle = AGR(epsilon, cells, scrambled=scrambled)
    codes = np.indices(shape).reshape(len(shape), -1)
    even, skewed = np.full(cells, 1 / cells), 1 / np.arange(1, cells + 1)
    people = {"even": [even], "skewed": [skewed / skewed.sum()], "alone": np.eye(cells)[:: cells // 8]}
    found = {name: [] for name in people}
    for axis in {0, len(shape) - 1}:
        for weight in (codes[axis] < shape[axis] // 2, codes[axis], codes[axis] == shape[axis] // 3):
            beta = weight - np.mean(weight)
            for name, shares in people.items():
                found[name] += [
                    np.sqrt(mean_square(oracle, beta, share) / stated_square(oracle, beta, share)) for share in shares
                ]
    return {name: (min(each), max(each)) for name, each in found.items()}


VIEWS = [(1.0, (32, 32)), (2.0, (16, 16)), (4.0, (32, 32)), (4.0, (1024,)), (6.0, (32, 32, 8)), (6.0, (1024,))]


@pytest.mark.parametrize(("epsilon", "shape"), VIEWS)
def test_neighbours_have_the_noise_that_is_stated(epsilon, shape):
    for name, (low, high) in ratios(epsilon, shape, True).items():
        if name != "alone":
            assert 0.95 < low <= high < 1.05, name


def test_without_an_order_they_do_not():
    """What the order is for: the check above can fail."""
    assert ratios(6.0, (32, 32, 8), False)["even"][1] > 1.3
    assert ratios(4.0, (32, 32), False)["even"][1] > 1.2


def test_a_plan_of_before_keeps_its_order():
    new = oracle_to_dict(AGR(1.0, 8))
    assert new["scrambled"] == "1"
    old = {name: value for name, value in new.items() if name != "scrambled"}
    assert oracle_from_dict(old) == AGR(1.0, 8, scrambled=False) != oracle_from_dict(new)
    assert oracle_to_dict(oracle_from_dict(old)) == old
    with pytest.raises(PlanError, match="other integers"):
        oracle_from_dict({**new, "scrambled": "2"})
