"""Algorithm 1 gives the paper's Table 2, and the views that it asks for exist."""

from itertools import combinations
from math import comb

import pytest
from benchmarks.evidence.ccs18.published import TABLE2
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.plan.designs.choose import Choice, Setting, choose, mean_cells, views_of
from untold.plan.designs.covering import KNOWN, covering, covers, least_cover, planes, spread_sets

CELLS = [
    (d, k, n, round(0.2 * (i + 1), 1), Choice(*map(int, cell.split(","))))
    for (d, k, n), row in TABLE2.items()
    for i, cell in enumerate(row.split())
]


def test_the_table_is_whole():
    assert len(CELLS) == 360


@pytest.mark.parametrize(("d", "k", "n"), list(TABLE2))
def test_a_row_of_table_2(d, k, n):
    for _, _, _, epsilon, expected in [cell for cell in CELLS if cell[:3] == (d, k, n)]:
        assert choose(Setting(2**n, epsilon, (2,) * d, k)) == expected, epsilon


def test_another_theta_gives_another_table():
    """The comparison can fail: twice the target error changes many cells."""
    small = [cell for cell in CELLS if cell[0] == 8]
    wrong = [choose(Setting(2**n, epsilon, (2,) * d, k, theta=0.002)) != cell for d, k, n, epsilon, cell in small]
    assert sum(wrong) > 25


@pytest.mark.parametrize(("d", "t", "l"), list(KNOWN))
def test_known_designs_cover(d, t, l):
    found = covering(d, t, l)
    assert covers(found, d, t)
    assert len(found) == len(KNOWN[d, t, l].split())
    assert {len(set(each)) for each in found} == {l}


@pytest.mark.parametrize(("d", "sets"), [(4, 1), (8, 14), (16, 140), (32, 1240)])
def test_planes_hold_every_three_points_once(d, sets):
    found = planes(d)
    assert len(found) == sets
    assert covers(found, d, 3)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 12), st.data())
def test_every_subset_is_covered(d, data):
    t = data.draw(st.integers(1, min(d, 4)))
    l = data.draw(st.integers(t, d))
    found = covering(d, t, l)
    assert covers(found, d, t)
    assert least_cover(d, t, l) <= len(found) <= comb(d, t)
    assert all(len(set(each)) == min(l, d) for each in found)


def test_a_hole_is_noticed():
    found = covering(9, 2, 4)
    assert covers(found, 9, 2)
    assert not covers(found[1:], 9, 2)


def test_a_cover_that_would_be_too_large_is_not_searched_for():
    assert covering(32, 8, 9, 262) is None  # at least some 100,000 sets
    assert covering(8, 3, 4, 13) is None


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(3, 10), st.data())
def test_spread_sets_differ_and_use_every_attribute_alike(d, data):
    l = data.draw(st.integers(2, min(d, 4)))
    views = data.draw(st.integers(-(-d // l), comb(d, l)))
    sets = spread_sets(d, l, views)
    assert len(set(sets)) == len(sets) == views
    assert {i for each in sets for i in each} == set(range(d))
    used = [sum(i in each for each in sets) for i in range(d)]
    assert l != 2 or max(used) - min(used) <= 2


@pytest.mark.parametrize("l", [2, 3, 4])
@pytest.mark.parametrize("more", [0, 1, 3])
def test_no_attribute_is_left_out(l, more):
    """From as few views as can hold all attributes; those used twice make room for nobody else."""
    for d in range(l, 37):
        views = min(-(-d // l) + more, comb(d, l))
        sets = spread_sets(d, l, views)
        assert len(set(sets)) == views
        assert {i for each in sets for i in each} == set(range(d)), (d, views)


def test_many_attributes_and_few_users_still_reach_every_attribute():
    choice = choose(Setting(16_000, 1.0, (2,) * 32, 3))
    assert {i for each in views_of(choice, 32, 3) for i in each} == set(range(32))


def test_few_users_still_reach_every_attribute():
    setting = Setting(1000, 0.5, (2,) * 16, 3)
    choice = choose(setting)
    assert choice == Choice(2, 1)
    assert len({i for each in views_of(choice, 16, 3) for i in each}) == 16


def test_mean_cells_is_the_mean_over_all_sets():
    sizes = (2, 5, 3, 7, 4)
    for l in range(1, 6):
        products = [prod_of(each) for each in combinations(sizes, l)]
        assert mean_cells(sizes, l) == pytest.approx(sum(products) / len(products))


def prod_of(sizes):
    out = 1
    for size in sizes:
        out *= size
    return out
