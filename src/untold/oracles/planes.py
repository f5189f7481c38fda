"""Sums over the planes <a, cell> = y of a finite vector space, for all directions a at once.

Sums for direction 0, y = 0..g-1, come first, then those for direction 1, and so on, as AGR numbers its messages. A direction
whose leading 1 stands at digit m knows nothing of the digits above, so these are summed out first. What is left is an array
over (y, lower digits), where y starts as digit m; each lower digit i in turn is replaced by the direction's digit a_i:

    X'[y, ..., a_i, ...] = sum over c of X[y - a_i c, ..., c, ...]

which is a product with a matrix of zeros and ones. In a large field a Fourier transform takes fewer steps. The slow twin
of both adds up the cells that `AGR.supports` names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SMALL_FIELD = 13  # up to here adding digit by digit is faster than a Fourier transform
AT_ONCE = 1 << 20  # cells of many rows together
WHOLE = 1 << 24  # whole numbers up to here, and sums of them, are exact in single precision


def sums_over_planes(cells: Floats, g: int, t: int) -> Floats:
    """For every direction a and value y, the sum over the cells with <a, cell> = y; one row for each row of cells."""
    way = by_digits if g <= SMALL_FIELD else by_fourier
    out, some = np.empty((len(cells), _first(g, t))), max(AT_ONCE // g**t, 1)
    for start in range(0, len(cells), some):
        out[start : start + some] = way(cells[start : start + some], g, t)
    return out


def spread_over_planes(counts: Floats, g: int, t: int) -> Floats:
    """The transpose: for every cell, the sum of the counts of all planes that it lies on."""
    return spread_by_digits(counts, g, t) if g <= SMALL_FIELD else spread_by_fourier(counts, g, t)


def by_digits(cells: Floats, g: int, t: int) -> Floats:
    """The sums, one digit after the other."""
    rows, work = len(cells), np.ascontiguousarray(cells.T)
    out = np.empty((_first(g, t), rows))
    for m in range(t - 1, -1, -1):
        found = _replaced(work, g, m, _one_digit(g)).reshape(g, -1, rows)
        out[_first(g, m) : _first(g, m + 1)] = found.transpose(1, 0, 2).reshape(-1, rows)
        work = work.reshape(g, -1, rows).sum(axis=0)
    return out.T


def spread_by_digits(counts: Floats, g: int, t: int) -> Floats:
    """Every step of `by_digits` taken backwards."""
    exact = counts.min() >= 0 and counts.sum() < WHOLE and bool((counts == np.rint(counts)).all())
    kind = np.float32 if exact else np.float64
    matrix = np.ascontiguousarray(_one_digit(g).T, dtype=kind)
    work, counts = np.zeros(1, dtype=kind), counts.astype(kind)
    for m in range(t):
        own = counts[_first(g, m) : _first(g, m + 1)].reshape(-1, g).T.reshape(-1, 1)
        work = (_replaced(own, g, m, matrix).reshape(g, -1) + work).reshape(-1)
    return work.astype(np.float64)


def _first(g: int, m: int) -> int:
    """The message at which directions whose leading 1 stands at digit m begin."""
    return int((g**m - 1) // (g - 1) * g)


def _replaced(work: Array, g: int, digits: int, matrix: Array) -> Array:
    """An array over (y, digits, rows), each digit in turn replaced, together with y."""
    rows = work.shape[1]
    for done in range(digits):
        work = (matrix @ work.reshape(g * g, -1)).reshape(g, g, -1, g**done, rows).transpose(0, 2, 3, 1, 4)
    return work


@lru_cache(maxsize=16)
def _one_digit(g: int) -> Floats:
    """1 where (y - a c, c) is added to (y, a)."""
    y, a, c = np.indices((g, g, g)).reshape(3, -1)
    matrix = np.zeros((g * g, g * g))
    matrix[y * g + a, (y - a * c) % g * g + c] = 1.0
    return matrix


def by_fourier(cells: Floats, g: int, t: int) -> Floats:
    """The sums, through one transform of all cells."""
    field = np.fft.fftn(cells.reshape(-1, *(g,) * t), axes=range(1, t + 1)).reshape(len(cells), -1)
    rays = _rays(g, t)
    spectrum = np.empty((len(cells), len(rays), g), dtype=np.complex128)
    spectrum[..., 0] = field[:, :1]
    spectrum[..., 1:] = field[:, rays]
    return np.asarray(np.fft.ifft(spectrum, axis=-1).real.reshape(len(cells), -1))


def spread_by_fourier(counts: Floats, g: int, t: int) -> Floats:
    """The transpose through one transform.

        N = (n + sum over b != 0 of G[b] w^-<b,cell>) / g

    G[u a] is the Fourier transform of the counts of direction a at u.
    """
    spectrum = np.fft.fft(counts.reshape(-1, g), axis=1)
    field = np.zeros(g**t, dtype=np.complex128)
    field[_rays(g, t)] = spectrum[:, 1:]
    half = field.reshape((g,) * t)[..., : g // 2 + 1]  # counts are real: the other half is its mirror
    transformed = np.fft.irfftn(half, s=(g,) * t, axes=range(t), norm="forward").reshape(-1)
    return np.asarray((counts.sum() + transformed) / g)


@lru_cache(maxsize=32)
def _rays(g: int, t: int) -> Integers:
    """The numbers of u * a in base g, one row per direction a, one column per u = 1..g-1.

    Every non-zero vector appears once.
    """
    vectors = np.concatenate([np.arange(g**m, 2 * g**m) for m in range(t)])
    multiples = np.zeros((len(vectors), g - 1), dtype=np.int64)
    for place in range(t):
        digit = vectors // g**place % g
        multiples += np.outer(digit, np.arange(1, g)) % g * g**place
    return multiples
