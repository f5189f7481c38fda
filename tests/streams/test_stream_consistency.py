"""Consistency: Theorem C.1 to the last digit, on-line noise in whole numbers, and the variance that is promised."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from untold.randomness import Seeded
from untold.streams.consistency import consistent_leaves, lift, make_consistent, prefix_leaves
from untold.streams.forest import LeafNoise, Shape
from untold.streams.geometric import DiscreteLaplace, Geometric
from untold.streams.keyed import Key
from untold.streams.variance import noise_variance

SHAPES = [(2, 4), (3, 3), (4, 2), (16, 2), (5, 1)]
NOISE = DiscreteLaplace(Geometric(500_000_000, 3, 200))
Integers = npt.NDArray[np.int64]


def tree(branching: int, levels: int, seed: int) -> tuple[list[Integers], list[Integers]]:
    """True sums and noise of one tree, leaves first."""
    rng = np.random.default_rng(seed)
    true = [rng.integers(0, 100, branching ** (levels - 1))]
    for _ in range(levels - 1):
        true.append(true[-1].reshape(-1, branching).sum(axis=1))
    return true, [rng.integers(-1000, 1000, len(level)) for level in true]


def fractions(levels: list[Integers]) -> list[list[Fraction]]:
    return [[Fraction(int(x)) for x in level] for level in levels]


@pytest.mark.parametrize(("branching", "levels"), SHAPES)
def test_theorem_c1_on_line_equals_off_line_exactly(branching: int, levels: int) -> None:
    true, noise = tree(branching, levels, 1)
    off_line = make_consistent(fractions([t + n for t, n in zip(true, noise, strict=True)]), branching)
    on_line = make_consistent(fractions(noise), branching)
    for mine, theirs, sums in zip(off_line, on_line, true, strict=True):
        assert mine == [n + int(t) for n, t in zip(theirs, sums, strict=True)]


@pytest.mark.parametrize(("branching", "levels"), SHAPES)
def test_off_line_is_least_squares(branching: int, levels: int) -> None:
    true, noise = tree(branching, levels, 2)
    noisy = [t + n for t, n in zip(true, noise, strict=True)]
    leaves = len(noisy[0])
    rows = [np.kron(np.eye(len(level)), np.ones(leaves // len(level))) for level in noisy]
    best = np.linalg.lstsq(np.concatenate(rows), np.concatenate(noisy).astype(float), rcond=None)[0]
    found = make_consistent(fractions(noisy), branching)
    assert [float(x) for x in found[0]] == pytest.approx(best.tolist())
    for below, above in pairwise(found):
        assert above == [sum(below[branching * i : branching * i + branching]) for i in range(len(above))]


@pytest.mark.parametrize(("branching", "levels"), SHAPES)
@pytest.mark.parametrize("bits", [0, 10])
def test_whole_number_noise_is_the_exact_one_rounded(branching: int, levels: int, bits: int) -> None:
    _, noise = tree(branching, levels, 3)
    exact = make_consistent(fractions(noise), branching)[0]
    whole = consistent_leaves(lift(noise, branching), branching, bits)
    assert max(abs(Fraction(int(w), 1 << bits) - x) for w, x in zip(whole, exact, strict=True)) <= Fraction(
        2 * levels, 1 << bits
    )


@pytest.mark.parametrize(("branching", "levels"), SHAPES)
def test_rounding_does_not_see_the_true_sums(branching: int, levels: int) -> None:
    """Rounding the noisy hierarchy, or the noise and adding the truth, is the same number: nothing leaks by rounding."""
    true, noise = tree(branching, levels, 4)
    noisy = consistent_leaves(lift([t + n for t, n in zip(true, noise, strict=True)], branching), branching, 3)
    alone = consistent_leaves(lift(noise, branching), branching, 3)
    assert (noisy == alone + (true[0] << 3)).all()
    floats = consistent_floats([t + n for t, n in zip(true, noise, strict=True)], branching)
    if levels > 2:
        assert (floats != consistent_floats(noise, branching) + true[0]).any()  # which floating point does not give


def consistent_floats(levels: list[Integers], branching: int) -> npt.NDArray[np.float64]:
    lifted = lift([level.astype(float) for level in levels], branching)  # type: ignore[misc]
    units = [(branching**h - 1) / (branching - 1) for h in range(1, len(levels) + 1)]
    settled = lifted[-1] / units[-1]
    for mine, unit in zip(reversed(lifted[:-1]), reversed(units[:-1]), strict=True):
        spread = (settled - (mine / unit).reshape(-1, branching).sum(axis=1)) / branching
        settled = mine / unit + np.repeat(spread, branching)
    return np.asarray(settled)


def test_prefix_noise_adds_up_to_the_fewest_nodes() -> None:
    _, noise = tree(3, 3, 5)
    sums = np.cumsum(prefix_leaves(noise, 3))
    assert sums[0] == noise[0][0]
    assert sums[2] == noise[1][0]
    assert sums[4] == noise[1][0] + noise[0][3] + noise[0][4]
    assert sums[8] == noise[2][0]


@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize(("branching", "levels", "chunk"), [(4, 3, 64), (4, 4, 16), (2, 5, 4), (3, 1, 8)])
def test_noise_of_a_range_has_the_promised_variance(branching: int, levels: int, chunk: int, consistent: bool) -> None:
    """1,000 forests: a sample variance is off by 25% (4.5 standard deviations of Laplace noise) once in 10^5."""
    shape = Shape(branching, levels, chunk)
    count = 3 * shape.leaves + 1
    drawn = [LeafNoise(shape, NOISE, 4, consistent, Key.draw(Seeded(i))).take(count) for i in range(1000)]
    sums = np.concatenate([np.zeros((1000, 1)), np.cumsum(drawn, axis=1)], axis=1) / 16
    picks = np.random.default_rng(1).integers(0, count + 1, (12, 2))
    for start, stop in ((int(min(p)), int(max(p))) for p in picks if p[0] != p[1]):
        promised = noise_variance(shape, start, stop, consistent, NOISE.variance)
        assert (sums[:, stop] - sums[:, start]).var() / promised == pytest.approx(1, abs=0.25)


def test_another_variance_is_noticed() -> None:
    shape = Shape(4, 3, 64)
    drawn = [LeafNoise(shape, NOISE, 4, True, Key.draw(Seeded(i))).take(13)[3:].sum() / 16 for i in range(1000)]
    assert np.var(drawn) / noise_variance(shape, 3, 13, False, NOISE.variance) != pytest.approx(1, abs=0.25)


@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize("shape", [Shape(4, 4, 16), Shape(2, 6, 4), Shape(3, 2, 20)])
def test_leaf_noise_does_not_depend_on_how_it_is_taken(shape: Shape, consistent: bool) -> None:
    key, count = Key.draw(Seeded(9)), 5 * shape.leaves + 3
    whole = LeafNoise(shape, NOISE, 5, consistent, key).take(count)
    pieces, source = [], LeafNoise(shape, NOISE, 5, consistent, key)
    while sum(map(len, pieces)) < count:
        pieces.append(source.take(min(7, count - sum(map(len, pieces)))))
        source = LeafNoise(shape, NOISE, 5, consistent, source.key, source.position)  # as after a crash
    assert np.concatenate(pieces).tolist() == whole.tolist()


def test_large_trees_are_consistent_with_their_nodes() -> None:
    """A tree of four chunks: its leaf noise is what eqs. 10 and 11 make of the noise of its nodes."""
    shape, key = Shape(4, 4, 16), Key.draw(Seeded(2))
    source = LeafNoise(shape, NOISE, 10, True, key)
    chunks = [source._chunk_noise(c) for c in range(4)]
    levels = [np.concatenate([c[h] for c in chunks]) for h in range(3)] + [np.array([source._node(4, 0)])]
    exact = make_consistent(fractions(levels), 4)[0]
    taken = source.take(64)
    assert max(abs(Fraction(int(w), 1024) - x) for w, x in zip(taken, exact, strict=True)) < Fraction(1, 100)
