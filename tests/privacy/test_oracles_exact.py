"""No oracle spends more than its epsilon, and each declares the p and q that it draws with: exact, in fractions."""

from fractions import Fraction
from math import inf

import pytest

from helpers.exact import exact_distributions, support_probability, worst_ratio
from untold.exact import exp_at_most
from untold.oracles import AGR, OLH, ORACLES, agr
from untold.oracles.olh import bucket, shared_bucket

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
SIZES = (1, 2, 3, 6)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
def test_spends_no_more_than_epsilon(oracle, epsilon):
    for size in SIZES:
        m = oracle(epsilon, size)
        distributions = exact_distributions(m)
        assert all(sum(d.values()) == 1 for d in distributions)
        assert worst_ratio(distributions) <= exp_at_most(m.nano)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
def test_spends_nearly_all_of_epsilon(oracle):
    m = oracle(1.0, 6)  # a mechanism that wastes its budget would pass the test above
    assert worst_ratio(exact_distributions(m)) > exp_at_most(m.nano) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
def test_declares_the_p_and_q_it_draws_with(oracle, epsilon):
    for size in SIZES:
        m = oracle(epsilon, size)
        for truth, distribution in enumerate(exact_distributions(m)):
            assert support_probability(m, distribution, truth) == m.p
            if oracle is not OLH:  # its q is an average over seeds: below
                for other in set(range(size)) - {truth}:
                    assert support_probability(m, distribution, other) == m.q


@pytest.mark.parametrize(("prime", "size"), [(2, 4), (2, 7), (2, 9), (3, 8), (3, 10), (5, 6), (7, 9), (11, 8)])
@pytest.mark.parametrize("scrambled", [True, False])
def test_agr_is_private_in_every_field_and_order(prime, size, scrambled):
    """One to four digits, more places than cells: every cell draws one word from the same weights."""
    m = AGR(2.0, size, prime, scrambled)
    distributions = exact_distributions(m)
    assert worst_ratio(distributions) <= exp_at_most(m.nano)
    assert len({tuple(sorted(d.values())) for d in distributions}) == 1
    for truth, distribution in enumerate(distributions):
        assert [support_probability(m, distribution, cell) for cell in range(size)] == [
            m.p if cell == truth else m.q for cell in range(size)
        ]


def test_a_place_that_two_cells_share_is_noticed(monkeypatch):
    monkeypatch.setattr(agr, "place_of_cell", lambda cell, g, t: min(cell, 4))
    m = AGR(2.0, 8, 3)
    assert support_probability(m, exact_distributions(m)[5], 6) != m.q


@pytest.mark.parametrize("width", [32, 64])
def test_olh_of_both_widths_is_private(width):
    m = OLH(1.0, 5, width)
    assert worst_ratio(exact_distributions(m)) <= exp_at_most(m.nano)


@pytest.mark.parametrize("sides", [2, 3, 4, 5, 7, 13])
def test_wide_hash_shares_buckets_exactly_as_declared(sides):
    """The 64-bit family with 8-bit words and 4-bit hashes, over all of its 2^16 seeds and all pairs of 2^4 cells."""
    declared = shared_bucket(sides, hash_bits=4)
    table = [[bucket(x, a, b, sides, 8, 4) for x in range(16)] for a in range(256) for b in range(256)]
    for x in range(16):
        for other in range(x):
            assert Fraction(sum(row[x] == row[other] for row in table), len(table)) == declared


def test_narrow_hash_shares_buckets_within_the_stated_bound():
    """The 32-bit family with 8-bit words, over all seeds: exact for odd distances, else at most (d g / 2^9)^2 more."""
    for sides in (2, 3, 5, 7):
        declared = shared_bucket(sides, hash_bits=8)
        floor = 256 // sides  # d g / 2^9 of the docstring is d / (2 * 2^8/g)
        for distance in (1, 2, 3, 4, 6, 8):
            same = sum(
                bucket(0, a, b, sides, 8, 8) == bucket(distance, a, b, sides, 8, 8)
                for a in range(256) for b in range(256)
            )  # fmt: skip
            odd_part = distance & -distance
            bound = Fraction(odd_part, 2 * floor) ** 2 if odd_part > 1 else 0
            assert 0 <= Fraction(same, 1 << 16) / declared - 1 <= bound


def test_olh_declares_q_from_its_buckets():
    m = OLH(0.5, 10)  # g = 3 does not divide 2^32
    lie = (1 - m.p) / (m.sides - 1)
    shared = shared_bucket(m.sides, 32)
    assert m.q == m.p * shared + lie * (1 - shared)
    assert 0 < m.q - Fraction(1, m.sides) < Fraction(1, 2**50)


def test_worst_ratio_is_infinite_when_an_output_gives_a_cell_away():
    sure, unsure = {"a": Fraction(1)}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert worst_ratio([sure, unsure]) == inf
    assert worst_ratio([unsure, {"a": Fraction(1, 3), "b": Fraction(2, 3)}]) == Fraction(3, 2)
