"""From clipped values and leaf noise to released values, all in whole numbers.

Inside a block every value is released as the smoother's prediction; the last value of a block carries the correction
that makes the block's released sum the noisy one. The slow twin, in Python's own integers, lives with the tests.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.kernels.stream_layout import BLOCKS, COUNT, FILLED, GUESS, SUM, TOTAL, TREND, WINDOW, WINDOW_START

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LARGE = 1 << 60  # past this the running total forgets half of its weight


def release(
    units: Integers,
    noise: Integers,
    state: Integers,
    squares: Floats,
    threshold: int,
    block: int,
    bits: int,
    smoother: int,
) -> Integers:
    """Released values in units of 2^-bits. `noise` holds one number for each block that these values complete.

    `state` (see stream_layout) and `squares` (the sum of squared misses of the smoother) move on.
    """
    out = np.empty(len(units), dtype=np.int64)
    _release(units, noise, state, squares, out, threshold, block, bits, smoother)
    return out


@njit("i8(i8, i8, i8[::1], f8[::1], i8, i8)", nogil=True, cache=True)
def _predict(noisy, guess, state, squares, block, smoother):  # type: ignore[no-untyped-def]
    mean, window = noisy // block, state[WINDOW_START:]
    if state[BLOCKS] > 0:
        squares[0] += float(guess - mean) * float(guess - mean)
    state[TOTAL] += noisy
    state[COUNT] += 1
    if abs(state[TOTAL]) > LARGE:
        state[TOTAL] = state[TOTAL] >> 1
        state[COUNT] = (state[COUNT] + 1) >> 1
    window[state[BLOCKS] % WINDOW] = mean
    state[BLOCKS] += 1
    known = min(state[BLOCKS], WINDOW)
    if smoother == 1:
        return state[TOTAL] // (state[COUNT] * block)
    if smoother == 2:
        return window[:known].sum() // known
    if smoother == 3:
        return np.sort(window[:known])[(known - 1) // 2]
    if smoother == 4:
        state[TREND] = mean if state[BLOCKS] == 1 else state[TREND] + ((mean - state[TREND]) >> 2)
        return state[TREND]
    return mean


@njit("void(i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], i8, i8, i8, i8)", nogil=True, cache=True)
def _release(units, noise, state, squares, out, threshold, block, bits, smoother):  # type: ignore[no-untyped-def]
    filled, total, guess, done = state[FILLED], state[SUM], state[GUESS], 0
    for i in range(len(units)):
        total += min(units[i], threshold)
        filled += 1
        if filled < block:
            out[i] = guess
        else:
            noisy = (total << bits) + noise[done]
            out[i] = noisy - (block - 1) * guess
            done += 1
            filled, total = 0, 0
            guess = _predict(noisy, guess, state, squares, block, smoother)
            guess = min(max(guess, 0), threshold << bits)
    state[FILLED], state[SUM], state[GUESS] = filled, total, guess
