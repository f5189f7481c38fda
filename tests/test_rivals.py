"""Methods that best guesses are compared with: with little noise each finds the truth, and each keeps its published rule."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.rivals import ahead, haar, hdg, square_wave
from benchmarks.rivals.unary import oue_shares, oue_variance, without_negatives

SIZE, PEOPLE = 32, 60_000


def smooth(rng: np.random.Generator) -> np.ndarray:
    rows = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], PEOPLE)
    return np.clip((rows + 4) / 8 * SIZE, 0, SIZE - 1).astype(np.int64)


def true_table(codes: np.ndarray) -> np.ndarray:
    table = np.zeros((SIZE,) * codes.shape[1])
    np.add.at(table, tuple(codes.T), 1 / len(codes))
    return table


def worst_corner(found: np.ndarray, truth: np.ndarray) -> float:
    off = found - truth
    for axis in range(off.ndim):
        off = np.cumsum(off, axis=axis)
    return float(np.abs(off).max())


def test_oue_is_unbiased_and_as_noisy_as_it_says() -> None:
    cells, rng = np.repeat([0, 1, 2, 3], [4000, 3000, 2000, 1000]), np.random.default_rng(1)
    found = np.array([oue_shares(cells, 5, 1.0, rng) for _ in range(400)])
    spread = np.sqrt(oue_variance(len(cells), 1.0))
    assert np.abs(found.mean(axis=0) - [0.4, 0.3, 0.2, 0.1, 0.0]).max() < 5 * spread / 20
    assert found[:, 4].std() == pytest.approx(spread, rel=0.15)


def test_norm_sub_has_nothing_below_zero_and_all_of_it() -> None:
    found = without_negatives(np.array([[0.6, -0.3], [0.5, 0.4]]))
    assert found.min() == 0
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize(("method", "most"), [(haar.table, 0.02), (square_wave.table, 0.03)])
def test_one_attribute_is_found_with_little_noise(method, most) -> None:  # type: ignore[no-untyped-def]
    codes = smooth(np.random.default_rng(2))[:, :1]
    found = method(codes[:, 0], SIZE, 5.0, np.random.default_rng(3))
    assert found.sum() == pytest.approx(1)
    assert worst_corner(found, true_table(codes)) < most
    assert worst_corner(np.full(SIZE, 1 / SIZE), true_table(codes)) > 5 * most  # knowing nothing fails


@pytest.mark.parametrize("method", [hdg.tables, ahead.tables])
def test_two_attributes_are_found_with_little_noise(method) -> None:  # type: ignore[no-untyped-def]
    codes = smooth(np.random.default_rng(2))
    (found,) = method(codes, SIZE, 5.0, np.random.default_rng(3)).values()
    truth = true_table(codes)
    independent = np.outer(truth.sum(axis=1), truth.sum(axis=0))
    assert found.sum() == pytest.approx(1, abs=1e-3)
    assert worst_corner(found, truth) < 0.04 < worst_corner(independent, truth)


def test_ahead_splits_where_people_are() -> None:
    codes = np.zeros((20_000, 1), dtype=np.int64)
    found = ahead.table(codes, 16, 2.0, np.random.default_rng(1))
    assert found[0] > 0.9
    assert len(np.unique(found[8:].round(12))) <= 2  # the empty half is hardly split
