"""Sums over planes: digit by digit, by Fourier, and as AGR defines them."""

import numpy as np
import pytest

from untold.oracles import AGR, Message, planes

FIELDS = [(2, 1), (2, 5), (3, 3), (5, 2), (7, 1), (7, 3), (11, 2), (13, 2), (17, 2)]


@pytest.mark.parametrize(("g", "t"), FIELDS)
def test_sums_over_planes_are_those_of_supported_cells(g, t):
    oracle = AGR(1.0, g**t, g, scrambled=False)
    assert (oracle.sides, oracle.digits) == (g, t)
    matrix = np.array([[oracle.supports(Message(y), c) for c in range(g**t)] for y in range(oracle.indexes)], float)
    rng = np.random.default_rng(g + t)
    cells, counts = rng.normal(size=(3, g**t)), rng.normal(size=oracle.indexes)
    for way in (planes.by_digits, planes.by_fourier, planes.sums_over_planes):
        np.testing.assert_allclose(way(cells, g, t), cells @ matrix.T, atol=1e-10)
    for way in (planes.spread_by_digits, planes.spread_by_fourier, planes.spread_over_planes):
        np.testing.assert_allclose(way(counts, g, t), counts @ matrix, atol=1e-10)


@pytest.mark.parametrize(("kind", "total"), [(np.float32, (1 << 24) - 1), (np.float64, 1 << 26)])
def test_whole_numbers_are_added_exactly(kind, total):
    """Below 2^24 in single precision, above it in double: an odd sum of large numbers would show a lost bit."""
    g, t = 7, 3
    counts = np.zeros((g**t - 1) // (g - 1) * g)
    counts[:: g + 1] = 1.0
    counts[3] = total - counts.sum()
    exact = planes.spread_by_fourier(counts, g, t)
    assert planes.spread_by_digits(counts.astype(kind), g, t).tolist() == np.rint(exact).tolist()


@pytest.mark.parametrize(("g", "t"), [(2, 12), (3, 8), (7, 5), (11, 4)])
def test_no_product_is_large_enough_for_threads(g, t, monkeypatch):
    """Libraries divide a product of matrices among threads from 2^18 multiplications on, which costs more than it brings."""
    largest = []

    def noted(columns, g, part=planes._part):
        largest.append(part(columns, g) * g**4)
        return part(columns, g)

    monkeypatch.setattr(planes, "_part", noted)
    counts = np.random.default_rng(1).normal(size=AGR(1.0, g**t, g, scrambled=False).indexes)
    found = planes.spread_by_digits(counts, g, t)
    np.testing.assert_allclose(found, planes.spread_by_fourier(counts, g, t), atol=1e-8)
    assert max(largest) <= 1 << 18
    cells = np.random.default_rng(2).normal(size=(6, g**t))
    np.testing.assert_allclose(planes.by_digits(cells, g, t) @ counts, cells @ found, rtol=1e-6)
    assert max(largest) <= 1 << 18


def test_many_rows_are_added_in_parts(monkeypatch):
    cells = np.random.default_rng(1).normal(size=(5, 49))
    whole = planes.sums_over_planes(cells, 7, 2)
    monkeypatch.setattr(planes, "AT_ONCE", 100)
    np.testing.assert_allclose(planes.sums_over_planes(cells, 7, 2), whole, atol=1e-12)
    assert planes.sums_over_planes(cells[:0], 7, 2).shape == (0, 56)
