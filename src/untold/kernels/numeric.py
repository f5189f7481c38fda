"""Perturbation of numbers in bulk. The slow twins are `round_to_knot` and `respond` of each mechanism; fed the same
words they give the same answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from untold.randomness import Words

Answers = npt.NDArray[np.uint32]
WORDS = "Array(u8, 1, 'C', readonly=True)"


def round_to_knots(numbers: npt.NDArray[np.float64], words: Words, low: float, span: float, knots: int) -> Answers:
    """One of the two nearest knots for each number, at random, the mean of which is the number."""
    out = np.empty(len(numbers), dtype=np.uint32)
    _round(numbers, words, out, low, span, knots)
    return out


def slide_window(knots: Answers, words: Words, width: int, slide: int, heavy: int, light: int) -> tuple[Answers, bool]:
    """Answers of `Window`, and whether every word could be used."""
    out = np.empty(len(knots), dtype=np.uint32)
    return out, bool(_window(knots, words, out, width, slide, heavy, light))


def flip(bits: Answers, words: Words, heavy: int, light: int) -> tuple[Answers, bool]:
    """Each bit as it is with weight `heavy`, flipped with weight `light`."""
    lie = words >= np.uint64(heavy)
    return bits ^ lie.astype(np.uint32), bool((words < np.uint64(heavy + light)).all())


def chance_below(knots: Answers, words: Words, total: int) -> tuple[Answers, bool]:
    """1 with probability knot / total, by the arithmetic of `Randomness.below`."""
    stretch = ((1 << 64) - 1) // total
    drawn = words // np.uint64(stretch)
    return (drawn < knots).astype(np.uint32), bool((words < np.uint64(total * stretch)).all())


def add_noise(knots: Answers, words: Words, cumulative: Words, centre: int, indexes: int) -> Answers:
    """Knot plus the noise that the word falls on, less `centre`, clamped to 0..indexes-1."""
    out = np.empty(len(knots), dtype=np.uint32)
    _noise(knots, words, np.ascontiguousarray(cumulative), out, centre, indexes)
    return out


@njit(f"void(Array(f8, 1, 'C', readonly=True), {WORDS}, u4[::1], f8, f8, i8)", nogil=True, cache=True)
def _round(numbers, words, out, low, span, knots):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        position = (numbers[i] - low) / span * knots
        knot = min(np.int64(position), knots - 1)
        part = position - knot
        if part >= 1.0:
            out[i] = knot + 1
        else:
            up = np.uint64(part * 18446744073709551616.0)
            out[i] = knot + (~words[i] < up)


@njit(f"b1(Array(u4, 1, 'C', readonly=True), {WORDS}, u4[::1], u8, u8, u8, u8)", nogil=True, cache=True)
def _window(knots, words, out, width, slide, heavy, light):  # type: ignore[no-untyped-def]
    stretch = heavy + light
    usable = width * slide * stretch
    cells = width + slide
    accepted = True
    for i in range(len(knots)):
        word = words[i]
        accepted &= word < usable
        pair = word // stretch
        lie = np.uint64(word - pair * stretch >= heavy)
        far = pair // width
        near = pair - far * width
        answer = np.uint64(knots[i]) + (np.uint64(1) - lie) * near + lie * (width + far)
        out[i] = np.uint32(answer - cells * np.uint64(answer >= cells))
    return accepted


@njit(f"void(Array(u4, 1, 'C', readonly=True), {WORDS}, {WORDS}, u4[::1], i8, i8)", nogil=True, cache=True)
def _noise(knots, words, cumulative, out, centre, indexes):  # type: ignore[no-untyped-def]
    for i in range(len(knots)):
        word = words[i]
        low, high = 0, len(cumulative)
        while low < high:  # bisect_right
            middle = (low + high) // 2
            if word < cumulative[middle]:
                high = middle
            else:
                low = middle + 1
        out[i] = min(max(np.int64(knots[i]) + low - centre, 0), indexes - 1)
