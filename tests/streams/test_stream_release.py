"""The release kernel against a slow twin in Python's own integers, for every smoother."""

from __future__ import annotations

from statistics import median_low

import numpy as np
import pytest

from untold.kernels.stream_layout import SMOOTHERS, STATE_SIZE
from untold.kernels.stream_release import release
from untold.randomness import Seeded
from untold.streams import ToPS

THETA, BITS = 70, 4


def slow_release(units: list[int], noise: list[int], block: int, smoother: str) -> list[int]:
    """As the definition says: predictions, and a correction at the end of each block."""
    out: list[int] = []
    sums: list[int] = []
    trend = guess = 0
    for i in range(len(units)):
        if (i + 1) % block:
            out.append(guess)
            continue
        true = sum(min(u, THETA) for u in units[i + 1 - block : i + 1])
        noisy = true * 2**BITS + noise[i // block]
        out.append(noisy - (block - 1) * guess)
        sums.append(noisy)
        means = [s // block for s in sums]
        trend = means[0] if len(means) == 1 else trend + (means[-1] - trend) // 4
        guess = {
            "recent": means[-1],
            "mean": sum(sums) // (len(sums) * block),
            "moving": sum(means[-8:]) // len(means[-8:]),
            "median": median_low(means[-8:]),
            "exponential": trend,
        }[smoother]
        guess = min(max(guess, 0), THETA * 2**BITS)
    return out


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("block", [1, 2, 5])
def test_kernel_matches_the_slow_twin(smoother: str, block: int) -> None:
    rng = np.random.default_rng(1)
    units, noise = rng.integers(0, 120, 203), rng.integers(-3000, 3000, 203 // block)
    state, squares = np.zeros(STATE_SIZE, dtype=np.int64), np.zeros(1)
    code, done, parts = SMOOTHERS.index(smoother), 0, []
    for part in np.array_split(units, 6):
        count = (int(state[0]) + len(part)) // block
        parts.append(release(part, noise[done : done + count], state, squares, THETA, block, BITS, code))
        done += count
    assert np.concatenate(parts).tolist() == slow_release(units.tolist(), noise.tolist(), block, smoother)


def test_smoothers_differ() -> None:
    values = np.random.default_rng(2).exponential(20, 3000)
    made = {
        s: tuple(ToPS(1.0, 200, threshold=50.0, block=16, smoother=s, rng=Seeded(1)).push(values)) for s in SMOOTHERS
    }
    assert len(set(made.values())) == len(SMOOTHERS)


def test_released_blocks_add_up_to_noisy_blocks_whatever_the_smoother() -> None:
    values = np.random.default_rng(2).exponential(20, 3200)
    sums = [
        ToPS(1.0, 200, threshold=50.0, block=16, smoother=s, rng=Seeded(1)).push(values).reshape(-1, 16).sum(axis=1)
        for s in SMOOTHERS
    ]
    for other in sums[1:]:
        assert other == pytest.approx(sums[0])


def test_a_quiet_stream_is_followed_closely() -> None:
    """With hardly any noise the release of a constant stream is that constant."""
    released = ToPS(1e4, 200, threshold=100.0, block=4, rng=Seeded(1)).push([30.0] * 400)
    assert released[4:] == pytest.approx([30.0] * 396, abs=1.0)
