"""Sums over the planes <a, cell> = y of a finite vector space, for all directions a at once.

Sums for direction 0, y = 0..g-1, come first, then those for direction 1, and so on, as AGR numbers its messages. A direction
whose leading 1 stands at digit m knows nothing of the digits above, so these are summed out first. What is left is an array
over (y, lower digits), where y starts as digit m; each lower digit i in turn is replaced by the direction's digit a_i:

    X'[..., a_i, y, ...] = sum over c of X[..., y - a_i c, c, ...]

which is a product with a matrix of zeros and ones. y moves one place to the right, and so is always beside the next digit:
nothing is ever copied into another order. In a large field a Fourier transform takes fewer steps. The slow twin of both adds
up the cells that `AGR.supports` names.
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
ALONE = 1 << 18  # multiplications of a product of matrices that libraries leave to one thread


def sums_over_planes(cells: Floats, g: int, t: int) -> Floats:
    """For every direction a and value y, the sum over the cells with <a, cell> = y; one row for each row of cells."""
    way = by_digits if g <= SMALL_FIELD else by_fourier
    out, some = np.empty((len(cells), _first(g, t))), max(AT_ONCE // g**t, 1)
    for start in range(0, len(cells), some):
        out[start : start + some] = way(cells[start : start + some], g, t)
    return out


def spread_over_planes(counts: Array, g: int, t: int) -> Floats:
    """The transpose: for every cell, the sum of the counts of all planes that it lies on."""
    return spread_by_digits(counts, g, t) if g <= SMALL_FIELD else spread_by_fourier(counts, g, t)


def by_digits(cells: Floats, g: int, t: int) -> Floats:
    """The sums, one digit after the other; a step is the same for all directions whose leading 1 stands higher, and is taken for
    them together."""
    rows, work = len(cells), np.ascontiguousarray(cells.T).reshape(-1)
    out = np.empty((_first(g, t), rows))
    for m in range(t - 1, -1, -1):
        higher = out[_first(g, m + 1) :].reshape(-1)
        if len(higher):
            higher[:] = _products(_one_digit(g), higher, g, g**m * rows)
        out[_first(g, m) : _first(g, m + 1)] = work.reshape(-1, rows)
        work = work.reshape(g, -1).sum(axis=0)
    return out.T


def spread_by_digits(counts: Array, g: int, t: int) -> Floats:
    """Every step of `by_digits` taken backwards, in the precision of the counts."""
    kind = counts.dtype
    matrix, work, rest = np.ascontiguousarray(_one_digit(g).T, dtype=kind), np.zeros(1, dtype=kind), counts
    for m in range(t):
        own, rest = rest[: g ** (m + 1)], rest[g ** (m + 1) :]
        work = (own.reshape(g, -1) + work).reshape(-1)
        if len(rest):
            rest = _products(matrix, rest, g, g**m)
    return work.astype(np.float64)


def _first(g: int, m: int) -> int:
    """The message at which directions whose leading 1 stands at digit m begin."""
    return int((g**m - 1) // (g - 1) * g)


def _products(matrix: Array, work: Array, g: int, columns: int) -> Array:
    """The matrix times each (g^2, columns) of an array, in pieces so small that no library divides them among threads.

    Threads that wait for each other take longer than the product of two small matrices: on a busy machine fifty times longer.
    """
    if columns == 1:
        rows, some = work.reshape(-1, g**2), max(ALONE // g**4, 1)
        whole, out = len(rows) // some * some, np.empty((len(work) // g**2, g**2), work.dtype)
        np.matmul(rows[:whole].reshape(-1, some, g**2), matrix.T, out=out[:whole].reshape(-1, some, g**2))
        np.matmul(rows[whole:], matrix.T, out=out[whole:])
        return out.reshape(-1)
    some = _part(columns, g)
    shape = (-1, g**2, columns // some, some)
    out = np.empty(work.shape, work.dtype)
    np.matmul(matrix, work.reshape(shape).transpose(0, 2, 1, 3), out=out.reshape(shape).transpose(0, 2, 1, 3))
    return out


def _part(columns: int, g: int) -> int:
    """How many columns are multiplied at once: all of them divided by small numbers until that is little enough."""
    for divisor in (g, 2, 3, 5):
        while columns * g**4 > ALONE and columns > g and columns % divisor == 0:
            columns //= divisor
    return columns


@lru_cache(maxsize=16)
def _one_digit(g: int) -> Floats:
    """1 where (y - a c, c) is added to (a, y)."""
    y, a, c = np.indices((g, g, g)).reshape(3, -1)
    matrix = np.zeros((g * g, g * g))
    matrix[a * g + y, (y - a * c) % g * g + c] = 1.0
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
