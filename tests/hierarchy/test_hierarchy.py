"""Trees, views and bands: the geometry holds for any domain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untold.kernels.views import add_digit
from untold.plan.hierarchy import Space, Tree, block_sums, energies, extend, factor


@given(size=st.integers(1, 5000), base=st.sampled_from([2, 3, 4, 5, 8, 16]))
def test_factors_cover_the_domain_without_much_padding(size, base):
    tree = Tree(size, factor(size, base))
    assert size <= tree.padded <= max(1.15 * size, size + 2)
    assert all(fan >= 2 for fan in tree.fan_outs) or size == 1
    assert tree.blocks(tree.height) == tree.padded
    assert all(tree.blocks(j) * tree.block_size(j) == tree.padded for j in range(tree.height + 1))


@given(st.data())
def test_bands_split_the_energy(data):
    tree = Tree(12, data.draw(st.permutations((2, 2, 3)).map(tuple)))
    target = np.array(data.draw(st.lists(st.floats(-5, 5), min_size=12, max_size=12)))
    assert energies(tree, target).sum() == pytest.approx((target**2).sum(), abs=1e-9)


@given(st.lists(st.floats(-5, 5), min_size=5, max_size=5))
def test_extending_changes_no_value_that_occurs(values):
    tree = Tree(5, (3, 2))
    assert extend(tree, np.array(values))[:5].tolist() == values


def test_ranges_to_the_top_stay_ranges():
    assert extend(Tree(5, (3, 2)), np.array([0, 0, 0, 1.0, 1.0])).tolist() == [0, 0, 0, 1, 1, 1]
    assert extend(Tree(5, (3, 2)), np.array([0, 0, 0, 0, 1.0])).tolist() == [0, 0, 0, 0, 1, 0]


def test_cells_in_bulk_equal_cells_one_by_one():
    space = Space((Tree(4, (2, 2)), Tree(3, (3,)), Tree(10, (5, 2))))
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, tree.size, 50, dtype=np.uint32) for tree in space.trees]
    rows = rng.permutation(50)[:30].astype(np.int32)
    for levels in space.views():
        bulk = np.zeros(len(rows), dtype=np.uint32)
        for tree, level, column in zip(space.trees, levels, codes, strict=True):
            add_digit(bulk, column, rows, tree.blocks(level), tree.block_size(level))
        assert bulk.tolist() == [space.cell(levels, [int(c[r]) for c in codes]) for r in rows]
        assert bulk.max() < space.cells(levels)


def test_views_with_few_active_attributes():
    space = Space((Tree(4, (2, 2)), Tree(3, (3,)), Tree(2, (2,))))
    assert len(list(space.views())) == 3 * 2 * 2
    assert all(sum(level > 0 for level in view) <= 1 for view in space.views(max_active=1))
    assert len(list(space.views(max_active=1))) == 1 + 2 + 1 + 1


def test_block_sums():
    assert block_sums(Tree(4, (2, 2)), np.array([1, 2, 3, 4]), 1).tolist() == [3, 7]
