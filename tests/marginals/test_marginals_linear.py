"""The best linear combination against slow twins: section 4.4 set by set, and dense least squares."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_views import SIZES, collected, people, plan

from untold.ask.decoded.contrasts import forward, inverse
from untold.marginals.family import Family
from untold.plan.hierarchy import Tree


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([(2,), (3,), (2, 2), (3, 2), (5,), (2, 3, 2)]), min_size=1, max_size=3), st.data())
def test_contrasts_turn_back_and_agree_between_levels(fans, data):
    trees = [Tree(int(np.prod(f)), f) for f in fans]
    levels = [tree.height for tree in trees]
    table = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=[tree.padded for tree in trees])
    coefficients = forward(table, trees, levels)
    np.testing.assert_allclose(inverse(coefficients, trees, levels), table, atol=1e-12)
    axis = data.draw(st.integers(0, len(trees) - 1))
    level = data.draw(st.integers(0, levels[axis]))
    coarse = np.add.reduceat(table, np.arange(0, table.shape[axis], trees[axis].block_size(level)), axis=axis)
    lower = [level if i == axis else j for i, j in enumerate(levels)]
    box = tuple(slice(0, trees[i].blocks(j)) for i, j in enumerate(lower))
    np.testing.assert_allclose(forward(coarse, trees, lower), coefficients[box], atol=1e-12)


def section_4_4(sets, tables, sizes):
    """Literally: for every subset of the attributes, from the empty one up, the weighted mean, pushed back."""
    tables = [table.copy() for table in tables]
    for size in range(len(sizes) + 1):
        for shared in combinations(range(len(sizes)), size):
            holders = [i for i, each in enumerate(sets) if set(shared) <= set(each)]
            if not holders:
                continue
            margins, cells = [], []
            for i in holders:
                out = tuple(axis for axis, a in enumerate(sets[i]) if a not in shared)
                margins.append(tables[i].sum(axis=out))
                cells.append(tables[i].size / margins[-1].size)  # C_i
            weights = 1 / np.array(cells)
            mean = (
                sum(w * m for w, m in zip(weights, margins, strict=True)) / weights.sum() if shared else np.array(1.0)
            )
            for i, margin, count in zip(holders, margins, cells, strict=True):
                wide = [sizes[a] if a in shared else 1 for a in sets[i]]
                tables[i] += ((mean - margin) / count).reshape(wide)
    return tables


def test_all_sets_at_once_is_section_4_4_set_by_set():
    rng = np.random.default_rng(2)
    sets = ((0, 1, 2), (1, 2, 3), (0, 3), (2, 4), (0, 1, 4))
    tables = [rng.normal(0.1, 0.1, [SIZES[a] for a in each]) for each in sets]
    family = Family(sets, SIZES, np.array([1 / table.size for table in tables]))
    found = family.unstacked(family.consistent(family.stacked(tables)))
    for ours, theirs in zip(found, section_4_4(sets, tables, SIZES), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_published_weights_are_section_4_4_on_the_views():
    compiled = plan()
    found = collected(people(5000), compiled, 3, weights="published").releaser
    sets = tuple(view.attributes for view in found.linear.views)
    expected = section_4_4(sets, [view.table for view in found.linear.views], SIZES)
    for each, table in zip(sets, expected, strict=True):
        np.testing.assert_allclose(found.linear.table(each), table, atol=1e-12)


@pytest.mark.parametrize("design", ["calm", "am", "tuned", "hio"])
def test_blue_is_weighted_least_squares(design):
    """The joint table that fits all views best, cells weighted by n / v, total one: solved densely."""
    sizes = (2, 3, 2)
    attributes = {"age": {"kind": "ordinal", "low": 0, "high": 3}}
    from untold.marginals import plan_for

    declared = {f"a{i}": {"kind": "categorical", "values": list(range(c))} for i, c in enumerate(sizes)} | attributes
    compiled = plan_for(declared, 1.0, 2**16, 2, design=design)
    codes = people(4000, (*sizes, 4))
    linear = collected(codes, compiled, 5).releaser.linear
    shape = [tree.padded for tree in linear.trees]
    rows, values = [], []
    for view in linear.views:
        scale = (view.reports / view.oracle.noise) ** 0.5
        where = dict(zip(view.attributes, view.levels, strict=True))
        blocks = [linear.trees[a].blocks(where.get(a, 0)) for a in range(4)]
        index = np.indices(shape)
        cell = np.zeros(shape, dtype=int)
        for a in range(4):
            cell = cell * blocks[a] + index[a] // linear.trees[a].block_size(where.get(a, 0))
        rows.append(scale * (cell.ravel()[None] == np.arange(np.prod(blocks))[:, None]))
        values.append(scale * view.table.ravel())
    matrix = np.concatenate([*rows, 1e7 * np.ones((1, np.prod(shape)))])
    joint = np.linalg.lstsq(matrix, np.concatenate([*values, [1e7]]), rcond=None)[0].reshape(shape)
    for asked in combinations(range(4), 2):
        ours = linear.table(asked)
        if ours is not None:
            out = tuple(a for a in range(4) if a not in asked)
            np.testing.assert_allclose(ours, joint.sum(axis=out), atol=1e-6)


def test_blue_has_less_error_than_published_where_views_differ():
    """Sizes 2 to 12: views differ in noise. Sum of squared errors of all pairs over 12 collections."""
    sizes = (2, 12, 3, 2, 10)
    compiled, codes = plan(sizes=sizes, epsilon=1.0, views="published"), people(40_000, sizes)
    from small_views import truth

    errors = {
        weights: sum(
            float(
                (
                    (
                        collected(codes, compiled, seed, weights=weights).releaser.linear.table(a)
                        - truth(codes, a, sizes)
                    )
                    ** 2
                ).sum()
            )
            for seed in range(12)
            for a in combinations(range(5), 2)
        )
        for weights in ("blue", "published")
    }
    assert errors["blue"] < errors["published"]
