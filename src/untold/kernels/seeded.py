"""Scores of reports with seeded hashing (OLH): no table can hold them, so each report is hashed against the cells that matter.

The slow twin adds beta_c (1[supports] - q) / (p - q) over all cells with `OLH.supports`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


def support_sums(
    word_bits: int,
    sides: int,
    y: npt.NDArray[np.uint32],
    a: npt.NDArray[np.uint64],
    b: npt.NDArray[np.uint64],
    beta: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """For each report, the sum of beta over the cells that it supports; cells with beta = 0 are passed over."""
    cells = np.flatnonzero(beta)
    out = np.zeros(len(y))
    kernel = _narrow if word_bits == 32 else _wide
    kernel(
        cells.astype(np.uint64),
        beta[cells],
        y.astype(np.uint64),
        a.astype(np.uint64),
        b.astype(np.uint64),
        np.uint64(sides),
        out,
    )
    return out


@njit("void(u8[::1], f8[::1], u8[::1], u8[::1], u8[::1], u8, f8[::1])", nogil=True, cache=True)
def _narrow(cells, beta, y, a, b, sides, out):  # type: ignore[no-untyped-def]
    mask = np.uint64(0xFFFFFFFF)
    for i in range(len(y)):
        total = 0.0
        for c in range(len(cells)):
            h = (a[i] * cells[c] + b[i]) & mask
            if (h * sides) >> np.uint64(32) == y[i]:
                total += beta[c]
        out[i] = total


@njit("void(u8[::1], f8[::1], u8[::1], u8[::1], u8[::1], u8, f8[::1])", nogil=True, cache=True)
def _wide(cells, beta, y, a, b, sides, out):  # type: ignore[no-untyped-def]
    for i in range(len(y)):
        total = 0.0
        for c in range(len(cells)):
            h = (a[i] * cells[c] + b[i]) >> np.uint64(32)
            if (h * sides) >> np.uint64(32) == y[i]:
                total += beta[c]
        out[i] = total
