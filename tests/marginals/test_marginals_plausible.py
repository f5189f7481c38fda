"""Non-negativity, consistency and maximum entropy keep what they promise, whatever the tables."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_views import SIZES, collected, people, plan

from untold.ask.decoded.norm_sub import norm_sub
from untold.errors import UnsupportedQuery
from untold.marginals.family import Family
from untold.marginals.maximum_entropy import Margin, fit_slowly, jacobian, maximum_entropy
from untold.marginals.nonnegative import NONNEGATIVE, ripple

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
seeds = st.integers(0, 10_000)


def noisy(shape, seed, scale=0.3, count=3):
    """Tables with total one and many negative cells."""
    tables = np.random.default_rng(seed).normal(0, scale, (count, *shape))
    return tables + (1 - tables.reshape(count, -1).sum(axis=1)).reshape(-1, *(1,) * len(shape)) / np.prod(shape)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(shapes, seeds, st.sampled_from(sorted(NONNEGATIVE)))
def test_no_cell_below_zero_and_the_total_stays(shape, seed, name):
    tables = noisy(shape, seed)
    found = NONNEGATIVE[name](tables)
    assert found.min() >= 0
    np.testing.assert_allclose(found.reshape(3, -1).sum(axis=1), 1.0, atol=1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shapes, seeds)
def test_norm_sub_is_the_nearest_table(shape, seed):
    """Any other table on the simplex is further away: against random ones, and by the conditions of optimality."""
    table = noisy(shape, seed, count=1)
    found = norm_sub(table)
    moved = (table - found).ravel()
    held = found.ravel() > 0
    assert np.ptp(moved[held]) < 1e-9  # one number is subtracted from all that stay above zero
    assert (moved[~held] <= moved[held].max() + 1e-9).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shapes, seeds, st.sampled_from(sorted(NONNEGATIVE)))
def test_plausible_tables_are_left_alone(shape, seed, name):
    table = np.random.default_rng(seed).random((2, *shape))
    table /= table.reshape(2, -1).sum(axis=1).reshape(-1, *(1,) * len(shape))
    np.testing.assert_allclose(NONNEGATIVE[name](table), table, atol=1e-12)


def test_ripple_takes_from_neighbours_only():
    table = np.zeros((1, 3, 3))
    table[0] = 1 / 9
    table[0, 1, 1] = -0.2
    found = ripple(table)[0]
    assert found[1, 1] == 0.0
    np.testing.assert_allclose(found[0, 0], 1 / 9)  # a corner differs in two attributes
    np.testing.assert_allclose(found[0, 1], 1 / 9 - 0.05)


@pytest.mark.parametrize("name", sorted(NONNEGATIVE))
def test_large_tables_are_not_made_even(name):
    """100 x 100 cells, 3% of the people in each of 30, and noise: one round of either is enough, so that nothing needs
    to be mixed in."""
    table = np.random.default_rng(1).normal(0, 0.002, (100, 100))
    table[:30, 0] += 1 / 30
    family = Family(((0, 1),), (100, 100), np.ones(1))
    found = family.plausible(family.stacked([table]), NONNEGATIVE[name])
    assert found.mixed < 1e-6
    assert found.tables[0].min() >= 0


def test_how_much_was_mixed_in_is_told():
    """Pairs that no non-negative tables agree with, at the first try: the uniform table is mixed in, and counted."""
    sets, opposite = ((0, 1), (0, 2)), np.array([[0.9, -0.4], [-0.4, 0.9]])
    family = Family(sets, (2, 2, 2), np.ones(2))
    found = family.plausible(family.stacked([opposite, opposite]), lambda tables: tables)
    assert found.mixed == pytest.approx(1.6 / 2.6)
    assert found.tables[0].min() == pytest.approx(0)


sets_of = st.sets(st.sampled_from([s for r in (1, 2, 3) for s in combinations(range(5), r)]), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sets_of, seeds, st.sampled_from(sorted(NONNEGATIVE)))
def test_families_agree_add_up_and_have_no_negative_cell(sets, seed, name):
    sets = tuple(sorted(sets))
    rng = np.random.default_rng(seed)
    tables = [rng.normal(0.1, 0.4, [SIZES[a] for a in each]) for each in sets]
    family = Family(sets, SIZES, rng.uniform(0.5, 2, len(sets)))
    found = family.unstacked(family.plausible(family.stacked(tables), NONNEGATIVE[name]).tables)
    for table in found:
        assert table.min() >= 0
        assert table.sum() == pytest.approx(1, abs=1e-12)
    for (a, x), (b, y) in combinations(zip(sets, found, strict=True), 2):
        shared = set(a) & set(b)
        left, right = (t.sum(axis=tuple(i for i, c in enumerate(s) if c not in shared)) for s, t in ((a, x), (b, y)))
        np.testing.assert_allclose(left, right, atol=1e-9)


def test_disagreement_is_noticed():
    """Without the consistency step the same comparison fails by far."""
    tables = noisy((2, 3), 4, count=2)
    done = norm_sub(tables)
    assert np.abs(done[0].sum(axis=1) - done[1].sum(axis=1)).max() > 1e-3


def some_margins(shape, seed, chosen):
    """Margins of one joint table: they can all be met."""
    joint = np.random.default_rng(seed).random(shape) + 0.01
    joint /= joint.sum()
    out = [tuple(i for i in range(len(shape)) if i not in axes) for axes in chosen]
    return joint, [Margin(axes, joint.sum(axis=others)) for axes, others in zip(chosen, out, strict=True)]


@st.composite
def problems(draw):
    shape = draw(st.lists(st.integers(2, 4), min_size=2, max_size=4).map(tuple))
    subsets = [s for r in range(1, len(shape)) for s in combinations(range(len(shape)), r)]
    chosen = sorted(draw(st.sets(st.sampled_from(subsets), min_size=1, max_size=4)))
    return some_margins(shape, draw(seeds), chosen)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(problems())
def test_the_fit_meets_its_margins_with_more_entropy_than_the_joint_table(problem):
    joint, margins = problem
    found = maximum_entropy(joint.shape, margins, sweeps=20_000)
    assert found.table.min() >= 0
    for margin in margins:
        out = tuple(i for i in range(joint.ndim) if i not in margin.axes)
        np.testing.assert_allclose(found.table.sum(axis=out), margin.table, atol=1e-9)
    assert entropy(found.table) >= entropy(joint) - 1e-9
    np.testing.assert_allclose(found.table, fit_slowly(joint.shape, margins, found.sweeps), atol=1e-12)


def entropy(table):
    held = table[table > 0]
    return float(-(held * np.log(held)).sum())


def test_margins_that_contradict_each_other_are_reported():
    """Three pairs, each of them opposite bits: no three bits differ from each other."""
    opposite = np.array([[0.0, 0.5], [0.5, 0.0]])
    found = maximum_entropy((2, 2, 2), [Margin(pair, opposite) for pair in ((0, 1), (0, 2), (1, 2))])
    assert found.deviation > 0.1
    assert found.table.min() >= 0
    assert found.table.sum() == pytest.approx(1)


def test_the_number_of_cells_is_bounded():
    with pytest.raises(UnsupportedQuery, match="at most 1,000,000"):
        maximum_entropy((101, 100, 100), [])


def test_the_jacobian_predicts_small_moves_of_the_margins():
    joint, _ = some_margins((2, 3, 2), 3, [(0, 1)])
    pairs = [(0, 1), (0, 2), (1, 2)]
    basis = np.concatenate([margin_rows((2, 3, 2), pair) for pair in pairs])

    def fitted(table):
        margins = [Margin(pair, table.sum(axis=3 - sum(pair))) for pair in pairs]
        return maximum_entropy(table.shape, margins, tolerance=1e-14, sweeps=20_000).table

    move = np.random.default_rng(1).normal(0, 1e-5, joint.shape)
    move -= move.mean()
    expected = jacobian(fitted(joint), basis) @ (basis @ move.ravel())
    np.testing.assert_allclose((fitted(joint + move) - fitted(joint)).ravel(), expected, atol=2e-9)
    assert np.abs(expected).max() > 1e-6


def margin_rows(shape, axes):
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    out = tuple(1 + i for i in range(len(shape)) if i not in axes)
    return units.sum(axis=out).reshape(len(units), -1).T


@pytest.mark.parametrize("design", ["calm", "am", "mg", "tuned", "hio"])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_released_marginals_agree_wherever_they_overlap(design, epsilon):
    found = collected(people(3000), plan(epsilon=epsilon, design=design), 7).releaser
    asked = [s for r in (1, 2) for s in combinations(range(5), r)]
    tables = {each: found.release(each).table for each in asked}
    for each, table in tables.items():
        assert table.min() >= 0
        assert table.sum() == pytest.approx(1, abs=1e-9)
        for axis, a in enumerate(each):
            np.testing.assert_allclose(
                table.sum(axis=tuple(i for i in range(len(each)) if i != axis)), tables[a,], atol=1e-9
            )
