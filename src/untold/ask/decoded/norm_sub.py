"""Norm-Sub: the nearest tables without negative cells and with an unchanged total.

It takes many tables of one shape at once: the first axis counts them.
"""

from __future__ import annotations

import numpy as np

from untold.ask.decoded.contrasts import Floats


def norm_sub(tables: Floats) -> Floats:
    """Subtract one number from all cells, set those below zero to zero; the number is such that the total stays.

        T(v) <- max(T(v) - tau, 0)        sum over v of max(T(v) - tau, 0) = total

    It is the nearest table, in squared distance, among those with this total and no negative cell.

    >>> norm_sub(np.array([[0.9, 0.3, -0.2]])).round(3).tolist()
    [[0.8, 0.2, 0.0]]
    """
    flat = tables.reshape(len(tables), -1)
    total = np.maximum(flat.sum(axis=1, keepdims=True), 0.0)
    falling = -np.sort(-flat, axis=1)
    above = (np.cumsum(falling, axis=1) - total) / np.arange(1, flat.shape[1] + 1)
    last = (falling > above).sum(axis=1, keepdims=True) - 1
    tau = np.take_along_axis(above, np.maximum(last, 0), axis=1)
    return np.asarray(np.maximum(flat - tau, 0.0).reshape(tables.shape))
